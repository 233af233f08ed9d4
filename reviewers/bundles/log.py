"""A recorded review log: the prompt that an LLM reviewer was given, and its answer, in one text
file.

The prompt's parts are under headings at the start of a line. The texts under them are free and
may hold such a line themselves, so each part is found from a neighbour whose form is known: the
code is one JSON object, a run begins with `- Run ID:`, the design is a list of labelled points.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from reviewers.bundles.answer import read_answer
from reviewers.bundles.bundle_format import Format, without_ending
from reviewers.bundles.dating import date_in_header
from reviewers.bundles.final_checks import finished, lineage_of
from reviewers.bundles.json_text import JsonProblem, file_bytes, parse_json_at, readable
from reviewers.bundles.log_code import (
    EARLIER,
    UNDER_REVIEW,
    Code,
    code_under,
    codes_anywhere,
    heading,
    path_of,
    seen_in,
)
from reviewers.bundles.log_hypothesis import parse_fields
from reviewers.bundles.log_runs import read_runs, runs_folder
from reviewers.errors import BundleError
from reviewers.records import ResearchContext, SourceFile, Submission

_ENDINGS = (".txt",)
_ANSWER = re.compile(r"^Output:[ \t]*\n?", re.MULTILINE)
_OTHER_ANSWER = re.compile(r"^#*[ \t]*(?:Output|Answer|Response|Reply):?[ \t]*\n", re.MULTILINE)
_VERDICT = re.compile(r'"[\w -]*ready"\s*:', re.IGNORECASE)
_MODEL = re.compile(r"^LLM Name:(.*)$", re.MULTILINE)
_SAMPLE_METRIC = re.compile(r'"primary_metric":[ \t]*"(.*)",?[ \t]*$', re.MULTILINE)
_POINT = re.compile(r"^- ([^\n:]{1,60}):[ \t]?", re.MULTILINE)
_POINT_NAMES = frozenset(
    {
        "baselines", "comparative methods", "datasets", "evaluation metrics", "experiment strategy",
        "experimental strategy", "hyperparameters", "models", "primary metric", "proposed method",
        "strategy",
    }
)  # fmt: skip
_EXPERIMENT_POINTS = frozenset({"experiment id", "description", "run variations"})
# Labels that a text before them may repeat as a bullet; of others the first one is meant.
_LAST_POINTS = frozenset({"evaluation metrics", "run variations"})


def is_log(data: bytes) -> bool:
    """Whether a file is a recorded log by its headings or its answer, even if it is cut off or
    damaged.
    """
    return _is_log(data.decode(_encoding(data), "replace").replace("\r\n", "\n"))


def _is_log(text: str) -> bool:
    return (
        any(heading(words).search(text) for words in UNDER_REVIEW)
        or _VERDICT.search(text) is not None
        or (
            _heading("Instructions").search(text) is not None
            and re.search(r"^Input:", text, re.MULTILINE) is not None
        )
    )


def read_log(data: bytes, source: str, file_name: str) -> Submission:
    """Read a log; an answer that is missing or unreadable is kept as one without a verdict.

    Raises:
        BundleError: it is not a log, its code cannot be read, or what it holds breaks a limit.
    """
    whole = _text(data)
    code, is_base = _code(whole, source)
    earlier = None if is_base else _earlier(whole, code.start)
    # A prompt is read as text, whatever bytes are in it; files and run configs keep theirs.
    text = readable(whole)
    ends = [code.start] if earlier is None else [code.start, earlier.start]
    experiment_at = _last(_heading("Current Experiment"), text, code.start, r"\s*- ")
    ends += [] if experiment_at is None else [experiment_at]
    runs_at = _last(_heading("Experiment Runs"), text, code.start, r"\s*- Run ID:")
    design_at = _last(_heading("Experimental Design"), text, runs_at or code.start, r"\s*- ")
    before = design_at or runs_at or code.start
    instructions = _heading("Instructions").search(text, 0, before)
    criteria_at = instructions.end() if instructions else 0
    method_at = _first(_heading("Current Research Method"), text, criteria_at, before)
    hypothesis_at = _first(_heading("Hypothesis"), text, criteria_at, method_at or before)
    context_at = min(at for at in (hypothesis_at, method_at, before) if at is not None)

    def part(start: int | None, *ends: int | None, of: str = text) -> str:
        if start is None:
            return ""
        body = of.index("\n", start) + 1
        return of[body : min(end for end in ends if end is not None and end > start)].strip()

    hypothesis = parse_fields(part(hypothesis_at, method_at, before, *ends))
    method = part(method_at, before, *ends)
    if not hypothesis and (fields := _fields(method)):
        hypothesis, method = fields, fields.get("methods", fields.get("method", method))
    criteria = text[criteria_at:context_at].strip() if instructions else ""
    sample = _SAMPLE_METRIC.search(criteria)
    model = _MODEL.search(text, 0, instructions.start() if instructions else before)
    named = model[1].strip() if model else ""
    answer = _answer(text, code.end)
    name = without_ending(file_name, _ENDINGS)
    lineage, attempt = lineage_of(name)
    # What a lineage shares: base code is the same submission wherever a prompt shows it.
    shared = ResearchContext(
        hypothesis=hypothesis,
        method=method or None,
        primary_metric=hypothesis.get("primary_metric")
        or (sample[1].strip() or None if sample else None),
    )
    files = tuple(_files(code, source))
    design = _points(part(design_at, runs_at, *ends), _POINT_NAMES)
    design |= _points(part(experiment_at, runs_at, *ends), _EXPERIMENT_POINTS)
    base = None
    if earlier is not None:
        called = f"{lineage or name} base code"
        parts = tuple(_files(earlier, source))
        base = finished(Submission(called, source, parts, (), shared, (), lineage, attempt=0))
    return finished(
        Submission(
            name=name,
            source=source,
            files=files,
            runs=read_runs(
                part(runs_at, *ends, of=whole),
                runs_folder((file.text for file in files), criteria),
                source,
            ),
            context=replace(shared, design={} if is_base else design, criteria=criteria or None),
            recorded=(read_answer(answer, named if named not in ("", "None") else None),),
            lineage=lineage,
            attempt=0 if is_base else attempt,
            base=base,
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


def _text(data: bytes) -> str:
    encoding = _encoding(data)
    text = data.decode(encoding, "replace" if encoding == "utf-16" else "surrogateescape")
    # Windows editors write every line end as two characters; a lone one would be part of the
    # content.
    return text.replace("\r\n", "\n") if text.count("\r\n") == text.count("\n") else text


def _encoding(data: bytes) -> str:
    return "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"


def _code(text: str, source: str) -> tuple[Code, bool]:
    """Return the code under review: under the last known heading before the answer, since the free
    texts above it may hold a heading like it; else the last that is shown anywhere. And whether it
    is base code, which is there under its own heading.

    Raises:
        BundleError: none is shown, or it breaks off.
    """
    answers = list(_ANSWER.finditer(text))
    end = answers[-1].start() if answers else len(text)
    try:
        code = code_under(UNDER_REVIEW, text, end)
    except JsonProblem as problem:
        raise BundleError(
            source, f"the generated code cannot be read: {problem}; export the log again"
        ) from None
    if code is not None:
        return code, False
    if shown := codes_anywhere(text, end):
        base = _earlier(text, end)
        is_base = base is not None and base.end == shown[-1].end
        return (base if base is not None and is_base else shown[-1]), is_base
    what = "it shows no code" if _is_log(text) else "it is not a recorded review log"
    raise BundleError(
        source,
        f"{what}: looked for files in a JSON object or in named fences, under `# {UNDER_REVIEW[0]}`"
        f" or one of {len(UNDER_REVIEW) - 1} other headings, or elsewhere before the answer; saw"
        f" {seen_in(text)}",
    )


def _earlier(text: str, end: int) -> Code | None:
    """The code that precedes the code under review as what it was derived from, as far as it
    can be read.
    """
    try:
        code = code_under(EARLIER, text[:end], end)
    except JsonProblem:
        return None
    return code


def _files(code: Code, source: str) -> Iterator[SourceFile]:
    for key, value in code.files.items():
        if value is None:
            continue
        if not isinstance(value, str):
            raise BundleError(
                source, f"the generated code's {key[:100]!r} is not a text; export the log again"
            )
        yield SourceFile(path_of(key), file_bytes(value))


def _answer(text: str, start: int) -> str:
    """What follows the prompt; where nothing marks it, all that follows the code and gives a
    verdict.
    """
    mark = _ANSWER.search(text, start) or _OTHER_ANSWER.search(text, start)
    if mark is not None:
        return text[mark.end() :]
    return text[start:] if _VERDICT.search(text, start) else ""


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


def _points(text: str, names: frozenset[str]) -> dict[str, str]:
    """Split the design at its own labels only; a bullet inside one of its texts is part of that
    text.
    """
    labels = [
        label
        for label in _POINT.finditer(text)
        if label.start() == 0 or label[1].strip().lower() in names
    ]
    kept = {label[1].strip(): label for label in labels if label[1].strip().lower() in _LAST_POINTS}
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


FORMAT = Format(
    name="a log",
    endings=_ENDINGS,
    sniff=lambda candidate: True,
    read=lambda candidate: (read_log(candidate.data, candidate.source, candidate.name),),
    is_meant=is_log,
)
