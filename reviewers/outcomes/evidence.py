"""What a finding and a failure have in common: place, error, names, kind and words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from rapidfuzz import fuzz

from reviewers.outcomes.failure import Form, RunFailure
from reviewers.records import Finding, Span
from reviewers.rubric import UNCATEGORISED

CLOSE = 3
"""Lines between two places that may still be one, as for missed blockers."""
_LONGEST_PLACE = 40
"""Lines; a longer place says little of where a defect is."""
_LONGEST = 2_000  # characters of a text that are compared
_MOST_PLACES = 60

_ALIKE = (
    {
        "ConfigAttributeError",
        "ConfigKeyError",
        "ConfigCompositionException",
        "AttributeError",
        "MissingConfigException",
        "ConfigTypeError",
    },
    {"ModuleNotFoundError", "ImportError"},
    {"OSError", "RepositoryNotFoundError", "HFValidationError", "EnvironmentError"},
    {"SyntaxError", "IndentationError", "TabError"},
    {"JSONDecodeError", "SystemExit"},
)
"""Errors of one defect that libraries or versions name differently."""
_OF_PACKAGES = frozenset({"ImportError", "ModuleNotFoundError"})
"""Errors whose names are those of packages and of what is in them."""
_GENERAL = frozenset({"AttributeError", "ConfigCompositionException"})
"""Of these families the name alone does not make two errors one."""
_KINDRED = (
    {"hydra-composition", "config-hardcoded", "mode-handling"},
    {"nonexistent-api", "call-signature", "cross-file-mismatch", "undefined-name"},
    {"packaging-invalid", "file-structure"},
    {"evaluation-incomplete", "cli-contract", "tracking-mismatch"},
    {"tensor-or-runtime", "model-or-method-missing", "data-pipeline-incomplete"},
)
"""Categories between which it often is a matter of taste where a defect belongs."""

_ERROR = re.compile(r"\b[A-Z]\w{0,60}(?:Error|Exception)\b")
_QUOTED = re.compile(r"[`'\"“](?P<name>[^`'\"”\n]{1,120})[`'\"”]")
_DOTTED = re.compile(
    r"\b(?:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|\w*[a-z0-9]_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*)"
)
_HUB = re.compile(r"\b[A-Za-z][\w.-]{1,60}/[A-Za-z][\w.-]{1,100}")
_ABSENT = re.compile(
    r"(?:^|\s)(?P<name>[A-Za-z][\w./-]{1,120}) is not a (?:local folder|valid model)"
)
_FILE = re.compile(
    r"(?<![\w./{}*-])[\w./{}*-]*\.(?:py|ya?ml|toml|json|txt|md|csv|pdf)\b|\b(?:src|config)/[\w./-]*"
)
_HYPHENED = re.compile(r"\b[A-Za-z]\w{1,40}-[A-Za-z]\w{1,40}\b")
_PART = re.compile(r"[A-Za-z_][\w-]*")
_PLACES = re.compile(
    r"(?P<file>[\w./{}-]{1,200}\.(?:py|ya?ml|toml)):(?P<lines>\d{1,6}(?:[,–-] ?\d{1,6}){0,60})"
)
_LINES = re.compile(
    r"\b(?:also (?:on |at )?)?lines? (?P<lines>\d{1,6}(?:(?:, ?| and |-)\d{1,6}){0,60})"
)
_SAYS = re.compile(r"\b\w{1,60}(?:Error|Exception): (?P<said>[^;\n]{8,300})")
_FIGURES = re.compile(r"\(?\d[\d.,x ]{0,40}\)?")
_TELLING = 12
"""Characters of a message that can hardly be the same by chance."""
_SAME_WORDS = 90.0
_NO_NAME = re.compile(
    "__init__|and|args|bool|cfg|class|config|data|dataset|datasets|dict|dictconfig|error|errors|evaluate|false|file|"
    "float|for|from|full|full_key|has|hydra|import|int|key|keys|kwargs|line|list|main|mode|model|module|name|none|not|"
    "numpy|object|object_type|omegaconf|optuna|path|preprocess|project|pyproject|python|results_dir|run|run_id|"
    "run_ids|runs|self|src|str|struct|the|toml|torch|train|training|transformers|trial|true|type|utf-8|uv|value|"
    "values|wandb|with|yaml"
)
"""Words that stand in so many messages that two messages share nothing by sharing one."""


class OutcomeNearness(IntEnum):
    """How a finding lies to what happened."""

    ELSEWHERE = 0
    SAME_FILE = 1
    SAME_PLACE = 2
    SAME_LINES = 3


@dataclass(frozen=True, slots=True)
class Subject:
    """What happened, as a finding could have told it.

    Attributes:
        spans: where; empty where no place is known.
        category: as it is shown; `categories` are those that a finding may have.
        names: what it is about, in lower case: keys, attributes, modules, packages.
        telling: those of the names that hardly anything else has: dotted ones, ids of the hub.
        key: the configuration's key in full, where one is at fault.
        errors: names of the errors, without modules.
    """

    spans: tuple[Span, ...]
    category: str
    categories: frozenset[str]
    names: frozenset[str]
    telling: frozenset[str]
    key: str | None
    errors: frozenset[str]
    words: str
    is_fix: bool = False

    @classmethod
    def of_failure(
        cls, failure: RunFailure, span: Span | None, category: str, key: str | None
    ) -> "Subject":
        """Return a failure as a subject; the error that its cause led to counts as well."""
        outer = failure.outer
        words = "\n".join(filter(None, (failure.message, outer.message if outer else "")))[
            :_LONGEST
        ]
        names = set(names_in(failure.message)) | set(_parts(key or ""))
        if (
            outer is not None
            and outer.form is not Form.INSTALLER
            and "Command '" not in outer.message
        ):
            names |= names_in(outer.message)
        # `KeyError: 'label'`, `No module named src.x`: all that is said is a name.
        if len(failure.first_line) < 80 and " " not in failure.first_line.strip("'\""):
            names |= _parts(failure.first_line)
        errors = {failure.name} | ({outer.name} if outer else set()) | error_names(failure.message)
        return cls(
            spans=(span,) if span else (),
            category=category,
            categories=frozenset({category} - {UNCATEGORISED}),
            names=frozenset(names),
            telling=(
                frozenset(names)
                if failure.name in _OF_PACKAGES
                else telling_names(failure.message) & names
            ),
            key=key.lower() if key and "." in key else None,
            errors=frozenset(errors),
            words=words,
        )


@dataclass(frozen=True, slots=True)
class ComparableFinding:
    """A finding, as it can be compared.

    Attributes:
        spans: every place that it speaks of, its own first.
    """

    finding: Finding
    spans: tuple[Span, ...]
    text: str
    names: frozenset[str]
    errors: frozenset[str]

    @classmethod
    def of(cls, finding: Finding) -> "ComparableFinding":
        """Read what a finding says; a claim's own words count beside the message."""
        text = "\n".join(
            dict.fromkeys(filter(None, (finding.message, finding.claim, finding.check.evidence)))
        )[:_LONGEST]
        places = [
            span
            for span in (
                finding.span,
                finding.check.span,
                *(place.span for place in finding.places),
            )
            if span is not None
        ]
        spans = dict.fromkeys([*places, *_places_in(text, finding.span)])
        return cls(
            finding,
            tuple(spans)[:_MOST_PLACES],
            text,
            names_in(text) | _hyphened(text),
            error_names(text),
        )


