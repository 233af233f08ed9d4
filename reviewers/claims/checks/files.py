"""Claims about files: missing, empty, superfluous, or misnamed."""

import ast
import re

from reviewers.claims.certificates import Certificate
from reviewers.claims.checks.base import (
    Answer,
    Case,
    check,
    confirmed,
    join,
    partly,
    refuted,
    remark,
)
from reviewers.claims.subjects import find_file
from reviewers.records import Span

_REQUIRED = (
    "src/train.py",
    "src/evaluate.py",
    "src/preprocess.py",
    "src/model.py",
    "src/main.py",
    "pyproject.toml",
    "config/config.yaml",
)
_RUN_CONFIGS = re.compile(
    r"config/runs?/(?:\*|<|\{|$|[^\w]*\.ya?ml)|\brun[- ](?:specific )?(?:config\w*|ya?mls?)\b(?!"
    r" files? that)|\bconfig/runs?/\*"
)
_JSON_KEYS = re.compile(
    r"\b(?:train|evaluate|preprocess|model|main)_py\b|\bconfig_yaml\b|\bpyproject_toml\b"
)
_WITHIN_KEY = re.compile(
    rf"(?<!instead )\b(?:in|of|from|within|inside) (?:the )?`?(?:{_JSON_KEYS.pattern})|"
    rf"(?:{_JSON_KEYS.pattern})`?(?:'s| (?:uses?|reads?|logs?|writes?|expects?)) "
)
"""What speaks of something in a file that it calls by its key, and not of the key."""
_MISNAMED = re.compile(
    r"\binstead of\b|\brather than\b|\b(?:not|n't) (?:map|match|correspond)\b|\bshould"
    r" be\b|\bwrong(?:ly)? named\b"
)


@check("empty_file")
def empty_file(case: Case) -> Answer:
    """A file is empty where nothing but comments and white space stands in it."""
    if part := _NO_PART.search(case.said):
        return _no_part(case, part)
    if not re.search(
        r"\bempty\b|\bblank\b|\bno content\b|\bonly (?:contain"
        r" )?(?:stubs?|comments?|headers?)\b|\bstub "
        r"headers?\b|\bonly stubs\b",
        case.said,
    ):
        return None
    paths = [path for path in case.claim.own.files if path in case.facts.submission.by_path]
    if not paths and re.search(r"\b(?:all|required|most|the) (?:required )?files\b", case.said):
        paths = [path for path in _REQUIRED if path in case.facts.submission.by_path]
        if not case.claim.own.files and not re.search(r"\ball\b", case.said):
            return None
    if not paths:
        return None
    only_stubs = "empty" not in case.said and "blank" not in case.said
    empty = [
        path
        for path in paths
        if not (_statements(case, path) if only_stubs else _code_lines(case, path))
    ]
    full = [path for path in paths if path not in empty]
    if not full:
        what = "only comments and docstrings" if only_stubs else "empty"
        return confirmed(f"{join(empty, most=7)} {_is(empty)} {what}", Span(empty[0]))
    what = f"{full[0]} has {_code_lines(case, full[0])} lines of code"
    if not empty:
        if re.search(r"\bempty\b|\bblank\b|\bno content\b", case.said):
            others = (
                f", and {join(full[1:])} {_is(full[1:])} not empty either" if len(full) > 1 else ""
            )
            return _refuted(case, Certificate.HAS_CONTENT, f"{what}{others}", full)
        return None
    return partly(f"{join(empty)} {_is(empty)} empty, but {what}", Span(empty[0]))


_NO_PART = re.compile(
    r"^no (?:(?P<preprocess>data (?:pipeline|loading|preprocessing))|(?P<model>model"
    r" (?:implementation|architecture|code))"
    r"|(?P<train>training (?:loop|code|logic))|(?P<evaluate>evaluation (?:code|logic|script)))\W*$"
)


def _no_part(case: Case, part: re.Match[str]) -> Answer:
    """ "No data pipeline" is true where the file that has to hold it is empty; one that is not
    empty proves nothing.
    """
    path = f"src/{part.lastgroup}.py"
    if path not in case.facts.python or _code_lines(case, path):
        return None
    return confirmed(f"{path}, where it would have to be, is empty", Span(path))


_NO_INIT = re.compile(
    r"^`?src/__init__\.py`? is (?:missing|absent|not (?:present|provided|included))\W*$"
)
_EMBEDDED = re.compile(r"\bnot (?:an )?actual files?\b|\bembedded in (?:the )?code\b")
_NOT_INCLUDED = re.compile(
    r"^(?:at present |currently |but )*(?:they|these|those|`?config/runs?/\S*(?: files?)?(?:"
    r" referenced by hydra)?) are "
    r"(?:all )?(?:missing|absent|not (?:included|present|there))\W*$|"
    r"^no `?config/runs?/\S* files (?:are|were) (?:included|present|part|provided)[^,;]*$"
)


