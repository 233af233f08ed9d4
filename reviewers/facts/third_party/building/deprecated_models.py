"""Writes the names of models that timm still accepts although no function has them any more.

    python -m reviewers.facts.third_party.building.deprecated_models FOLDER…

Each folder holds an installed or unpacked wheel of timm. The names of all other models are names of
functions, which the library index has.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path


def deprecated(folder: Path) -> Iterator[str]:
    """The names that `register_model_deprecations` gets."""
    for path in sorted(folder.rglob("timm/models/*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and getattr(node.func, "id", "") == "register_model_deprecations"
                and isinstance(node.args[1], ast.Dict)
            ):
                yield from (str(ast.literal_eval(key)) for key in node.args[1].keys if key)


if __name__ == "__main__":
    names = sorted({name for folder in sys.argv[1:] for name in deprecated(Path(folder))})
    print("\n".join(f'    "{name}",' for name in names))