def nearness(said: ComparableFinding, subject: Subject) -> OutcomeNearness:
    """Return how near the nearest of a finding's places is; where either is a whole file, the file
    is all that is shared.
    """
    return max(
        (_between(here, there) for here in said.spans for there in subject.spans),
        default=OutcomeNearness.ELSEWHERE,
    )


def _between(one: Span, other: Span) -> OutcomeNearness:
    if one.file != other.file:
        return OutcomeNearness.ELSEWHERE
    if (
        one.line is None
        or other.line is None
        or _length(one) > _LONGEST_PLACE
        or _length(other) > _LONGEST_PLACE
    ):
        return OutcomeNearness.SAME_FILE
    apart = max(one.line, other.line) - min(one.end_line or one.line, other.end_line or other.line)
    if apart > CLOSE:
        return OutcomeNearness.SAME_FILE
    return OutcomeNearness.SAME_PLACE if apart > 0 else OutcomeNearness.SAME_LINES


def _length(span: Span) -> int:
    return 0 if span.line is None else (span.end_line or span.line) - span.line + 1


@dataclass(frozen=True, slots=True)
class Foretold:
    """What of a failure a finding says.

    Attributes:
        error: the error's name.
        other_error: it names errors, and all of them are others.
        names: something that both name; `full_name`: all of the names, or one that hardly anything
            else has.
        category: its category is the failure's; `kin`: it is, or one that is often taken for it.
        quoted: it says the error's message, in as many words, with gaps, or nearly so with the same
            names.
        wording: how alike the words are, 0 to 100.
        whole_file: the finding, or what happened, is about a whole file.
        nothing_else_known: of what happened neither kind nor error is known.
    """

    error: bool
    other_error: bool
    names: bool
    full_name: bool
    category: bool
    kin: bool
    quoted: bool
    wording: float
    whole_file: bool
    nothing_else_known: bool

    @classmethod
    def of(cls, said: ComparableFinding, subject: Subject) -> "Foretold":
        """Compare a finding with what happened."""
        shared = said.names & subject.names
        same = bool(_families(said.errors) & _families(subject.errors))
        category = said.finding.category
        full = bool(
            subject.key
            and re.search(rf"(?<![\w]){re.escape(subject.key)}(?!\w)", said.text.lower())
        )
        return cls(
            error=same,
            other_error=bool(said.errors and subject.errors) and not same,
            names=bool(shared),
            full_name=full
            or (len(subject.names) > 1 and shared == subject.names)
            or bool(shared & subject.telling),
            category=category in subject.categories,
            kin=category in subject.categories
            or any(_kin(category, other) for other in subject.categories),
            quoted=_quotes(said.text, subject.words)
            or (_alike(said.text, subject.words) and (bool(shared) or not subject.names)),
            wording=(
                fuzz.token_set_ratio(said.text.lower(), subject.words.lower())
                if subject.words
                else 0.0
            ),
            whole_file=any(span.line is None for span in said.spans[:1])
            or any(span.line is None for span in subject.spans),
            nothing_else_known=not (subject.categories or subject.errors),
        )


