"""Write the samples' history: three lineages of attempts at our own samples, with what two scripted
reviewers, a person and real runs said of them.

python -m docs.history

A TOML file beside this module describes each lineage; an edit is `[file, old text, new text]`:

- `base` is the sample, `mend` the edits that make it sound.
- A `[[defect]]` is edits that bring the defect in, the `rule` that proves it, and how each reviewer
  words it. `error` is what a run prints where it stops, `frames` the places of its traceback
  (file, function, a piece of the line).
- A `[[change]]` is edits without a defect, a `[[remark]]` a claim about no defect of the list, with
  the fact check that it deserves.
- An `[[attempt]]` has defects and changes, the reviews, the run, a person's decision and rulings.

The history is an export of a store without reviews by rules and without fact checks: each start of
the desk makes these with its own rules.
"""

import hashlib
import json
import lzma
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from reviewers.bundles import open_bundle
from reviewers.bundles.answer import read_answer
from reviewers.claims.check import check_claims
from reviewers.facts import Facts
from reviewers.outcomes import Stage, outcome_of_run
from reviewers.records import (
    DatedBy,
    Generated,
    RecordedAnswer,
    ResearchContext,
    Ruling,
    RunConfig,
    SourceFile,
    Submission,
    Verdict,
)
from reviewers.settings import sample_bundles, sample_history
from reviewers.store.authors import Author, AuthorName, Given
from reviewers.store.record_lines import KINDS, RECORD, line_of, submission_line, values_of
from reviewers.store.submission import Decision, FindingRuling

HERE = Path(__file__).parent
LINEAGES = ("gated-sam", "sparse-forecast", "tide-gauge")
REVIEWERS = {"large": "sample-large", "small": "sample-small"}
PERSON = "Sample chair"
_KEY = hashlib.sha256(PERSON.encode()).hexdigest()
_RUN, _DECIDED = timedelta(hours=2), timedelta(hours=26)
_KINDS = {kind: name for name, kind in KINDS.items()}


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt of the history.

    Attributes:
        rules: the rules that prove its defects.
        checks: the fact check that each reviewer's claim deserves, by its words; None for a defect
            that it has.
    """

    submission: Submission
    rules: tuple[str, ...]
    checks: Mapping[str, str]
    records: tuple[Any, ...]


def attempts(lineage: str) -> Iterator[Attempt]:
    """Yield the attempts that a lineage's file describes, in their order."""
    told = tomllib.loads((HERE / f"{lineage}.toml").read_text("utf-8"))
    base = _edited(open_bundle(sample_bundles() / told["base"]), told.get("mend", []))
    # A log's own prompt is the contract that it is judged by; these have their lab's.
    base = replace(base, context=replace(base.context, criteria=None))
    if "context" in told:
        base = replace(base, context=ResearchContext(**told["context"]))
    parts = {each["name"]: each for kind in ("defect", "change") for each in told[kind]}
    said = {each["name"]: each for each in told["remark"]} | parts
    for number, attempt in enumerate(told["attempt"], 1):
        has = [parts[name] for name in attempt["has"]]
        submission = _edited(
            base,
            [
                ["pyproject.toml", 'version = "0.1.0"', f'version = "0.{number}.0"'],
                *(edit for part in has for edit in part["edits"]),
            ],
        )
        submission = replace(
            submission,
            name=f"{told['lineage']}-{number:02}",
            source="the samples' history",
            lineage=told["lineage"],
            attempt=number,
            generator=attempt["generator"],
            generated=Generated(attempt["at"], DatedBy.CONTENT),
            recorded=tuple(_answer(name, attempt[name], said) for name in REVIEWERS),
        )
        words = [(said[each], name) for name in REVIEWERS for each in attempt[name]["says"]]
        yield Attempt(
            submission,
            tuple(each["rule"] for each in has if "rule" in each),
            {_words(each, name): each.get("check", "confirmed") for each, name in words},
            tuple(_records(submission, attempt, has, said)),
        )


def lines() -> Iterator[str]:
    """Yield the lines of the history, the oldest attempt first."""
    every = [attempt for lineage in LINEAGES for attempt in attempts(lineage)]
    for each in sorted(every, key=lambda each: _at(each.submission)):
        yield submission_line(each.submission)
        came = {"at": _at(each.submission).isoformat(), "source": each.submission.source}
        yield _record(each.submission, "import", {**came, "repaired": {}})
        for record in each.records:
            yield _record(each.submission, _KINDS[type(record)], values_of(record))


