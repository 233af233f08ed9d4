"""A recorded review log: the prompt that an LLM reviewer was given, and its answer, in one text
file.

The prompt's parts stand under headings at the start of a line. The texts under them are free and
may hold such a line themselves, so each part is found from a neighbour whose form is known: the
code is one JSON object, a run begins with `- Run ID:`, the design is a list of labelled points.
"""

import re

from reviewers.bundles.answer import read_answer
from reviewers.bundles.dating import date_in_header
from reviewers.bundles.finish import bundle_name, finished, lineage_of
from reviewers.bundles.hypothesis import parse_fields
from reviewers.bundles.json_text import JsonProblem, file_bytes, parse_json_at
from reviewers.bundles.runs import read_runs, runs_folder
from reviewers.errors import BundleError
from reviewers.records import ResearchContext, SourceFile, Submission

_CODE = re.compile(
    r"^#[ \t]*Generated Experiment Code\b.*\n\s*+(?:```\w*+\s*+)?(?=\{)", re.MULTILINE
)
_ANSWER = re.compile(r"^Output:[ \t]*\n?", re.MULTILINE)
_MODEL = re.compile(r"^LLM Name:(.*)$", re.MULTILINE)
_SAMPLE_METRIC = re.compile(r'"primary_metric":[ \t]*"(.*)",?[ \t]*$', re.MULTILINE)
_POINT = re.compile(r"^- ([^\n:]{1,60}):[ \t]?", re.MULTILINE)
_POINT_NAMES = frozenset(
    {
        "baselines",
        "comparative methods",
        "datasets",
        "evaluation metrics",
        "experiment strategy",
        "experimental strategy",
        "hyperparameters",
        "models",
        "primary metric",
        "proposed method",
        "strategy",
    }
)
_PLACES = {"config_yaml": "config/config.yaml", "pyproject_toml": "pyproject.toml"}
_KEY = re.compile(r"(\w+)_(py|yaml|yml|toml|txt|md|json|sh|cfg|ini|lock)")


def is_log(data: bytes) -> bool:
    """Whether a file has the headings of a recorded log, even if it is cut off or damaged."""
    text = data.decode(_encoding(data), "replace").replace("\r\n", "\n")
    return _heading("Generated Experiment Code").search(text) is not None or (
        _heading("Instructions").search(text) is not None
        and re.search(r"^Input:", text, re.MULTILINE) is not None
    )


def read_log(data: bytes, source: str, file_name: str) -> Submission:
    """Read a log; an answer that is missing or unreadable is kept as one without a verdict.

    Raises:
        BundleError: it is no log, its code cannot be read, or what it holds breaks a limit.
    """
    text = _text(data, source)
    code_heading, files, code_end = _code(text, source)
    runs_at = _last(_heading("Experiment Runs"), text, code_heading, r"\s*- Run ID:")
    design_at = _last(_heading("Experimental Design"), text, runs_at or code_heading, r"\s*- ")
    before = design_at or runs_at or code_heading
    instructions = _heading("Instructions").search(text, 0, before)
    criteria_at = instructions.end() if instructions else 0
    method_at = _first(_heading("Current Research Method"), text, criteria_at, before)
    hypothesis_at = _first(_heading("Hypothesis"), text, criteria_at, method_at or before)
    context_at = min(at for at in (hypothesis_at, method_at, before) if at is not None)

    def part(start: int | None, *ends: int | None) -> str:
        if start is None:
            return ""
        body = text.index("\n", start) + 1
        return text[body : min(end for end in ends if end is not None)].strip()

    hypothesis = parse_fields(part(hypothesis_at, method_at, before))
    method = part(method_at, before)
    if not hypothesis and (fields := _fields(method)):
        hypothesis, method = fields, fields.get("methods", fields.get("method", method))
    criteria = text[criteria_at:context_at].strip() if instructions else ""
    sample = _SAMPLE_METRIC.search(criteria)
    model = _MODEL.search(text, 0, instructions.start() if instructions else before)
    named = model[1].strip() if model else ""
    answer = _ANSWER.search(text, code_end)
    name = bundle_name(file_name)
    lineage, attempt = lineage_of(name)
    return finished(
        Submission(
            name=name,
            source=source,
            files=files,
            runs=read_runs(
                part(runs_at, code_heading),
                runs_folder((file.text for file in files), criteria),
                source,
            ),
            context=ResearchContext(
                hypothesis=hypothesis,
                method=method or None,
                design=_points(part(design_at, runs_at, code_heading)),
                primary_metric=hypothesis.get("primary_metric")
                or (sample[1].strip() or None if sample else None),
                criteria=criteria or None,
            ),
            recorded=(
                read_answer(
                    text[answer.end() :] if answer else "",
                    named if named not in ("", "None") else None,
                ),
            ),
            lineage=lineage,
            attempt=attempt,
        ),
        date_in_header(text),
    )


