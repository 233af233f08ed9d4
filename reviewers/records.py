"""The records of areachair: frozen values with no behaviour beyond their own fields."""

import codecs
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from math import inf

from reviewers.source_encoding import UTF8, BadByte, bad_byte, declared, decoded


def lines_of(text: str) -> list[str]:
    """The lines of a text without their ends, as Python counts them: form feeds and Unicode
    separators end no line.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


class Verdict(StrEnum):
    """A reviewer's or a person's answer to "can it run as it stands?"."""

    READY = "ready"
    NOT_READY = "not_ready"


class Severity(StrEnum):
    """How bad a finding is; a blocker stops a documented command or breaks a hard rule of the
    rubric.
    """

    BLOCKER = "blocker"
    MAJOR = "major"
    MINOR = "minor"

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return _RANKS[self]


_RANKS = {severity: rank for rank, severity in enumerate(Severity)}


class Check(StrEnum):
    """The result of checking a finding against the code."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    UNVERIFIED = "unverified"


class Misreading(StrEnum):
    """Why a reviewer whose claim is refuted was wrong."""

    PROMPT_ARTIFACT = "prompt-artifact"
    WRONG_LOCATION = "wrong-location"
    STALE_VERSION_KNOWLEDGE = "stale-version-knowledge"
    INVENTED_REQUIREMENT = "invented-requirement"
    MISREAD_CODE = "misread-code"


