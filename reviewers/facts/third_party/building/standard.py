"""Lists the names of modules of the standard library from typeshed, which comes with mypy.

    python -m reviewers.facts.third_party.building.standard

A public name is listed whatever the Python version or platform is that typeshed gives it for, so
that what is not listed is in none of them.
"""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import mypy

_STUBS = Path(mypy.__file__).parent / "typeshed/stdlib"
_OUT = Path(__file__).parents[1] / "data/standard.txt"
_MODULES = (  # noqa: SIM905  a list would take a line for each
    "abc argparse ast base64 bisect collections collections.abc contextlib copy csv dataclasses"
    " datetime enum functools gc glob hashlib heapq importlib importlib.util inspect io itertools"
    " json logging math operator os os.path pathlib pickle platform queue random re shlex shutil"
    " signal statistics string struct subprocess sys tempfile textwrap threading time traceback"
    " types uuid warnings zipfile"
).split()


def _bound(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name):
                yield name
            case ast.Assign(targets=targets):
                yield from (one.id for one in targets if isinstance(one, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                # A stub hands on what it imports under its own name `as` that name, or with `*`.
                for one in names:
                    if one.name == "*" and isinstance(node, ast.ImportFrom) and node.module:
                        yield from _names(node.module)
                    elif one.asname:
                        yield one.asname
            case ast.If(body=inner, orelse=other):
                yield from _bound([*inner, *other])


def _names(module: str) -> set[str]:
    path = _STUBS.joinpath(*module.split("."))
    file = path / "__init__.pyi" if path.is_dir() else path.with_suffix(".pyi")
    inner = {one.stem for one in path.glob("*")} if path.is_dir() else set[str]()
    return {*_bound(ast.parse(file.read_text("utf-8")).body), *inner}


def main() -> None:
    lines = []
    for module in _MODULES:
        names = _names(module) | set(dir(importlib.import_module(module)))
        shown = sorted(name for name in names if not name.startswith("_"))
        lines.append(f"{module}: {' '.join(shown)}\n")
    _OUT.write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    main()