def _fields(method: str) -> dict[str, str]:
    """The hypothesis of older logs, which stands as a JSON object of texts where the method should
    be; empty for other texts.
    """
    if not method.startswith("{"):
        return {}
    try:
        value, end = parse_json_at(method, 0)
    except JsonProblem:
        return {}
    if (
        end != len(method)
        or not isinstance(value, dict)
        or not all(isinstance(text, str) for text in value.values())
    ):
        return {}
    return {name.strip().casefold().replace(" ", "_"): text for name, text in value.items()}


def _text(data: bytes, source: str) -> str:
    try:
        text = data.decode(_encoding(data))
    except UnicodeDecodeError as error:
        raise BundleError(
            source, f"byte {error.start} is not {error.encoding.upper()}; save the log as UTF-8"
        ) from None
    if "\0" in text:
        raise BundleError(source, "it holds a NUL byte; a log is plain text")
    # Windows editors write every line end as two characters; a lone one would be part of the
    # content.
    return text.replace("\r\n", "\n") if text.count("\r\n") == text.count("\n") else text


def _encoding(data: bytes) -> str:
    return "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"


def _code(text: str, source: str) -> tuple[int, tuple[SourceFile, ...], int]:
    """Return where the code's heading begins, the files, and where the code ends.

    The code stands under the last such heading before the answer: the free texts above it may hold
    a heading like it.
    """
    answers = list(_ANSWER.finditer(text))
    headings = list(_CODE.finditer(text))
    before_answer = [
        heading for heading in headings if answers and heading.start() < answers[-1].start()
    ]
    if not headings:
        cut = (
            "its code is cut off or missing"
            if is_log(text.encode())
            else "it is not a recorded review log"
        )
        raise BundleError(
            source, f"{cut}: no JSON object follows a heading `# Generated Experiment Code`"
        )
    heading = (before_answer or headings)[-1]
    try:
        code, end = parse_json_at(text, heading.end())
    except JsonProblem as problem:
        raise BundleError(
            source, f"the generated code cannot be read: {problem}; export the log again"
        ) from None
    assert isinstance(code, dict)  # the heading is followed by a brace
    return (
        heading.start(),
        tuple(_file(key, value, source) for key, value in code.items() if value is not None),
        end,
    )


def _file(key: str, value: object, source: str) -> SourceFile:
    if not isinstance(value, str):
        raise BundleError(
            source, f"the generated code's {key[:100]!r} is not a text; export the log again"
        )
    path = _PLACES.get(key, key)
    if path == key and "/" not in key and (named := _KEY.fullmatch(key)):
        folder = {"py": "src/", "yaml": "config/", "yml": "config/"}.get(named[2], "")
        path = f"{folder}{named[1]}.{named[2]}"
    return SourceFile(path, file_bytes(value, path, source))


def _heading(words: str) -> re.Pattern[str]:
    return re.compile(rf"^#[ \t]*{words}\b.*$", re.MULTILINE)


def _first(heading: re.Pattern[str], text: str, start: int, end: int) -> int | None:
    found = heading.search(text, start, end)
    return None if found is None else found.start()


def _last(heading: re.Pattern[str], text: str, end: int, followed_by: str) -> int | None:
    """Where the last such heading before `end` begins, of those with the expected form under them
    if there are any.
    """
    follows = re.compile(followed_by)
    found = list(heading.finditer(text, 0, end))
    fitting = [match for match in found if follows.match(text, match.end(), end)]
    return (fitting or found)[-1].start() if found else None


def _points(text: str) -> dict[str, str]:
    """Split the design at its own labels only; a bullet inside one of its texts is part of that
    text.
    """
    labels = [
        label
        for label in _POINT.finditer(text)
        if label.start() == 0 or label[1].strip().lower() in _POINT_NAMES
    ]
    # A text may repeat a label as a bullet: the metrics come last, so their last label is theirs;
    # of others the first is.
    kept = {
        label[1].strip(): label
        for label in labels
        if label[1].strip().lower() == "evaluation metrics"
    }
    for label in labels:
        kept.setdefault(label[1].strip(), label)
    ordered = sorted(kept.values(), key=lambda label: label.start())
    starts = [*(label.start() for label in ordered), len(text)]
    points = {"text": text[: starts[0]].strip()}
    points |= {
        label[1].strip(): text[label.end() : end].strip()
        for label, end in zip(ordered, starts[1:], strict=True)
    }
    return {name: words for name, words in points.items() if words}