class Ruling(StrEnum):
    """A person's ruling on one finding; `withdrawn` undoes an earlier one."""

    CONFIRM = "confirm"
    DISMISS = "dismiss"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a submission.

    Attributes:
        file: path within the submission, with forward slashes.
        line: first line, 1-based; None for a finding about the whole file or about something
            absent.
        end_line: last line, inclusive; None exactly if `line` is None.
    """

    file: str
    line: int | None = None
    end_line: int | None = None

    def __post_init__(self) -> None:
        if self.line is not None and self.end_line is None:
            object.__setattr__(self, "end_line", self.line)

    def is_near(self, other: "Span", lines: int = 0) -> bool:
        """Whether both are in one file, at most this many lines apart; 0 means that they share a
        line.
        """
        return self.file == other.file and self.apart(other) <= lines

    def apart(self, other: "Span") -> float:
        """How many lines lie between two places of one file: at most 0 where they share a line,
        without end where one is about the whole file.
        """
        if self.line is None or other.line is None:
            return inf
        mine, its = self.end_line or self.line, other.end_line or other.line
        return max(self.line - its, other.line - mine)

    def __str__(self) -> str:
        if self.line is None:
            return self.file
        return (
            f"{self.file}:{self.line}"
            if self.end_line == self.line
            else f"{self.file}:{self.line}-{self.end_line}"
        )


class Found(StrEnum):
    """How the place of a claim was found."""

    LINE = "line"  # the claim names the line
    QUOTE = "quote"  # the code that it quotes is there
    NEAR = "near"  # the text most similar to its quote
    DEFINITION = "definition"  # what it names is defined there
    USE = "use"  # what it names is used there
    PROOF = "proof"  # the code that decides it
    ANCHOR = "anchor"  # claims of its kind are about this place
    BORROWED = "borrowed"  # mentioned in the surrounding text
    WORDS = "words"  # its words match the code there
    FILE = "file"  # the whole file that it names
    SYMPTOM = "symptom"  # a symptom of a rule's finding
    AGAIN = "again"  # a rule's finding also applies there


@dataclass(frozen=True, slots=True)
class Place:
    """A place that a claim may mean, or a further place of a rule's finding.

    Attributes:
        note: what a reader should know about it; may be empty.
    """

    span: Span
    found: Found
    note: str = ""


OWN_GENERATOR = "areachair"
"""The generator of what we made ourselves: repaired versions of submissions."""
OWN_SOURCE = "repaired by areachair from submission "
"""The source of such a version; the beginning of the id of what it was made of follows."""
OFFLINE = "offline"
"""The default reader of claims."""
NOT_READ = "Not understood, so not checked"
NOTHING_PROVES = "Static analysis of the code neither confirms nor refutes this"


@dataclass(frozen=True, slots=True)
class FactCheck:
    """The fact check of a finding.

    Attributes:
        evidence: one sentence that a person can verify in seconds.
        span: the place that shows it, if there is one.
        misreading: why the reviewer was wrong; only ever given with `Check.REFUTED`.
    """

    result: Check
    evidence: str
    span: Span | None = None
    misreading: Misreading | None = None

    @property
    def known(self) -> str:
        """What is known for or against it; empty if nothing is."""
        if self.evidence.startswith(NOT_READ):
            return self.evidence.partition("; ")[2]
        return self.evidence.removeprefix(NOTHING_PROVES).removeprefix("; ")


@dataclass(frozen=True, slots=True)
class Statement:
    """One part of a finding, checked separately.

    Attributes:
        claim: what it says; a proposition in plain English, or the reviewer's own words.
        span: its place, if known.
        category: as of a finding; None if it is the same as the finding's.
        says: its proposition as JSON; empty if it was not read separately.
    """

    claim: str
    check: FactCheck
    span: Span | None = None
    category: str | None = None
    says: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """How a claim was read, and what its fact check looked at.

    Attributes:
        reader: who read it: `file`, `offline`, a model's name, a person.
        proposition: its JSON text; empty if it was not read.
        sentence: the same in plain English.
        why_not: why it counts as not read; empty if it was read.
        looked_at: what was looked at ("4 files").
        otherwise: readers who read it differently, with their readings.
    """

    reader: str
    proposition: str = ""
    sentence: str = ""
    why_not: str = ""
    looked_at: tuple[str, ...] = ()
    otherwise: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One defect, wherever it comes from.

    Attributes:
        id: fingerprint without line numbers: rule, file, enclosing definition,
            normalised code.
        rule: id of the rule that found it; None for a claim.
        kind: the predicate of what a claim says (`parses`, `has_key`, …); None if nobody has
            read it, and for a rule's finding.
        claim: the reviewer's own words; None for a rule's finding.
        claim_at: start and end (exclusive) of the claim in the review's text, in characters.
        criterion: number in the rubric, 1 to 9, None if a claim fits none.
        category: failure category, stable over rubric versions; `uncategorised` if a claim fits
            none.
        span: None if no place was found.
        places: the places that a claim may mean, at most four, that of `span` first; for a rule's
            finding, those besides `span`, which is the cause.
        aliases: ids it had before it was read.
        says: the proposition of a rule's finding as JSON; empty if the vocabulary cannot express
            it. That of a claim is in `understood`.
        names: names in the code that a rule's finding mentions besides `says`, and the text of the
            error; empty for a claim.
    """

    id: str
    category: str
    severity: Severity
    message: str
    check: FactCheck
    criterion: int | None = None
    span: Span | None = None
    rule: str | None = None
    kind: str | None = None
    claim: str | None = None
    claim_at: tuple[int, int] | None = None
    places: tuple[Place, ...] = ()
    parts: tuple[Statement, ...] = ()
    understood: Understood | None = None
    aliases: tuple[str, ...] = ()
    says: str = ""
    names: tuple[str, ...] = ()

    @property
    def proposition(self) -> str:
        """Its proposition as JSON; empty if it has none."""
        return self.says or (self.understood.proposition if self.understood else "")

    def judged(
        self, check: FactCheck, parts: tuple[Statement, ...], understood: Understood
    ) -> "Finding":
        """The same finding with its reading and its fact check, at the place that shows the result;
        if that is a whole file, at the lines that the claim is about. A part without a place gets
        that of the finding.
        """
        span, places = check.span or self.span, self.places
        if span and span.line is None and self.span and self.span.file == span.file:
            span = self.span
        elif check.span is not None:
            others = (place for place in places if place.span != check.span)
            places = (Place(check.span, Found.PROOF), *others)
        parts = tuple(
            part if part.span or part.check.span else replace(part, span=span) for part in parts
        )
        return replace(
            self, check=check, parts=parts, understood=understood, span=span, places=places
        )

    @property
    def statements(self) -> tuple["Finding", ...]:
        """Its parts, each as a finding of its own; the finding itself if it has none."""
        return tuple(
            replace(
                self,
                message=part.claim,
                claim=part.claim,
                check=part.check,
                span=part.check.span or part.span,
                places=self.places if part.span == self.span else (),
                category=part.category or self.category,
                kind=None,
                parts=(),
                says=part.says,
                understood=self.understood
                and replace(self.understood, proposition=part.says, sentence=""),
            )
            for part in self.parts
        ) or (self,)

    @property
    def further(self) -> tuple[Place, ...]:
        """Its places besides `span`."""
        return tuple(place for place in self.places if place.span != self.span)


