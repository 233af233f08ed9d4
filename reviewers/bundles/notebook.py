"""Jupyter notebooks, read as the Python in their code cells; outputs are not kept."""

import re

from reviewers.bundles.json_text import JsonProblem, file_bytes, parse_json

NOTEBOOK = ".ipynb"
_MARK = "# %%"
# Lines that IPython takes and Python does not: magics, shell commands, questions. `pass` keeps the
# block whole in which one stands; what a magic only measures runs.
_MEASURED = re.compile(r"^([ \t]*)%(?:time|prun)[ \t]+(?=[^-\s])", re.MULTILINE)
_OF_IPYTHON = re.compile(r"^([ \t]*)(?=[%!]|\?|[\w.]+\?{1,2}[ \t]*$)", re.MULTILINE)
_OTHER_LANGUAGE = re.compile(r"\s*%%(?!time\b|timeit\b|capture\b|prun\b)")


class NotANotebook(ValueError):
    """The text says why."""


def code_of(data: bytes) -> tuple[bytes, int]:
    """Return the code of a notebook as a Python file, and how many cells it has; what only IPython
    takes is there as comments.

    Raises:
        NotANotebook: it cannot be read as one.
    """
    try:
        value = parse_json(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise NotANotebook(f"not a notebook: byte {error.start} is not UTF-8") from None
    except JsonProblem as problem:
        raise NotANotebook(f"not a notebook: {problem}") from None
    cells = value.get("cells") if isinstance(value, dict) else None
    if not isinstance(cells, list):
        raise NotANotebook("not a notebook: it has no list of cells")
    sources = [
        _source(cell.get("source"))
        for cell in cells
        if isinstance(cell, dict) and cell.get("cell_type") == "code"
    ]
    text = "".join(f"{_MARK}\n{_as_python(source)}\n" for source in sources)
    return file_bytes(text), len(sources)


def _source(value: object) -> str:
    lines = value if isinstance(value, list) else [value]
    return "".join(line for line in lines if isinstance(line, str)).rstrip("\n")


def _as_python(source: str) -> str:
    if _OTHER_LANGUAGE.match(source):
        return re.sub("^", "# ", source, flags=re.MULTILINE)
    return _OF_IPYTHON.sub(
        lambda found: f"{found[1]}pass  # " if found[1] else "# ", _MEASURED.sub(r"\1", source)
    )