@check("missing_file")
def missing_file(case: Case) -> Answer:
    """A file is missing where the submission has none of that name; run configurations are provided
    beside it.
    """
    if not re.search(r"\b(?:missing|absent|not|no|never|without|lacks?)\b|filenotfound", case.said):
        return None
    own, runs = case.claim.own, case.facts.submission.runs
    if _NO_INIT.search(case.said):
        init, files = "src/__init__.py", case.facts.python.items()
        relative = next(
            (Span(path, item.line) for path, file in files for item in file.imports if item.level),
            None,
        )
        known = init in case.facts.submission.by_path
        return (
            None
            if known
            else confirmed(f"The submission has no {init}, and needs none (PEP 420)", relative)
        )
    if (
        own.files
        and _EMBEDDED.search(case.said)
        and any(path.startswith("config/") for path in own.files)
    ):
        config = next(path for path in own.files if path.startswith("config/"))
        return there(case, config)
    about_runs = _RUN_CONFIGS.search(case.said) or (
        case.claim.points_back
        and any(_RUN_CONFIGS.search(words) for words in case.claim.before[-1:])
    )
    if about_runs and not own.files and runs:
        own_runs = [
            file.path
            for file in case.facts.submission.files
            if file.path.startswith(("config/run/", "config/runs/"))
        ]
        said = confirmed if not own_runs and _NOT_INCLUDED.search(case.said) else partly
        return said(
            f"The submission itself has no such file, but its {len(runs)} run configurations are"
            f" provided beside it, as {runs[0].file.path}",
            Span(runs[0].file.path),
        )
    if own.absent_files and re.search(
        r"\b(?:missing|absent|not (?:provided|included|present|there|found)|does not exist|no )",
        case.said,
    ):
        name = own.absent_files[0]
        if name in _REQUIRED:
            return confirmed(f"The submission has no {name}", Span(name))
        return None
    if own.files and re.search(
        r"\b(?:is|are) (?:missing|absent|not (?:provided|included|present|there))\b|"
        r"\bdoes not exist\b|^missing"
        r" file|^no (?:src/)?\w+\.py",
        case.said,
    ):
        path = next((path for path in own.files if subject_is_file(case.said, path)), None)
        if path is not None:
            return there(case, path)
    return None


def there(case: Case, path: str) -> Answer:
    """Refute that a file is not there."""
    lines = len(case.facts.lines(path))
    told = f"{path} is part of the submission, with {lines} lines"
    if not lines:
        return partly(told, Span(path))
    return _refuted(case, Certificate.EXISTS, told, [path])


def _refuted(case: Case, certificate: Certificate, told: str, paths: list[str]) -> Answer:
    """Refute what is said of these files and of nothing in them."""

    def covers(piece: str) -> bool:
        return find_file(piece, paths) is not None

    return refuted(case, certificate, told, Span(paths[0]), files=paths, covers=covers)


def subject_is_file(said: str, path: str) -> bool:
    """Whether it is the file that is missing, and not something in it."""
    name = re.escape(path.rpartition("/")[2].casefold())
    return (
        re.search(
            rf"(?:^|[\s`/]){name}`? (?:(?:is|are) (?:missing|absent|not )|does not exist)|"
            rf"^(?:missing file:?|no) "
            rf"`?(?:\w+/)*{name}`?(?:$|\s+(?:is|file|provided|exists))",
            said,
        )
        is not None
    )


@check("extra_file")
def extra_file(case: Case) -> Answer:
    """A file is superfluous where it is there and the structure does not ask for it."""
    for path in case.claim.own.files:
        if path in _REQUIRED:
            return None
        finding = next(
            (
                finding
                for finding in case.decided_by("extra-file")
                if finding.span and finding.span.file == path
            ),
            None,
        )
        return (
            confirmed(
                f"{path} is part of the submission, and not one of the seven documented files",
                Span(path),
            )
            if finding
            else None
        )
    for name in case.claim.own.absent_files:
        if re.search(r"\b(?:contains?|has|includes?|adds?|ships|present)\b", case.said):
            return remark(f"The submission has no {name}")
    if re.search(
        r"\b(?:contains?|has|includes?) (?:an )?(?:extra|additional|unexpected|superfluous)",
        case.said,
    ):
        found = next(case.decided_by("extra-file"), None)
        if found is not None:
            return confirmed(found.check.evidence, found.span)
        return remark(
            f"The submission has {len(case.facts.submission.files)} files, each of them one of the"
            " documented ones"
        )
    return None


@check("misnamed_file")
def misnamed_file(case: Case) -> Answer:
    """The reviewer's prompt names files by JSON keys (`train_py`); the submission's paths are the
    documented ones.
    """
    match = _JSON_KEYS.search(case.claim.text)
    if match is None or not _MISNAMED.search(case.said) or _WITHIN_KEY.search(case.said):
        return None
    known = [path for path in _REQUIRED if path in case.facts.submission.by_path]
    if len(known) < len(_REQUIRED):
        return None
    path = next((path for path in case.claim.own.files), known[0])
    if re.search(r"\bimports?\b|\bcontains?\b|\bcrash", case.said):
        return None
    return refuted(
        case,
        Certificate.ONLY_IN_PROMPT,
        f"The submission has {path} and the six other documented paths; {match.group()} is only the"
        " key under which the reviewer's prompt showed the file",
        Span(path),
        files=known,
        covers=lambda piece: (
            _JSON_KEYS.fullmatch(piece) is not None or find_file(piece, known) is not None
        ),
    )


def _code_lines(case: Case, path: str) -> int:
    return sum(
        bool(line.strip()) and not line.lstrip().startswith("#") for line in case.facts.lines(path)
    )


def _statements(case: Case, path: str) -> int:
    """Statements of a Python file other than docstrings; lines of any other file."""
    file = case.facts.python.get(path)
    if file is None or file.tree is None:
        return _code_lines(case, path)
    return sum(
        not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        and not isinstance(node, ast.Pass)
        for node in file.tree.body
    )


def _is(paths: list[str]) -> str:
    return "is" if len(paths) == 1 else "are"