def _quotes(text: str, words: str) -> bool:
    """Whether a text says the very message, with or without gaps: `ValueError: Target module … is
    not supported`.
    """
    message = _without_figures(words)
    for quoted in _SAYS.finditer(text):
        parts = [
            part
            for part in map(_without_figures, quoted["said"].split("…"))
            if len(part) >= _TELLING
        ]
        if parts and all(part in message for part in parts):
            return True
    return False


def _alike(text: str, words: str) -> bool:
    """Whether a text holds nearly the first line of a message."""
    message = _without_figures(
        next((line for line in words.splitlines() if len(line.strip()) > 3), "")
    )
    return (
        len(message) >= 2 * _TELLING
        and fuzz.partial_ratio(message[:300], _without_figures(text)) >= _SAME_WORDS
    )


def _without_figures(text: str) -> str:
    """A message without the sizes and counts in it, in lower case."""
    return " ".join(_FIGURES.sub(" ", text.lower()).split()).strip(" .:;")


def _kin(one: str, other: str) -> bool:
    return any(one in family and other in family for family in _KINDRED)


def _families(errors: frozenset[str]) -> frozenset[str]:
    """Errors with a name for each family that they belong to."""
    families = {
        f"family {at}"
        for error in errors - _GENERAL
        for at, family in enumerate(_ALIKE)
        if error in family
    }
    return frozenset(errors | families)


def error_names(text: str) -> frozenset[str]:
    """Return the names of errors in a text, without modules."""
    return frozenset(_ERROR.findall(text[:_LONGEST]))


def names_in(text: str) -> frozenset[str]:
    """Return what a text names of the code, in lower case: what it quotes, dotted names with their
    parts, names in snake case.
    """
    text = text[:_LONGEST]
    found: set[str] = set()
    found |= _hub_names(text)
    text = _FILE.sub(lambda file: f" {_stem(file[0])} ", text)
    for quoted in _QUOTED.finditer(text):
        if quoted["name"].count(" ") <= 3:
            found |= _parts(quoted["name"])
    for name in _DOTTED.findall(text):
        found |= _parts(name)
    return frozenset(found)


def telling_names(text: str) -> frozenset[str]:
    """Return the names in a text that hardly anything else has: dotted ones, and names on the hub
    without their owners.
    """
    return frozenset(name for name in names_in(text) if "." in name) | _hub_names(text[:_LONGEST])


def _hub_names(text: str) -> frozenset[str]:
    found = [*_HUB.findall(_FILE.sub(" ", text)), *_ABSENT.findall(text)]
    names = (name.rpartition("/")[2].lower().replace("-", "_") for name in found)
    return frozenset(name for name in names if len(name) > 2 and not _NO_NAME.fullmatch(name))


def _hyphened(text: str) -> frozenset[str]:
    """Names of packages that a text does not quote, as they are imported."""
    return frozenset(name.lower().replace("-", "_") for name in _HYPHENED.findall(text))


def _stem(file: str) -> str:
    """What is left of a file's name that tells something: a data set's script is named after it,
    src/train.py after nothing.
    """
    stem = file.rpartition("/")[2].partition(".")[0]
    return (
        f"`{stem}`"
        if not _NO_NAME.fullmatch(stem.lower()) and not file.startswith(("src/", "config/"))
        else ""
    )


def _parts(name: str) -> frozenset[str]:
    """A dotted name and each of its parts, without those that say nothing and names of errors."""
    parts = {
        part.lower().replace("-", "_") for part in _PART.findall(name) if not _ERROR.fullmatch(part)
    }
    kept = frozenset(part for part in parts if len(part) > 1 and not _NO_NAME.fullmatch(part))
    # `cfg.run` and `src.train` are named wherever anything is.
    return kept | {name.lower()} if kept and "." in name and _DOTTED.fullmatch(name) else kept


def _places_in(text: str, own: Span | None) -> Iterator[Span]:
    """Further places that a message lists: `also src/model.py:12,14`, `also line 50`."""
    for found in _PLACES.finditer(text):
        yield from (Span(found["file"], line) for line in _numbers(found["lines"]))
    if own is not None:
        for listed in _LINES.finditer(text):
            yield from (Span(own.file, line) for line in _numbers(listed["lines"]))


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)][:_MOST_PLACES]
