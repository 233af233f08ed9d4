"""Our own export: one submission as a JSON object (`areachair.submission/1`)."""

import base64
import binascii
from collections.abc import Iterable, Mapping
from dataclasses import fields
from datetime import datetime

from reviewers.bundles.answer import read_answer
from reviewers.bundles.dating import date_json, parse_date
from reviewers.bundles.final_checks import finished
from reviewers.bundles.json_text import file_bytes
from reviewers.errors import BundleError
from reviewers.records import (
    ContractSource,
    DatedBy,
    GivenContract,
    PassedOver,
    RecordedAnswer,
    ResearchContext,
    RunConfig,
    SourceFile,
    Submission,
    Verdict,
)

SCHEMA = "areachair.submission/1"
_FIELDS = {each.name for each in fields(Submission)} - {"generated", "remarks"} | {
    *("schema", "generated_at", "dated_by", "date_is_guess")
}
_STATED = ("method", "model", "dataset")  # of a run, beside its YAML
_ANSWER = ("raw", "text", "verdict", "failure", "model")
_MAX_TEXT = 300  # characters of a name or run id, which come from file names


def submission_to_json(submission: Submission) -> dict[str, object]:
    """Return a submission with its recorded answers in the form that `read_submission_json` reads
    back to an equal one.
    """
    context, base, contract = submission.context, submission.base, submission.contract
    return {
        "schema": SCHEMA,
        "name": submission.name,
        "source": submission.source,
        "lineage": submission.lineage,
        "attempt": submission.attempt,
        "generator": submission.generator,
        "contract": contract and {"source": str(contract.source), "text": contract.text},
        **date_json(submission.generated),
        "files": {file.path: _content(file) for file in submission.files},
        "runs": [
            {
                "run_id": run.run_id,
                "path": run.file.path,
                "yaml": _content(run.file),
                **{name: getattr(run, name) for name in _STATED},
            }
            for run in submission.runs
        ],
        "context": {
            "hypothesis": dict(context.hypothesis),
            "method": context.method,
            "design": dict(context.design),
            "primary_metric": context.primary_metric,
            "criteria": context.criteria,
        },
        "recorded": [
            {name: getattr(answer, name) for name in _ANSWER} for answer in submission.recorded
        ],
        **_passed_over(submission),
        **({} if base is None else {"base": submission_to_json(base)}),
    }


def read_submission_json(value: object, source: str, *, exact: bool = False) -> Submission:
    """Read one submission from its export.

    Args:
        source: the path from which it came; the export's own `source` is not believed.
        exact: as for `finished`.

    Raises:
        BundleError: a field is missing, unknown or not of its kind, or what it holds breaks a
            limit.
    """
    root = _Object(value, "", source)
    if root.get("schema") == "areachair.record/1":
        raise BundleError(
            source, "it is the export of a store; name the file itself, not its folder"
        )
    if root.get("schema") != SCHEMA:
        raise BundleError(
            source, f"it is not an export of areachair: its `schema` is not {SCHEMA!r}"
        )
    root.allow(*_FIELDS)
    base = None if root.get("base") is None else read_submission_json(root.get("base"), source)
    if base is not None and (base.base is not None or not base.is_base):
        raise root.wrong("base", "must be base code: `attempt` 0, and no base of its own")
    files = root.mapping("files")
    return finished(
        Submission(
            name=root.short("name"),
            source=source,
            files=tuple(
                SourceFile(path, _bytes(content, path, source)) for path, content in files.items()
            ),
            runs=tuple(
                _run(_Object(run, f"runs[{index}]", source))
                for index, run in enumerate(root.sequence("runs"))
            ),
            context=read_context(root.mapping("context"), source),
            recorded=read_recorded(root.sequence("recorded"), source),
            lineage=root.text_or_none("lineage"),
            attempt=root.attempt(),
            generator=None if root.get("generator") is None else root.short("generator"),
            contract=_contract(root.mapping("contract"), source) if root.get("contract") else None,
            base=base,
            passed_over=tuple(
                _passed(_Object(each, f"passed_over[{index}]", source))
                for index, each in enumerate(root.sequence("passed_over"))
            ),
        ),
        *root.date(),
        exact=exact,
    )


def _contract(value: Mapping[str, object], source: str) -> GivenContract:
    given = _Object(value, "contract", source)
    given.allow("source", "text")
    if given.get("source") not in list(ContractSource):
        raise BundleError(source, "contract.source: it is not one of the known sources")
    return GivenContract(ContractSource(str(given.get("source"))), given.text("text"))


def read_context(value: object, source: str) -> ResearchContext:
    """Read a research context from the fields of `ResearchContext`; each may be left out.

    Raises:
        BundleError: a field is unknown or not of its kind.
    """
    context = _Object(value, "context", source)
    context.allow("hypothesis", "method", "design", "primary_metric", "criteria")
    return ResearchContext(
        hypothesis=context.texts("hypothesis"),
        method=context.text_or_none("method"),
        design=context.texts("design"),
        primary_metric=context.text_or_none("primary_metric"),
        criteria=context.text_or_none("criteria"),
    )