def fails(
    command: str, error: str, at: Mapping[str, object] | None, *, run: str = "", mode: str = ""
) -> Mapping[str, object]:
    """Return the proposition that a command fails like this, as JSON; unknown arguments are left
    out.

    Args:
        at: file and line.
    """
    place = {name: each for name, each in at.items() if each is not None} if at else None
    told = {"command": command, "error": error, "at": place, "run": run, "mode": mode}
    return {"p": "fails", **{name: each for name, each in told.items() if each}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A failure that stops a documented command, known without running it.

    Attributes:
        step: the contract's name for the command; `install` for what comes before all others.
        command: as a person types it.
        run, mode: of the first start that meets it; empty if the command has none.
        error: name of the exception; empty if none is known.
        message: its text, or that of the finding that reports it.
        place: where it is raised.
        chain: how the run gets there: the places where a process is started, a file imported or a
            function called, outermost first.
        certain: False if it depends on something unknown before the run.
        starts: how many starts of the command meet it; there is one per run and mode.
        finding: id of the finding that reports it; None if none does.
    """

    step: str
    command: str
    error: str
    message: str
    place: Span
    run: str = ""
    mode: str = ""
    chain: tuple[Span, ...] = ()
    certain: bool = True
    starts: int = 1
    finding: str | None = None

    @property
    def says(self) -> Mapping[str, object]:
        """Its proposition as JSON."""
        place = {"file": self.place.file, "line": self.place.line}
        return fails(self.step, self.error, place, run=self.run, mode=self.mode)

    @property
    def said(self) -> str:
        """The exception with its text, as Python would print it."""
        is_said = not self.error or re.search(rf"\b{re.escape(self.error)}\b", self.message)
        return self.message if is_said else f"{self.error}: {self.message}"

    @property
    def sentence(self) -> str:
        """A complete description in one sentence."""
        line = "" if self.place.line is None else f" line {self.place.line}"
        stops = "stops" if self.certain else "may stop"
        return f"`{self.command}` {stops} in `{self.place.file}`{line}: {self.said}"


@dataclass(frozen=True, slots=True)
class Followed:
    """One documented command of a dry run.

    Attributes:
        step: the contract's name for it.
        command: as a person types it for the first run.
        starts: how many of its starts were followed; 0 if none could be.
        runs, modes: the numbers of runs and modes in these starts.
    """

    step: str
    command: str
    starts: int = 0
    runs: int = 0
    modes: int = 0


@dataclass(frozen=True, slots=True)
class DryRun:
    """The failures that a run would meet, known without running anything.

    Attributes:
        commands: in the order of the pipeline.
        failures: in the order in which a run meets them, each once.
        left_out: what was not followed, one line each.
        unsure: the number of statements under conditions that only a run decides.
    """

    commands: tuple[Followed, ...] = ()
    failures: tuple[Failure, ...] = ()
    left_out: tuple[str, ...] = ()
    unsure: int = 0

    @property
    def first(self) -> Failure | None:
        """The first certain failure, else the first possible one."""
        certain = (failure for failure in self.failures if failure.certain)
        return next(certain, next(iter(self.failures), None))

    def of(self, step: str) -> tuple[Failure, ...]:
        """The failures of one command in order, with the first certain one moved to the front."""
        own = [failure for failure in self.failures if failure.step == step]
        first = next((failure for failure in own if failure.certain), None)
        return tuple(own if first is None else [first, *(one for one in own if one is not first)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """One reviewer's answer on one submission.

    Attributes:
        reviewer: `rules`, `recorded`, `openai:MODEL`, …
        verdict: None exactly if `failure` gives the reason.
        text: the free text that contains the claims, repaired for reading; None if there is none.
        raw: the original answer; None for reviewers that are not asked for text.
        seconds, input_tokens, cached_tokens, output_tokens, cost_usd: None if unknown; unknown
        is not 0. Cached tokens are
            among the input, those of reasoning among the output.
        prompt: name and version of the model's prompt template, such as `findings/3`; None for
            other reviewers.
        request: id of the request that was answered; None for other reviewers.
        revises: `request` of the earlier review that this rebuttal revises; None otherwise.
        version: version of our code that made this review; None for other reviewers, or if another
            run may find more.
        partial: why the review is partial, one line each: rules that stopped, files that are too
            large. What they would have found is unknown; empty for a complete review.
        dry_run: the dry run; None for reviewers without one.
    """

    reviewer: str
    verdict: Verdict | None
    findings: tuple[Finding, ...] = ()
    model: str | None = None
    failure: str | None = None
    text: str | None = None
    raw: str | None = None
    seconds: float | None = None
    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    prompt: str | None = None
    request: str | None = None
    revises: str | None = None
    version: str | None = None
    partial: tuple[str, ...] = ()
    dry_run: DryRun | None = None

    def __post_init__(self) -> None:
        if (self.verdict is None) == (self.failure is None):
            raise ValueError("a review has a verdict or a failure, and never both")

    @property
    def partial_words(self) -> str:
        """One sentence on why it is partial; empty if it is complete."""
        return partial_words(self.partial)

    def count(self, result: Check) -> int:
        """Number of findings with this fact check."""
        return sum(finding.check.result is result for finding in self.findings)


_PARTS_NAMED = 5


def partial_words(parts: Sequence[str]) -> str:
    """Say in one sentence what a partial review lacks; empty if it is complete."""
    if not parts:
        return ""
    more = len(parts) - _PARTS_NAMED
    named = "; ".join(parts[:_PARTS_NAMED]) + (f"; and {more} more" if more > 0 else "")
    what = counted(len(parts), "part")
    return f"partial: {what} stopped or left out, what would be found there is not known: {named}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """A reviewer's track record; people's rulings and decisions overrule fact checks.

    Attributes:
        confirmed, refuted: its claims by fact check, without unverified ones; 0 for the rules,
            whose findings are confirmed by construction.
        agreed, disagreed: its verdicts compared with people's decisions.
        upheld: its `not_ready` on undecided submissions with a proven blocker.
        contradicted: its `ready` on those submissions.
    """

    confirmed: int = 0
    refuted: int = 0
    agreed: int = 0
    disagreed: int = 0
    upheld: int = 0
    contradicted: int = 0

    @property
    def claims(self) -> int:
        """The number of claims with a result."""
        return self.confirmed + self.refuted

    @property
    def verdicts(self) -> int:
        """The number of verdicts with a result."""
        return self.agreed + self.disagreed + self.upheld + self.contradicted

    @property
    def cases(self) -> int:
        """The number of all cases with a result."""
        return self.claims + self.verdicts

    @property
    def weight(self) -> float:
        """The weight of its vote, strictly between 0 and 1: the posterior mean of a Beta
        distribution.

        The prior is Beta(2, 2), as if it had been right twice and wrong twice: 0.5 for a reviewer
        without history, and one lucky answer changes it little. Each verdict counts as one case,
        each claim as a quarter, since the many claims of a review are correlated.
        """
        right = _PRIOR + self.agreed + self.upheld + self.confirmed * _CLAIM
        wrong = _PRIOR + self.disagreed + self.contradicted + self.refuted * _CLAIM
        return right / (right + wrong)

    def __str__(self) -> str:
        """The past in words, such as "agreed with people in 3 of 4 decisions, 12 of 15 claims borne
        out".
        """
        decided, proven = self.agreed + self.disagreed, self.upheld + self.contradicted
        known = (
            (decided, f"agreed with people in {self.agreed} of {counted(decided, 'decision')}"),
            (
                proven,
                (
                    f"saw {self.upheld} of {counted(proven, 'submission')} that the rules stop as"
                    " not ready"
                ),
            ),
            (self.claims, f"{self.confirmed} of {counted(self.claims, 'claim')} confirmed"),
        )
        return ", ".join(words for number, words in known if number) or "nothing known yet"


_PRIOR = 2.0
_CLAIM = 0.25


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, such as "1 run" or "2,000 runs"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def moment(at: datetime) -> str:
    """Return a time as ISO 8601 in UTC, with microseconds, so that texts sort as times do."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def reliability_name(reviewer: str, model: str | None) -> str:
    """Return the name of a reviewer's track record: `recorded` does not say who answered, so its
    model is added.
    """
    return f"{reviewer} {model}" if reviewer == "recorded" and model else reviewer


@dataclass(frozen=True)
class SourceFile:
    """One file of a submission, byte for byte.

    Attributes:
        path: relative, forward slashes, inside the submission.
        repaired: the text for reading if the bytes were once decoded wrongly, with the same number
            of lines; else None.
    """

    path: str
    data: bytes
    repaired: str | None = None

    @cached_property
    def text(self) -> str:
        """The text that the interpreter sees: UTF-8 with undecodable bytes as U+FFFD; for a Python
        file, the encoding that it declares, if its bytes are valid in it.
        """
        if self.path.endswith(".py") and b"coding" in self.data:
            head = declared(self.data)
            if head.name != UTF8 and not head.marked:
                text = decoded(self.data, head.name)
                if text is not None:
                    return text
        return self.data.decode("utf-8-sig", errors="replace")

    @cached_property
    def bad_byte(self) -> BadByte | None:
        """The first byte that is not UTF-8; None if all are."""
        return bad_byte(self.data)

    @cached_property
    def reading(self) -> str:
        """The text for a person's eyes, line by line that of the file; bytes that are not text are
        spelled out (`\\xe9`).
        """
        if self.repaired is not None:
            return self.repaired
        if "\N{REPLACEMENT CHARACTER}" not in self.text or self.bad_byte is None:
            return self.text
        if self.data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            wide = self.data.decode("utf-16", "backslashreplace")
            if len(lines_of(wide)) == len(lines_of(self.text.rstrip("\0"))):
                return wide
        return self.data.decode("utf-8-sig", "backslashreplace")


@dataclass(frozen=True, slots=True)
class RunConfig:
    """One experiment run with its YAML.

    Attributes:
        file: the YAML as a file of the submission, `config/runs/{run_id}.yaml` or
            `config/run/{run_id}.yaml`.
        method, model, dataset: as the bundle states them beside the YAML; None if it does not.
    """

    run_id: str
    file: SourceFile
    method: str | None = None
    model: str | None = None
    dataset: str | None = None


@dataclass(frozen=True, slots=True)
class ResearchContext:
    """What the experiment is for, in the words of the bundle, repaired for reading.

    Attributes:
        hypothesis: field name to text (open_problems, method, …), in the bundle's order.
        design: field name to text (Strategy, Proposed Method, …), in the bundle's order.
        primary_metric: the hypothesis' exact words.
        criteria: the rubric that the recorded reviewer was given.
    """

    hypothesis: Mapping[str, str] = field(default_factory=dict)
    method: str | None = None
    design: Mapping[str, str] = field(default_factory=dict)
    primary_metric: str | None = None
    criteria: str | None = None


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """A reviewer's answer in a log; `failure` says why there is no verdict."""

    raw: str
    verdict: Verdict | None
    text: str | None = None
    failure: str | None = None
    model: str | None = None


class ContractSource(StrEnum):
    """Where the contract of a submission comes from; an earlier source wins."""

    PERSON = "person"  # a person chose it
    OPTION = "option"  # the command line named it
    PROMPT = "prompt"  # read from the log's own prompt
    FILE = "file"  # an areachair.toml beside the submission
    GUESS = "guess"  # guessed from its files and code


@dataclass(frozen=True, slots=True)
class GivenContract:
    """A contract that came with a submission or was chosen for it.

    Attributes:
        text: TOML; `extends = "plain"` is the contract `plain` itself.
    """

    source: ContractSource
    text: str


class DatedBy(StrEnum):
    """Where the generation date of a submission comes from."""

    GIVEN = "given"  # a person stated it, at import or later
    CONTENT = "content"  # stated in the bundle
    COMMIT = "commit"  # the date of the first commit that contains it
    NAME = "name"  # a date in the name of the log, folder or archive
    ARCHIVE = "archive"  # the newest file in the archive

    @property
    def is_guess(self) -> bool:
        """Whether the date is a guess: all logs of one pipeline run have its start time in their
        names, and files may be repacked.
        """
        return self in (DatedBy.NAME, DatedBy.ARCHIVE)


@dataclass(frozen=True, slots=True)
class Generated:
    """When a submission was generated.

    Attributes:
        at: in UTC; midnight if only the day is known.
        by: where the date comes from.
    """

    at: datetime
    by: DatedBy


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A file or folder of a bundle that was skipped.

    Attributes:
        path: a folder's ends with a slash.
        reason: in a few words, such as "not text".
        size: in bytes; None if unknown.
    """

    path: str
    reason: str
    size: int | None = None

    def __str__(self) -> str:
        size = "" if self.size is None else f", {self.size:,} bytes"
        return f"{self.path}: {self.reason}{size}"


@dataclass(frozen=True)
class Submission:
    """One generated experiment.

    Attributes:
        name: short, for people: the bundle's file or folder name without its ending.
        source: the path as given.
        files: the submission's files sorted by path, without run configs.
        runs: in the bundle's order.
        recorded: the recorded answers in the bundle.
        lineage, attempt: the experiment, and the ordinal within the lineage, 1-based; None if
            unknown. Attempt 0 is the base code that the attempts were derived from.
        generator: its generator, such as a model or a version of a pipeline; None if unknown.
        contract: the one that came with it or was chosen for it; None if its prompt or files decide
            (`reviewers.rubric.choice`).
        generated: when it was generated; None if unknown.
        remarks: harmless problems of the bundle, one line each; not stored.
        base: the base code that it was derived from, if the bundle contains it.
        passed_over: the skipped files and folders of the bundle.
    """

    name: str
    source: str
    files: tuple[SourceFile, ...]
    runs: tuple[RunConfig, ...] = ()
    context: ResearchContext = ResearchContext()
    recorded: tuple[RecordedAnswer, ...] = ()
    lineage: str | None = None
    attempt: int | None = None
    generator: str | None = None
    contract: GivenContract | None = None
    generated: Generated | None = None
    remarks: tuple[str, ...] = field(default=(), compare=False)
    base: "Submission | None" = None
    passed_over: tuple[PassedOver, ...] = ()

    @property
    def is_base(self) -> bool:
        """Whether it is base code and not an attempt."""
        return self.attempt == 0

    @cached_property
    def id(self) -> str:
        """SHA-256 of the files, run configs and research context; names, sources, generators,
        dates and reviews do not count.
        """
        context = self.context
        content = {
            "files": {file.path: hashlib.sha256(file.data).hexdigest() for file in self.files},
            "runs": [
                [run.run_id, run.file.path, hashlib.sha256(run.file.data).hexdigest()]
                for run in self.runs
            ],
            "context": [
                dict(context.hypothesis),
                context.method,
                dict(context.design),
                context.primary_metric,
            ],
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    @cached_property
    def by_path(self) -> Mapping[str, SourceFile]:
        """Every file, run configs included, by path."""
        return {file.path: file for file in (*self.files, *(run.file for run in self.runs))}


def remarks_on(submission: Submission) -> tuple[str, ...]:
    """Return one line for each harmless problem of a bundle."""
    return tuple(f"{submission.source}: {remark}" for remark in submission.remarks)


def failure_lines(submission: Submission, failed: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return one line for each reviewer that gave no verdict on a submission, with the reason."""
    return tuple(f"{submission.source}: {reviewer}: {failure}" for reviewer, failure in failed)
