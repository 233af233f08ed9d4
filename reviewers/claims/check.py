"""From a review's text to findings: each claim with its kind, its place and what the code says to
it.
"""

import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby

from reviewers import settings
from reviewers.claims.checks import Case, Checked, checks
from reviewers.claims.checks.base import partly
from reviewers.claims.cited import Cited
from reviewers.claims.claim import MOST_READ, Claim, read_claims
from reviewers.claims.clauses import Link
from reviewers.claims.kinds import OTHER, Kind, kinds
from reviewers.claims.locate import absent_note, cited_note, places
from reviewers.claims.report import ClaimsReport, judged_together
from reviewers.claims.search import Search
from reviewers.facts import Facts
from reviewers.facts.fingerprint import distinct, fingerprint
from reviewers.records import (
    NO_CHECK_KNOWS,
    NOTHING_PROVES,
    Check,
    Finding,
    Found,
    Place,
    Span,
    Statement,
)
from reviewers.steps import OutOfSteps, Steps, leave_out, part

_log = logging.getLogger(__name__)
MOST_CHECKED = 400
"""Claims of one review that are looked at; a text with more is no review, and its further claims
stay unverified.
"""
_TOO_MANY = (
    f"only the first {MOST_CHECKED} claims of a review are checked, and of these {MOST_READ:,}"
    " characters"
)


def check_text(
    text: str, facts: Facts, found: Sequence[Finding], cited: Sequence[Cited] = ()
) -> tuple[Finding, ...]:
    """Return every claim of a review as a finding; see `check_claims`."""
    return check_claims(text, facts, found, cited).findings


def check_claims(
    text: str, facts: Facts, found: Sequence[Finding], cited: Sequence[Cited] = ()
) -> ClaimsReport:
    """Turn every claim of a review into a finding; whatever stops on the way is said, and loses
    neither the claims before it nor the review.

    Args:
        text: the review's free text; `claim_at` of each finding counts in it.
        found: the rules' findings on the same submission.
        cited: places that the reviewer gave for parts of the text, apart from its words.
    """
    steps = Steps(settings.review_seconds())
    findings: list[Finding] = []
    with steps.counted(), _shown("the claims of the review", facts):
        findings.extend(_whole(_findings(text, facts, found, cited), text, facts))
    return ClaimsReport(tuple(distinct(findings)), tuple(steps.left_out), steps.timed_out)


@contextmanager
def _shown(what: str, facts: Facts) -> Iterator[list[str]]:
    """The named boundary of one check, one claim, and the claims of one review: what stops within
    is left out and said to be; gives a list that then holds why, for a reader of the review.
    """
    stopped: list[str] = []
    try:
        yield stopped
    except OutOfSteps as error:
        stopped.append(str(error))
    except Exception as error:  # noqa: BLE001  see above
        _log.warning("a claim's check stopped on %s", facts.submission.id[:12], exc_info=error)
        stopped.append(f"it stopped with {type(error).__name__}")
    for why in stopped:
        leave_out(f"{what}: {why}")


def _whole(claims: Iterable[tuple[Claim, Finding]], text: str, facts: Facts) -> Iterator[Finding]:
    """Each whole thought as one finding, the statements in it as its parts; of "… but …" the head
    is what follows.
    """
    for (start, end), group in groupby(claims, lambda pair: pair[0].thought):
        pairs = list(group)
        turn = next((at for at, (claim, _) in enumerate(pairs) if claim.link is Link.BUT), 0)
        parts = [finding for _, finding in (*pairs[turn:], *pairs[:turn])]
        written = text[start:end]
        words = " ".join(written.split())
        head = next((each for each in parts if each.kind != OTHER), parts[0])
        one = replace(head, message=words, claim=written, claim_at=(start, end))
        if len(parts) > 1:
            one = replace(
                one,
                id=fingerprint(facts, head.kind or OTHER, head.span, words),
                severity=min((each.severity for each in parts), key=lambda each: each.rank),
                check=judged_together([each.check for each in parts]),
                parts=tuple(
                    Statement(
                        each.claim or each.message,
                        each.check,
                        each.span,
                        each.kind,
                        each.category,
                    )
                    for _, each in pairs
                ),
            )
        yield one


def _findings(
    text: str, facts: Facts, found: Sequence[Finding], cited: Sequence[Cited]
) -> Iterator[tuple[Claim, Finding]]:
    search = Search(facts)
    earlier: list[tuple[Claim, Checked]] = []
    last: Span | None = None
    with part():
        claims = list(read_claims(text, facts.submission, search.defined, MOST_CHECKED, cited))
    if passed_over := sum(not claim.understood for claim in claims):
        leave_out(f"{passed_over:,} of {len(claims):,} claims: {_TOO_MANY}")
    categories = frozenset(claim.kind.category for claim in claims)
    for claim in claims:
        if not claim.understood:
            said = partly(f"Not looked at: {_TOO_MANY}")
            yield claim, _finding(claim, claim.kind, facts, (), said)
            continue
        if earlier and earlier[0][0].block != claim.block:
            earlier, last = [], None
        case = Case(claim, facts, found, search, tuple(earlier), categories)
        with _shown("a claim", facts) as stopped:
            kind, answer = _ask(case) if claim.asserts else (kinds()[OTHER], None)
            where = places(claim, search, last)
            span = _best(claim, where, answer, last)
            said = _with_notes(answer or _open(kind), claim, where, search)
        if stopped:
            said = partly(f"Not looked at to the end: {stopped[0]}")
            yield claim, _finding(claim, claim.kind, facts, (), said)
            continue
        yield claim, _finding(claim, kind, facts, _kept(span, where, answer), said)
        earlier, last = [(claim, said), *earlier[:2]], _own_place(where) or span


