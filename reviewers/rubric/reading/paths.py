"""Paths that a prompt names; none leads out of the submission."""

import re

_PATH = re.compile(
    r"(?<![\w/.~<{*\\-])(?:[\w{}<>$.*,-]+/)*[\w{}<>$*,.-]*[\w}>*]"
    r"\.(?:py|toml|ya?ml|cfg|ini|txt|md|json|jsonl|csv|lock|sh|ipynb|pdf|png|svg|eps|tex)(?![\w/*{.-]*[\w{*])"
)
_BRACES = re.compile(r"\{([\w.-]+(?:\s*,\s*[\w.-]+)+)\}")
_SPELLED = re.compile(
    r"<([A-Za-z][\w -]{0,40})>|\$\{?([A-Za-z]\w*)\}?|\{\s*([A-Za-z][\w -]{0,40})\s*\}"
)
_VALID = re.compile(r"[\w{}<>.*-]+(/[\w{}<>.*-]+)*/?", re.ASCII)


def safe_path(path: str) -> str | None:
    """Return the path without a leading `./`; None where it leads outside or is no path."""
    path = path.strip().removeprefix("./")
    if len(path) > 200 or not _VALID.fullmatch(path):
        return None
    return None if any(part.strip(".") == "" for part in path.rstrip("/").split("/")) else path


def paths_in(text: str) -> list[str]:
    """Return the file names in a text in order, `{a,b}` written out, placeholders in braces."""
    text = _BRACES.sub(lambda found: found[0].replace(" ", ""), text)
    text = _SPELLED.sub(_in_braces, text)
    found: list[str] = []
    for match in _PATH.finditer(text):
        for path in _written_out(match[0]):
            safe = safe_path(path)
            if safe is not None and safe not in found and len(found) < 200:
                found.append(safe)
    return found


def _in_braces(found: "re.Match[str]") -> str:
    name = (found[1] or found[2] or found[3]).strip().lower()
    return "{" + re.sub(r"[\s-]+", "_", name) + "}"


def _written_out(path: str) -> list[str]:
    braces = _BRACES.search(path)
    if braces is None:
        return [path]
    return [
        f"{path[: braces.start()]}{each}{path[braces.end() :]}"
        for each in braces[1].split(",")[:50]
    ]


def placeholders(path: str) -> list[str]:
    """Return the names of a path's placeholders."""
    return re.findall(r"\{(\w+)\}", path)


def names_of(file: str) -> str:
    """Return a pattern for how a text names a script: by its path, its file name or its module."""
    path = re.escape(file)
    stem = re.escape(file.rpartition("/")[2])
    module = re.escape(file.removesuffix(".py").replace("/", "."))
    return rf"(?<![\w./-])(?:{path}|{stem}|{module}(?!\.?\w))"
