"""What a claim speaks of: files, lines, identifiers, quoted code, errors, run ids and criteria."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TypeVar

from reviewers.claims.quoting import quotes

_PATH = re.compile(
    r"(?<![\w./{}<>*-])(?:[\w.-]+/){0,4}[\w-]+\.(?:py|ya?ml|toml|json|txt|cfg|ini|lock|sh|md)\b(?![\w/])",
    re.ASCII,
)
_MODULE = re.compile(r"\bsrc\.(\w+)\b", re.ASCII)
_LINES = re.compile(
    r"\b(?:(?i:lines?)|ll?\.|L)[ \u00a0#]?(\d{1,5})(?:\s*(?:-|–|to|and|through)\s*(?:line"
    r" |L)?(\d{1,5}))?\b",
    re.ASCII,
)
_PATH_LINE = re.compile(r"([\w./-]+\.(?:py|ya?ml|toml)):(\d{1,5})(?:-(\d{1,5}))?\b", re.ASCII)
_CRITERION = re.compile(
    r"\b(?:(?:core )?(?:validation"
    r" )?(?:requirements?|reqs?\.?|criteri(?:on|a)|core|rules?)|spec(?:ification)? (?:point|item))"
    r"[ \u00a0\u2011#-]{1,2}(\d{1,2}(?:\s*(?:,|&|/|and)\s*#?\d{1,2}){0,8})\b",
    re.IGNORECASE,
)
_ERROR = re.compile(r"\b(?:[A-Z]\w*)?(?:Error|Exception|Interrupt|Warning)\b", re.ASCII)
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII)
_DIGITS = re.compile(r"\d+")
_SECTIONS = {
    "train": r"\b(?:train(?:ing)?[ _-](?:script|code|loop|file|module)|the trainer)\b",
    "evaluate": (
        r"\b(?:eval(?:uation)?[ _-](?:script|stage|code|file|module|pipeline|phase)|evaluation"
        r" script)\b"
    ),
    "preprocess": r"\b(?:pre-?processing (?:script|code|file|module)|preprocess\b(?=\.|'s))",
    "main": r"\b(?:main (?:script|file|module|entry)|orchestrator)\b",
    "model": r"\b(?:model (?:file|module|script))\b",
}
_SCRIPTS = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _SECTIONS.items())
_ESCAPED_NAME = re.compile(
    r"\b(train|evaluate|preprocess|model|main)_py\b|\b(config_yaml|pyproject_toml)\b"
)
T = TypeVar("T")
_NO_NAMES = frozenset(
    [
        "e.g",
        "i.e",
        "etc",
        "vs",
        "WandB",
        "PyTorch",
        "HuggingFace",
        "OmegaConf",
        "TorchVision",
        "GitHub",
        "NumPy",
        "YAMLs",
        "IDs",
        "PDFs",
        "LoRA",
        "DistilBERT",
        "MobileNet",
        "README",
        "SciPy",
        "FileNotFoundError",
        "sklearn",
        "OpenAI",
        "TypeScript",
        "JavaScript",
        "MLflow",
        "TensorBoard",
        "LaTeX",
        "BibTeX",
        "iPython",
        "PNGs",
        "CPUs",
        "GPUs",
        "LLMs",
        "APIs",
        "URLs",
        "CSVs",
    ]
)


@dataclass(frozen=True, slots=True)
class Subjects:
    """What a piece of a review speaks of, in the order of mention and without repetition.

    Attributes:
        files: paths that the submission has.
        absent_files: names of files that it does not have, as written.
        lines: explicit first and last line with the path they were given for; None where none was.
        names: identifiers, dotted names and calls without their brackets.
        quotes: what stands in code or quotation marks, without the marks.
        errors: names of exceptions.
        runs: run ids of the submission.
        criteria: numbers of criteria in the rubric that the reviewer was given.
        hinted: files that are meant without being named ("the evaluation script").
    """

    files: tuple[str, ...] = ()
    absent_files: tuple[str, ...] = ()
    lines: tuple[tuple[str | None, int, int], ...] = ()
    names: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    criteria: tuple[int, ...] = ()
    hinted: tuple[str, ...] = ()


def subjects(
    text: str, paths: Collection[str], run_ids: Collection[str] = (), defined: Collection[str] = ()
) -> Subjects:
    """Find what a text speaks of.

    Args:
        paths: every path of the submission.
        run_ids: every run id of the submission.
        defined: names of its functions and classes, which are names in a text too where they are
            quoted or capitalised.
    """
    present, absent = _files(text, paths)
    return Subjects(
        files=present,
        absent_files=absent,
        lines=_lines(text, paths),
        names=_names(text, defined),
        quotes=_quotes(text),
        errors=_once(match.group() for match in _ERROR.finditer(text)),
        runs=_once(run for run in run_ids if run in text),
        criteria=_criteria(text),
        hinted=_hinted(text, paths),
    )


def find_file(name: str, paths: Collection[str]) -> str | None:
    """The path of the submission that a name means: the path itself, or the one path that ends in
    it.
    """
    name = name.removeprefix("./")
    if name in paths:
        return name
    ending = [path for path in paths if path.endswith("/" + name)]
    return ending[0] if len(ending) == 1 else None


def _files(text: str, paths: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    found = [(match.start(), match.group()) for match in _PATH.finditer(text)]
    found += [
        (match.start(), f"src/{match[1]}.py")
        for match in _MODULE.finditer(text)
        if f"src/{match[1]}.py" in paths
    ]
    found += [(match.start(), _unescaped(match)) for match in _ESCAPED_NAME.finditer(text)]
    present, absent = [], []
    for _, name in sorted(found):
        path = find_file(name, paths)
        if path is not None:
            present.append(path)
        else:
            absent.append(name)
    return _once(present), _once(absent)


def _unescaped(match: re.Match[str]) -> str:
    """The file that a key of the prompt's JSON stands for: `train_py` is `src/train.py`."""
    if match[1]:
        return f"src/{match[1]}.py"
    return "config/config.yaml" if match[2] == "config_yaml" else "pyproject.toml"