def read_recorded(values: list[object], source: str) -> tuple[RecordedAnswer, ...]:
    """Read recorded answers; one that gives only `raw` (and `model`) is read as a log's answer
    would be.

    Raises:
        BundleError: a field is unknown, not of its kind, or there are both a verdict and a failure.
    """
    answers = []
    for index, value in enumerate(values):
        answer = _Object(value, f"recorded[{index}]", source)
        answer.allow(*_ANSWER)
        raw, model = answer.text("raw"), answer.text_or_none("model")
        verdict, failure = answer.text_or_none("verdict"), answer.text_or_none("failure")
        if verdict is None and failure is None:
            answers.append(read_answer(raw, model))
            continue
        if verdict not in (None, *Verdict) or (verdict is not None and failure is not None):
            raise answer.wrong("verdict", "must be 'ready', 'not_ready', or null beside a failure")
        given = Verdict(verdict) if verdict else None
        answers.append(RecordedAnswer(raw, given, answer.text_or_none("text"), failure, model))
    return tuple(answers)


class _Object:
    """One object of the export; each field is asked for by its kind, and the error names where it
    stands.
    """

    def __init__(self, value: object, place: str, source: str) -> None:
        self._place, self.source = place, source
        if not isinstance(value, Mapping):
            raise BundleError(
                source, f"{place or 'its content'} must be an object of the export's fields"
            )
        self._value = value

    def allow(self, *names: str) -> None:
        for name in self._value:
            if name not in names:
                raise self.wrong(str(name), f"is not a field of {SCHEMA}")

    def wrong(self, name: str, problem: str) -> BundleError:
        return BundleError(
            self.source, f"{self._place}{'.' if self._place else ''}{name[:100]} {problem}"
        )

    def get(self, name: str) -> object:
        return self._value.get(name)

    def text_or_none(self, name: str) -> str | None:
        value = self.get(name)
        if value is None:
            return None
        if not isinstance(value, str):
            raise self.wrong(name, "must be a text or null")
        return self._sound(name, value)

    def text(self, name: str) -> str:
        value = self.text_or_none(name)
        if value is None:
            raise self.wrong(name, "is missing; it must be a text")
        return value

    def short(self, name: str) -> str:
        value = self.text(name)
        if not value.strip() or len(value) > _MAX_TEXT:
            raise self.wrong(name, f"must have 1 to {_MAX_TEXT} characters")
        return value

    def texts(self, name: str) -> dict[str, str]:
        found = {}
        for key, value in self.mapping(name).items():
            if not isinstance(value, str):
                raise self.wrong(f"{name}.{key}", "must be a text")
            found[self._sound(name, key)] = self._sound(f"{name}.{key}", value)
        return found

    def mapping(self, name: str) -> Mapping[str, object]:
        value = self.get(name)
        if value is None:
            return {}
        if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
            raise self.wrong(name, "must be an object")
        return value

    def sequence(self, name: str) -> list[object]:
        value = self.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.wrong(name, "must be a list")
        return value

    def attempt(self) -> int | None:
        value = self.get("attempt")
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 1_000_000:
            raise self.wrong("attempt", "must be a number from 0 up, or null")
        return value

    def date(self) -> tuple[datetime | None, DatedBy]:
        said, by = self.text_or_none("generated_at"), self.text_or_none("dated_by")
        try:
            known_by = DatedBy(by or DatedBy.CONTENT)
        except ValueError:
            raise self.wrong("dated_by", f"must be one of {', '.join(DatedBy)}, or null") from None
        try:
            return parse_date(said) if said is not None else None, known_by
        except ValueError:
            raise self.wrong("generated_at", "must be a date of ISO 8601, or null") from None

    def _sound(self, name: str, value: str) -> str:
        if "\0" in value:
            raise self.wrong(name, "contains a NUL byte; remove it")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise self.wrong(name, "contains half of a surrogate pair; remove it") from None
        return value


def _run(run: _Object) -> RunConfig:
    run.allow("run_id", "path", "yaml", *_STATED)
    path = run.text("path")
    if run.get("yaml") is None:
        raise run.wrong("yaml", "is missing; it must be a text")
    return RunConfig(
        run_id=run.short("run_id"),
        file=SourceFile(path, _bytes(run.get("yaml"), path, run.source)),
        **{name: run.text_or_none(name) for name in _STATED},
    )


def passed_over_json(passed: Iterable[PassedOver]) -> list[dict[str, object]]:
    """Return what is not kept as plain values."""
    return [{"path": each.path, "reason": each.reason, "size": each.size} for each in passed]


def _passed_over(submission: Submission) -> dict[str, object]:
    passed = passed_over_json(submission.passed_over)
    return {"passed_over": passed} if passed else {}


def _passed(value: "_Object") -> PassedOver:
    value.allow("path", "reason", "size")
    size = value.get("size")
    if size is not None and (not isinstance(size, int) or isinstance(size, bool) or size < 0):
        raise value.wrong("size", "must be a number of bytes, or null")
    return PassedOver(value.text("path"), value.text("reason"), size)


def _content(file: SourceFile) -> object:
    try:
        return file.data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(file.data).decode("ascii")}


def _bytes(content: object, path: str, source: str) -> bytes:
    if isinstance(content, str):
        return file_bytes(content)
    if (
        isinstance(content, Mapping)
        and set(content) == {"base64"}
        and isinstance(content["base64"], str)
    ):
        try:
            return base64.b64decode(content["base64"], validate=True)
        except (binascii.Error, ValueError):
            pass
    raise BundleError(source, f"the content of {path[:200]!r} must be a text or {{'base64': '…'}}")


def utf8(data: bytes, source: str) -> str:
    """Return the text of a JSON file.

    Raises:
        BundleError: it is not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BundleError(
            source, f"byte {error.start} is not UTF-8; save the file as UTF-8"
        ) from None