def _at(submission: Submission) -> datetime:
    assert submission.generated is not None
    return submission.generated.at


def _record(submission: Submission, kind: str, fields: Mapping[str, Any]) -> str:
    return line_of({"schema": RECORD, "record": kind, "of": submission.id, **fields})


def _edited(submission: Submission, edits: list[list[str]]) -> Submission:
    files = {file.path: file.text for file in submission.files}
    configs = {run.file.path: run.file.text for run in submission.runs}
    for path, old, new in edits:
        texts = files if path in files else configs
        if texts[path].count(old) != 1:
            raise ValueError(f"{path} has {texts[path].count(old)} of {old!r}")
        texts[path] = texts[path].replace(old, new)
    return replace(
        submission,
        files=tuple(SourceFile(path, text.encode()) for path, text in files.items()),
        runs=tuple(_run(run, configs[run.file.path]) for run in submission.runs),
    )


def _run(run: RunConfig, text: str) -> RunConfig:
    return replace(run, file=SourceFile(run.file.path, text.encode()))


def _words(said: Mapping[str, Any], reviewer: str) -> str:
    words: str = said.get("words") or said[reviewer]
    return words


def _answer(reviewer: str, given: Mapping[str, Any], said: Mapping[str, Any]) -> RecordedAnswer:
    claims = [_words(said[name], reviewer) for name in given["says"]]
    text = "\n".join(f"{number}. {words}" for number, words in enumerate(claims, 1))
    ready = given.get("ready", False)
    raw = {"is_code_ready": ready, "code_issue": text}
    return read_answer(json.dumps(raw, indent=2), REVIEWERS[reviewer])


def _records(
    submission: Submission,
    attempt: Mapping[str, Any],
    has: list[Mapping[str, Any]],
    said: Mapping[str, Any],
) -> Iterator[Any]:
    at = attempt["at"]
    if "decided" in attempt:
        author = Author(PERSON, PERSON, PERSON, key=_KEY)
        yield AuthorName(_KEY, Given.NAMED, PERSON, at)
        ready, reason = attempt["decided"]
        verdict = Verdict.READY if ready else Verdict.NOT_READY
        yield Decision(verdict, reason, author, at + _DECIDED)
        for place, (reviewer, name, ruling, reason) in enumerate(attempt.get("ruled", [])):
            id = _finding(submission, reviewer, _words(said[name], reviewer))
            when = at + _DECIDED - timedelta(minutes=10 - place)
            yield FindingRuling(id, Ruling(ruling), reason, author, when)
    if "ran" in attempt:
        stops = [each for each in has if "error" in each]
        stage, output, code = Stage(attempt["ran"]), "all runs finished\n", 0
        if stops and (stage is Stage.FULL or stops[0].get("stage") != "full"):
            output, code = _output(submission, stops[0]), stops[0].get("code", 1)
        yield outcome_of_run(submission, output, code, stage, at + _RUN)[0]


def _finding(submission: Submission, reviewer: str, words: str) -> str:
    """The id of the finding that a reviewer's claim becomes."""
    answers = {answer.model: answer for answer in submission.recorded}
    text = answers[REVIEWERS[reviewer]].text or ""
    found = check_claims(text, Facts(submission), ()).findings
    wanted = [each for each in found if each.claim and each.claim.rstrip(".") in words]
    if len(wanted) != 1:
        raise ValueError(f"{words!r} became {len(wanted)} findings of {reviewer}")
    return wanted[0].id


def _output(submission: Submission, defect: Mapping[str, Any]) -> str:
    printed = ["Traceback (most recent call last):"] * ("frames" in defect)
    for path, function, piece in defect.get("frames", []):
        rows = submission.by_path[path].text.splitlines()
        # The last one is the call: what defines or imports a name stands above it.
        line = max(at for at, row in enumerate(rows, 1) if piece in row)
        place = f'  File "/runs/{submission.name}/{path}", line {line}, in {function}'
        printed += [place, f"    {rows[line - 1].strip()}"]
    return "\n".join([*printed, defect["error"], ""])


if __name__ == "__main__":
    text = "".join(f"{line}\n" for line in lines())
    packed = lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)
    sample_history().write_bytes(packed)
    print(f"{sample_history()}: {len(packed):,} bytes, {len(text):,} unpacked")