def _lines(text: str, paths: Collection[str]) -> tuple[tuple[str | None, int, int], ...]:
    found: list[tuple[str | None, int, int]] = [
        (find_file(match[1], paths), int(match[2]), int(match[3] or match[2]))
        for match in _PATH_LINE.finditer(text)
    ]
    found += [(None, int(match[1]), int(match[2] or match[1])) for match in _LINES.finditer(text)]
    return _once((path, min(first, last), max(first, last)) for path, first, last in found)


def _criteria(text: str) -> tuple[int, ...]:
    return _once(
        int(digits) for match in _CRITERION.finditer(text) for digits in _DIGITS.findall(match[1])
    )


def _quotes(text: str) -> tuple[str, ...]:
    found = []
    for start, end in quotes(text).items():
        quote = text[start : end + 1].strip("`") if text[start] == "`" else text[start + 1 : end]
        if quote.strip():
            found.append(quote.strip())
    return _once(found)


def _names(text: str, defined: Collection[str]) -> tuple[str, ...]:
    """Words that only code has: with an underscore, a dot, a bracket, or capitals within."""
    found = []
    paths = [match.span() for match in _PATH.finditer(text)]
    for match in _NAME.finditer(text):
        name, after = match.group(), text[match.end() : match.end() + 1]
        if (
            name in _NO_NAMES
            or _MODULE.fullmatch(name)
            or any(start <= match.start() < end for start, end in paths)
        ):
            continue
        camel = (
            name[:1].isupper()
            and sum(letter.isupper() for letter in name) >= 2
            and any(letter.islower() for letter in name)
        )
        mixed = name[:1].islower() and any(letter.isupper() for letter in name)
        dotted = (
            "." in name
            and all(len(part) > 0 for part in name.split("."))
            and not name.endswith(".")
        )
        own = name in defined and (
            name[:1].isupper() or (after == "`" and text[match.start() - 1 : match.start()] == "`")
        )
        if "_" in name or dotted or after == "(" or camel or mixed or own:
            found.append(name)
    return _once(found)


def _hinted(text: str, paths: Collection[str]) -> tuple[str, ...]:
    return _once(
        f"src/{name}.py"
        for name, pattern in _SCRIPTS
        if f"src/{name}.py" in paths and pattern.search(text)
    )


def _once(found: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(found))
