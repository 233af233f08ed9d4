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
        return list(Severity).index(self)


class Check(StrEnum):
    """Whether the code bears a finding out."""

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
    """A person's word on one finding; withdrawn takes an earlier one back."""

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
        end_line: last line, included; None exactly where `line` is None.
    """

    file: str
    line: int | None = None
    end_line: int | None = None

    def __post_init__(self) -> None:
        if self.line is not None and self.end_line is None:
            object.__setattr__(self, "end_line", self.line)

    def is_near(self, other: "Span", lines: int = 0) -> bool:
        """Whether both are lines of one file, at most so many apart; 0: they share one."""
        if self.file != other.file or self.line is None or other.line is None:
            return False
        mine, its = self.end_line or self.line, other.end_line or other.line
        return max(self.line - its, other.line - mine) <= lines

    def __str__(self) -> str:
        if self.line is None:
            return self.file
        return (
            f"{self.file}:{self.line}"
            if self.end_line == self.line
            else f"{self.file}:{self.line}-{self.end_line}"
        )


class Found(StrEnum):
    """Why a place is thought to be the one that a claim means."""

    LINE = "line"  # the claim names the line
    QUOTE = "quote"  # the code that it quotes is there
    NEAR = "near"  # the text nearest to what it quotes
    DEFINITION = "definition"  # what it names is defined there
    USE = "use"  # what it names is used there
    PROOF = "proof"  # what decides it is there
    ANCHOR = "anchor"  # claims of its kind are about this place
    BORROWED = "borrowed"  # what the words around it mention
    WORDS = "words"  # its words fit the code there
    FILE = "file"  # the whole file that it names
    SYMPTOM = "symptom"  # what a rule's finding brings about shows there
    AGAIN = "again"  # what a rule's finding says holds there, too


@dataclass(frozen=True, slots=True)
class Place:
    """A place that a claim may mean, or a further one of what a rule found.

    Attributes:
        note: what a reader should know of it; empty if it is simply there.
    """

    span: Span
    found: Found
    note: str = ""


OFFLINE = "offline"
"""The reader of the claims that nobody else was asked to read."""
NOT_READ = "Not understood, so not checked"
NOTHING_PROVES = "Static analysis of the code neither confirms nor refutes this"


@dataclass(frozen=True, slots=True)
class FactCheck:
    """What the code says to a finding.

    Attributes:
        evidence: one sentence that a person can verify in seconds.
        span: the place that shows it, where there is one.
        misreading: why the reviewer was wrong; only ever given with `Check.REFUTED`.
    """

    result: Check
    evidence: str
    span: Span | None = None
    misreading: Misreading | None = None

    @property
    def known(self) -> str:
        """What is known for or against it: the evidence without the sentence that nothing is."""
        if self.evidence.startswith(NOT_READ):
            return self.evidence.partition("; ")[2]
        return self.evidence.removeprefix(NOTHING_PROVES).removeprefix("; ")


@dataclass(frozen=True, slots=True)
class Statement:
    """One part of what a finding says, judged by itself.

    Attributes:
        claim: what it says; a proposition in plain English, or the reviewer's own words.
        span: where it stands, if that is known.
        category: as of a finding; None if it is that of the whole.
        says: as a proposition, its JSON text; empty where nobody has read it by itself.
    """

    claim: str
    check: FactCheck
    span: Span | None = None
    category: str | None = None
    says: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """How a claim was read, and what was looked at to judge it so.

    Attributes:
        reader: who read it: `file`, `offline`, a model's name, a person.
        proposition: its JSON text; empty if it was not read.
        sentence: the same in plain English.
        why_not: why it counts as not read; empty if it was read.
        looked_at: what was looked at ("4 files").
        otherwise: who read it otherwise, and how they did.
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
        category: failure category, stable over rubric versions; `uncategorised` where a claim fits
            none.
        span: None when no place could be found.
        places: the places that a claim may mean, at most four, that of `span` first; of a rule's
            finding those besides `span`, which is the cause.
        aliases: ids that it had before it was read.
        says: of a rule's finding what it says as a proposition, its JSON text; empty if the
            vocabulary cannot say it. That of a claim is how it was `understood`.
        names: what a rule's finding names of the code beside what it `says`, and the text of the
            error; empty for a claim, whose words name it.
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
        """What it says as a proposition, its JSON text; empty if that is not known."""
        return self.says or (self.understood.proposition if self.understood else "")

    def judged(
        self, check: FactCheck, parts: tuple[Statement, ...], understood: Understood
    ) -> "Finding":
        """The same as it was read, with what the code says to that, at the place that shows it;
        where that is a whole file, at the lines of it that the claim is about. A part that names
        no place is about the place of the whole.
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
        """Its parts, each as a finding by itself; itself if it has none."""
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
                understood=self.understood
                and replace(self.understood, proposition=part.says, sentence=""),
            )
            for part in self.parts
        ) or (self,)

    @property
    def further(self) -> tuple[Place, ...]:
        """Its places besides that of `span`."""
        return tuple(place for place in self.places if place.span != self.span)


def fails(
    command: str, error: str, at: Mapping[str, object] | None, *, run: str = "", mode: str = ""
) -> Mapping[str, object]:
    """Return the proposition that a command fails so, in JSON; what is not known is left out.

    Args:
        at: file and line.
    """
    place = {name: each for name, each in at.items() if each is not None} if at else None
    told = {"command": command, "error": error, "at": place, "run": run, "mode": mode}
    return {"p": "fails", **{name: each for name, each in told.items() if each}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What stops a documented command, as far as that is known without running it.

    Attributes:
        step: the contract's name for the command; `install` for what comes before all others.
        command: as a person types it.
        run, mode: with which it is met first; empty if the command knows none.
        error: name of the exception; empty if none is known.
        message: its text, or that of the finding which tells it.
        place: where it is raised.
        chain: how the run gets there: where a process is started, a file imported, a function
            called, the outermost first.
        certain: False if it depends on what is not known before the run.
        starts: how many of the command's starts meet it, one for each run and mode.
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
        """The same as a proposition, in JSON."""
        place = {"file": self.place.file, "line": self.place.line}
        return fails(self.step, self.error, place, run=self.run, mode=self.mode)

    @property
    def said(self) -> str:
        """The exception with its text, as Python would print it."""
        is_said = not self.error or re.search(rf"\b{re.escape(self.error)}\b", self.message)
        return self.message if is_said else f"{self.error}: {self.message}"

    @property
    def sentence(self) -> str:
        """All that a reader needs, in one sentence."""
        line = "" if self.place.line is None else f" line {self.place.line}"
        stops = "stops" if self.certain else "may stop"
        return f"`{self.command}` {stops} in `{self.place.file}`{line}: {self.said}"


@dataclass(frozen=True, slots=True)
class Followed:
    """One documented command of a dry run.

    Attributes:
        step: the contract's name for it.
        command: as a person types it for the first run.
        starts: how many starts of it were followed; 0 where none could be.
        runs, modes: how many runs and modes these are of.
    """

    step: str
    command: str
    starts: int = 0
    runs: int = 0
    modes: int = 0


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a run would meet, as far as that is known without running anything.

    Attributes:
        commands: in the order in which a pipeline gives them.
        failures: in the order in which they are met, each once.
        left_out: what was not followed, a line each.
        unsure: how many statements are reached under conditions that only a run can tell.
    """

    commands: tuple[Followed, ...] = ()
    failures: tuple[Failure, ...] = ()
    left_out: tuple[str, ...] = ()
    unsure: int = 0

    @property
    def first(self) -> Failure | None:
        """What is met first: the first that is certain, else the first that may be met."""
        certain = (failure for failure in self.failures if failure.certain)
        return next(certain, next(iter(self.failures), None))

    def of(self, step: str) -> tuple[Failure, ...]:
        """The failures of one command in their order, but the first certain one before them all."""
        own = [failure for failure in self.failures if failure.step == step]
        first = next((failure for failure in own if failure.certain), None)
        return tuple(own if first is None else [first, *(one for one in own if one is not first)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """One reviewer's answer on one submission.

    Attributes:
        reviewer: `rules`, `recorded`, `openai:MODEL`, …
        verdict: None exactly where `failure` says why there is none.
        text: the free text in which claims stand, repaired for reading; None if there is none.
        raw: the answer as it came, byte for byte as text; None for reviewers that answer with
            values.
        seconds, input_tokens, cached_tokens, output_tokens, cost_usd: None if unknown; unknown
        is not 0. Cached tokens are
            among the input, those of reasoning among the output.
        prompt: template and version that asked a model, such as `findings/3`; None for other
            reviewers.
        request: id of the request that was answered; None for other reviewers.
        revises: `request` of the earlier review that this one looked at again; None for a first
            look.
        version: of our own code that made all of this review; None if another reviewer made it,
            or where another run may find more.
        partial: what keeps this from being the whole review, a line each: rules that stopped,
            files that are too large to be looked at. What they would have found is not known;
            empty for a whole review.
        dry_run: what a run would meet; None for reviewers that do not look for that.
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
        """That it is partial, in one sentence; empty if it is whole."""
        return partial_words(self.partial)

    def count(self, result: Check) -> int:
        """Number of findings with this fact check."""
        return sum(finding.check.result is result for finding in self.findings)


_PARTS_NAMED = 5


def partial_words(parts: Sequence[str]) -> str:
    """Say in one sentence what a partial review lacks; empty if it lacks nothing."""
    if not parts:
        return ""
    more = len(parts) - _PARTS_NAMED
    named = "; ".join(parts[:_PARTS_NAMED]) + (f"; and {more} more" if more > 0 else "")
    what = counted(len(parts), "part")
    return f"partial: {what} stopped or left out, what would be found there is not known: {named}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """What a reviewer's past says of it; a person's rulings and decisions overrule what the code
    was found to say.

    Attributes:
        confirmed, refuted: its claims by fact check, those that are open left out; 0 for the rules,
            whose findings are confirmed by construction.
        agreed, disagreed: its verdicts beside people's decisions on the same submissions.
        upheld: its `not_ready` on submissions without a decision where the rules prove a blocker.
        contradicted: its `ready` on such submissions.
    """

    confirmed: int = 0
    refuted: int = 0
    agreed: int = 0
    disagreed: int = 0
    upheld: int = 0
    contradicted: int = 0

    @property
    def claims(self) -> int:
        """Claims that something is known of."""
        return self.confirmed + self.refuted

    @property
    def verdicts(self) -> int:
        """Verdicts that something is known of."""
        return self.agreed + self.disagreed + self.upheld + self.contradicted

    @property
    def cases(self) -> int:
        """All that something is known of."""
        return self.claims + self.verdicts

    @property
    def weight(self) -> float:
        """How far its word goes, strictly between 0 and 1: the mean of a Beta distribution after
        what is known.

        The prior is Beta(2, 2), as if it had been right twice and wrong twice: 0.5 for a reviewer
        without a past, and one lucky answer moves it little. Each verdict counts as one case; each
        claim as a quarter, since a review has many and they stand or fall together.
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
            (self.claims, f"{self.confirmed} of {counted(self.claims, 'claim')} borne out"),
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
    """Return the name under which a reviewer's past is kept: `recorded` says nothing of who
    answered, so its model is added.
    """
    return f"{reviewer} {model}" if reviewer == "recorded" and model else reviewer


@dataclass(frozen=True)
class SourceFile:
    """One file of a submission, byte for byte.

    Attributes:
        path: relative, forward slashes, inside the submission.
        repaired: the text for reading where the bytes were decoded wrongly once, with as many
            lines; else None.
    """

    path: str
    data: bytes
    repaired: str | None = None

    @cached_property
    def text(self) -> str:
        """What the interpreter would see: UTF-8, undecodable bytes as U+FFFD; a Python file in the
        encoding that it declares, where its bytes are in that.
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
    """A reviewer's answer as a log holds it; no verdict means that it could not be read, and
    `failure` says why.
    """

    raw: str
    verdict: Verdict | None
    text: str | None = None
    failure: str | None = None
    model: str | None = None


class ContractSource(StrEnum):
    """How it is known which contract a submission was made for; the earlier one wins."""

    PERSON = "person"  # somebody chose it on screen
    OPTION = "option"  # the command line named it
    PROMPT = "prompt"  # the log's own prompt says it
    FILE = "file"  # an areachair.toml lies beside the submission
    GUESS = "guess"  # its files and code look like it


@dataclass(frozen=True, slots=True)
class GivenContract:
    """A contract that came with a submission or was chosen for it.

    Attributes:
        text: TOML; `extends = "plain"` is the contract `plain` itself.
    """

    source: ContractSource
    text: str


class DatedBy(StrEnum):
    """How it is known when a submission was generated."""

    GIVEN = "given"  # a person said it at the import, or later
    CONTENT = "content"  # the bundle itself says so
    COMMIT = "commit"  # when the commit was written that first holds it
    NAME = "name"  # the log's, folder's or archive's name holds a date
    ARCHIVE = "archive"  # the newest of the archive's files

    @property
    def is_guess(self) -> bool:
        """Whether nobody says that the submission was generated then: all logs of one run of a
        pipeline have the time of its start in their names, and files may be packed again.
        """
        return self in (DatedBy.NAME, DatedBy.ARCHIVE)


@dataclass(frozen=True, slots=True)
class Generated:
    """When a submission was generated.

    Attributes:
        at: in UTC; midnight where only the day is known.
        by: how it is known.
    """

    at: datetime
    by: DatedBy


@dataclass(frozen=True, slots=True)
class PassedOver:
    """Something that lay in a bundle and is not kept.

    Attributes:
        path: a folder's ends with a slash.
        reason: in a few words, such as "not text".
        size: in bytes; None if nobody counted.
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
        files: the submission's own files sorted by path, run configs not among them.
        runs: in the bundle's order.
        recorded: the answers that the bundle brings along.
        lineage, attempt: which experiment, and its ordinal within the lineage, 1-based; None
            where unknown. Attempt 0 is base code: what the attempts were derived from.
        generator: what generated it, such as a model or a version of a pipeline; None if
            unknown.
        contract: the one that was given with it or chosen for it; None if its prompt or its
            files must tell (`reviewers.rubric.choice`).
        generated: when it was generated; None if unknown.
        remarks: what was wrong with the bundle and refused nothing, a line each; not kept.
        base: the base code that it was derived from, where the bundle shows it.
        passed_over: what lay in the bundle and is not kept.
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
        """Whether it is base code, and no attempt itself."""
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
    """Return one line for each thing that was wrong with a bundle and refused nothing."""
    return tuple(f"{submission.source}: {remark}" for remark in submission.remarks)


def failure_lines(submission: Submission, failed: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return one line for each reviewer that gave no verdict on a submission, with the reason."""
    return tuple(f"{submission.source}: {reviewer}: {failure}" for reviewer, failure in failed)