def _ask(case: Case) -> tuple[Kind, Checked | None]:
    """The first answer that decides, else the first that tells something, with the kind whose check
    gave it.
    """
    first: tuple[Kind, Checked] | None = None
    asked: set[str] = set()
    for kind in case.claim.kinds:
        for name in (*kind.checks, *_FOR_EVERY_KIND):
            if name in asked:
                continue
            asked.add(name)
            answer = _asked(name, case)
            if answer is None:
                continue
            known = kind if name != "presence" else case.claim.kind
            answer = _without_more(case, name, answer)
            if answer.settles:
                return known, _closer(case, answer) if name == "presence" else answer
            first = first or (known, answer)
    for name in _LAST:
        answer = _asked(name, case)
        answer = _without_more(case, name, answer) if answer else None
        if answer and (first is None or answer.settles):
            return case.claim.kind, answer
    return first or (case.claim.kind, None)


def _asked(name: str, case: Case) -> Checked | None:
    """What one check says to a claim; one that stops decides nothing, and says so."""
    with _shown(f"the check `{name}` of a claim", case.facts) as stopped, part():
        answer = checks()[name](case)
    if not stopped:
        return answer
    return partly(f"Not checked to the end by `{name}`: {stopped[0]}")


_FOR_EVERY_KIND = ("by_rule", "knowledge")
_LAST = (
    "relation",
    "absence",
    "ignored",
    "never_filled",
    "always",
    "directly",
    "not_there",
    "config_value",
    "returns",
    "order",
    "shadowed",
    "unnamed",
    "arrow",
    "reused",
    "subprocess_output",
    "library_name",
    "library_keyword",
    "ends_in",
    "run_key",
    "run_replaced",
    "run_absent",
    "run_folder",
    "run_files",
    "passes_word",
    "key_section",
    "key_elsewhere",
    "unguarded",
    "node_absent",
    "key_present",
    "ignored_words",
    "cache_folder",
    "cli_mismatch",
    "trial_sets",
    "trial_breaks",
    "mode_order",
    "data_not_cut",
    "trial_denied",
    "trial_off",
    "trial_sets_no",
    "mode_ignored",
    "config_name",
    "struct_cleared",
    "hydra_path",
    "config_error",
    "config_section",
    "section_after_all",
    "looks_in_section",
    "always_default",
    "run_fields_at_top",
    "torchvision_root",
    "unknown_key",
    "hard_coded",
    "composition",
    "unused",
    "read_after_all",
    "optuna_used",
    "config_key_late",
    "cached_after_all",
    "evaluation_words",
    "unmasked_labels",
    "copied_labels",
    "counted",
    "absent_data_file",
    "entry_points_to",
    "takes_ids",
    "returns_kind",
    "frozen",
    "left_on_cpu",
    "made_anew",
    "without_gradient",
    "batch_of_no_tensor",
    "loaders",
    "part_missing",
    "only_class",
    "deprecated",
    "dropped_column",
    "only_column",
    "padding_token",
    "model_kind",
    "auto_class",
    "layer_names",
    "hub_model",
    "hub_data_set",
    "column_gone",
    "in_no_optimiser",
    "absent_topic",
    "final_run",
    "trials_logged",
    "account_source",
    "key_roles",
    "summary_key",
    "key_read_is_logged",
    "logged_per_batch",
    "same_values",
    "meaningless",
    "run_config_exported",
    "aggregate_holds",
    "only_outputs",
    "further_figures",
    "figures_drawn",
    "primary_is",
    "aggregate_lacks",
    "metrics_written",
    "gap_direction",
    "gap_percent",
    "file_is_written",
    "run_finished",
    "absent_from_file",
    "import_unused",
    "tracking_keys",
)
"""What is asked of a claim that no check of its kinds decides."""

_MORE = re.compile(
    r"\b(?:crash\w*|fail\w*(?! to"
    r" (?:create|generate|produce|perform|implement|include|provide|draw|log|output|export|"
    r"save|plot|write|compute)\b)|abort\w*|break\w*(?! the (?:\w+"
    r" ){0,2}(?:convention|rule|requirement|spec|"
    r"contract))|malfunction\w*|stops?|raises?|throws?|causing|leading to|resulting in)\b"
)
_PROVES_ERROR = {
    "syntax": "syntaxerror",
    "missing_module": "importerror|modulenotfounderror",
    "undefined_name": "nameerror|unboundlocalerror",
    "signature": "typeerror",
    "placeholder": "notimplementederror",
    "stub": "notimplementederror",
    "relative_import": "importerror",
    "cli_contract": "jsondecodeerror|",
    "packaging": "",
    "run_string": "attributeerror",
    "subprocess_output": "typeerror",
    "shadowed": "attributeerror",
    "relation": "\\w*(?:error|exception|warning|interrupt)",
}


_OWN_ERRORS = frozenset(
    [
        "evaluation_words",
        "trial_breaks",
        "mode_order",
        "batch_of_no_tensor",
        "auto_class",
        "layer_names",
        "hub_data_set",
        "ends_in",
        "library_name",
        "library_keyword",
        "knowledge",
        "config_error",
        "composition",
        "follows",
        "by_rule",
    ]
)


def _closer(case: Case, answer: Checked) -> Checked:
    """The relation that a claim speaks of shows a better place than the words in it."""
    many = answer.span is not None and answer.span.end_line != answer.span.line
    related = None if many else checks()["relation"](case)
    return (
        related
        if related is not None and related.result is answer.result and related.settles
        else answer
    )


def _without_more(case: Case, name: str, answer: Checked) -> Checked:
    """A claim that says on top which error its defect ends in is only half proved by the defect."""
    if answer.result is not Check.CONFIRMED or name in _OWN_ERRORS:
        return answer
    errors = [error.casefold() for error in case.claim.own.errors]
    proved = _PROVES_ERROR.get(name)
    if proved is not None and all(re.fullmatch(proved, error) for error in errors):
        return answer
    if not errors and not _MORE.search(case.said):
        return answer
    return partly(
        f"{answer.evidence}; whether that ends as the claim says was not proved", answer.span
    )


def _open(kind: Kind) -> Checked:
    return partly(NO_CHECK_KNOWS if kind.id == OTHER else NOTHING_PROVES)


def _best(
    claim: Claim, where: tuple[Place, ...], answer: Checked | None, before: Span | None
) -> Span | None:
    """The place of a claim: what proves it where that has lines, else what it names, else that of
    the claim before it.
    """
    proof = answer.span if answer else None
    if (
        claim.cited is not None
        and answer is not None
        and answer.result is Check.UNVERIFIED
        and _own_place(where) is not None
    ):
        return where[0].span  # what decides nothing does not outdo the place that was given
    if proof is not None and (proof.line is not None or not where):
        return proof
    if (
        claim.points_back
        and before is not None
        and before.line is not None
        and not any(place.found in _OWN for place in where)
    ):
        return before
    # Its words may fit a line of another file, too: the file that it names comes first.
    named = (
        place.span
        for place in where
        if place.span.line is not None or place.span.file in claim.own.files
    )
    lined = next(named, None)
    if lined is not None and (proof is None or lined.file == proof.file):
        return lined
    return proof or (where[0].span if where else before)


def _own_place(where: tuple[Place, ...]) -> Span | None:
    return next(
        (place.span for place in where if place.found in _OWN and place.span.line is not None), None
    )


_OWN = (Found.LINE, Found.QUOTE, Found.DEFINITION)


def _with_notes(said: Checked, claim: Claim, where: tuple[Place, ...], search: Search) -> Checked:
    """Add what a reader must know of the place: a wrong line number, a quote that is only near, a
    file that is not there.
    """
    if said.result is not Check.UNVERIFIED:
        return said
    place_note = next((place.note for place in where if place.note), "")
    notes = [
        note
        for note in (
            absent_note(claim),
            place_note,
            "" if place_note else cited_note(claim, search),
        )
        if note and note not in said.evidence
    ]
    if not notes:
        return said
    return replace(said, evidence="; ".join((said.evidence, *notes)))


def _kept(best: Span | None, where: tuple[Place, ...], answer: Checked | None) -> tuple[Place, ...]:
    """The places to be kept, the best one first."""
    if best is None:
        return ()
    why = Found.PROOF if answer is not None and best == answer.span else Found.BORROWED
    first = next((place for place in where if place.span == best), Place(best, why))
    return (first, *(place for place in where if not _holds(best, place.span)))


def _holds(outer: Span, inner: Span) -> bool:
    """Whether a place lies within another one, and so tells a reader nothing new."""
    if outer == inner or outer.file != inner.file or outer.line is None or inner.line is None:
        return outer == inner
    return outer.line <= inner.line and (inner.end_line or inner.line) <= (
        outer.end_line or outer.line
    )


def _finding(
    claim: Claim, kind: Kind, facts: Facts, where: tuple[Place, ...], said: Checked
) -> Finding:
    span = where[0].span if where else None
    words = " ".join(claim.written.split())
    return Finding(
        id=fingerprint(facts, kind.id, span, words),
        kind=kind.id,
        criterion=kind.criterion,
        category=kind.category,
        severity=kind.severity,
        message=words,
        claim=claim.written,
        claim_at=(claim.start, claim.end),
        span=span,
        check=said.fact_check,
        places=where,
    )
