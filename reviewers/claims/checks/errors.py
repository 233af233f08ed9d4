"""Claims that only say in which error something ends: a rule's finding, or the claim before it,
says which one does.
"""

import ast
import re
from collections.abc import Iterator

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed
from reviewers.records import Check, Finding, Severity, Span

_ERROR = re.compile(r"\b[A-Z]\w*(?:Error|Exception|Interrupt)\b|\bError\b")
_IS_A = {
    "modulenotfounderror": {"importerror"},
    "unboundlocalerror": {"nameerror"},
    "configattributeerror": {"attributeerror"},
    "configkeyerror": {"keyerror"},
    "jsondecodeerror": {"valueerror"},
    "notimplementederror": {"runtimeerror"},
    "datasetnotfounderror": {"filenotfounderror"},
}
_ENDS = re.compile(
    r"\b(?:rais|throw|caus|lead|end|trigger|result|crash|fail|produc|giv|yield|stop)\w*|→|⇒|->|=>"
)
_PLAIN = frozenset([
    "a", "abort", "aborts", "access", "accessing", "after", "again", "all", "always", "an", "and",
    "any", "as", "at", "attribute",
    "batch", "because", "begin", "begins", "being", "but", "by", "call", "called", "calling",
    "calls", "cause",
    "caused", "causes", "causing", "code", "crash", "crashed", "crashes", "crashing", "data",
    "during", "each", "end", "ends",
    "epoch", "error", "evaluation", "even", "every", "exception", "execute", "executed",
    "execution", "fail", "failing", "fails",
    "failure", "first", "for", "forward", "function", "gives", "hence", "here", "immediate",
    "immediately", "import", "imported",
    "in", "invocation", "invoked", "is", "it", "iteration", "its", "itself", "job", "key", "lead",
    "leading", "leads", "line",
    "load", "loading", "loop", "means", "method", "module", "never", "next", "object", "of", "on",
    "once", "or", "pass", "point",
    "process", "produces", "program", "python", "raise", "raised", "raises", "raising", "reached",
    "result", "resulting",
    "results", "run", "run-time", "running", "runs", "runtime", "same", "script", "so", "soon",
    "start", "starts", "startup",
    "statement", "step", "stop", "stopping", "stops", "subsequent", "such", "that", "the", "then",
    "there", "therefore", "these",
    "they", "this", "throw", "throws", "thus", "time", "to", "train", "training", "trigger",
    "triggers", "when", "whenever",
    "which", "whole", "will", "with", "would",
])  # fmt: skip


@check("ends_in")
def ends_in(case: Case) -> Answer:
    """ "This raises TypeError" is true where a rule, or the proof of the claim before it, has that
    error at that place.
    """
    errors = {error.casefold() for error in case.claim.own.errors}
    if case.claim.hedged or not _ENDS.search(case.said) or case.denies:
        return None
    if not errors:
        return _stops(case)
    own = [
        *(name for name in case.claim.own.names if name not in case.claim.own.errors),
        *case.claim.own.quotes,
    ]
    words = [
        word
        for each in own
        for word in re.findall(r"[A-Za-z_]\w+", each)
        if word.casefold() not in errors
    ]
    if any(word not in _PLAIN for word in _left(case)):
        return None
    for evidence, span in (*_proofs(case, words), *_findings(case, words)):
        named = {error.casefold() for error in _ERROR.findall(evidence)}
        if named and errors <= named | {above for each in named for above in _IS_A.get(each, ())}:
            return confirmed(evidence, span)
    if words or not case.earlier or not case.claim.points_back:
        return None
    return _key_error(case) if errors == {"keyerror"} else None


_STOPS = re.compile(r"\b(?:crash|stop|fail|abort|break|rais|throw)\w*")
_SHORT = 5


def _stops(case: Case) -> Answer:
    """ "This crashes": true where a rule found an error in the lines of the claim before it."""
    if (
        not case.earlier
        or not case.claim.points_back
        or not _STOPS.search(case.said)
        or any(_words_of_code(case))
    ):
        return None
    if any(word not in _PLAIN for word in _left(case)) or case.claim.own.files:
        return None
    span = case.earlier[0][1].span
    if (
        case.earlier[0][1].result is not Check.CONFIRMED
        or span is None
        or (span.end_line or 0) - (span.line or 0) > _SHORT
    ):
        return None
    for finding in case.found:
        if (
            finding.severity is Severity.BLOCKER
            and finding.span
            and _touch(finding.span, span)
            and _ERROR.search(finding.message)
        ):
            return confirmed(finding.message, finding.span)
    return None


def _words_of_code(case: Case) -> list[str]:
    return [*case.claim.own.names, *case.claim.own.quotes]


def _key_error(case: Case) -> Answer:
    """A key that the claims before say is read, and is made nowhere: every text of the code that is
    the key only reads it.
    """
    for name in dict.fromkeys(
        name for claim, _ in case.grounds for name in (*claim.own.names, *claim.own.quotes)
    ):
        reads: list[Span] = []
        for path, file in case.facts.python.items():
            if file.tree is None:
                return None
            for node in file.nodes:
                if isinstance(node, ast.Constant) and node.value == name:
                    outer = file.parents.get(node)
                    if not isinstance(outer, ast.Subscript) or not isinstance(outer.ctx, ast.Load):
                        reads = []
                        break
                    reads.append(Span(path, node.lineno))
            else:
                continue
            break
        if reads and not any(
            re.search(rf"\b{re.escape(name)}\s*=", file.text) for file in case.facts.python.values()
        ):
            return confirmed(
                f"{reads[0]} reads the key {code(name)}, and nothing in the code makes it:"
                " KeyError",
                reads[0],
            )
    return None


def _left(case: Case) -> list[str]:
    """The words of a claim that are neither code nor an error nor a file."""
    text = case.claim.text
    for known in sorted(
        (
            *case.claim.own.quotes,
            *case.claim.own.names,
            *case.claim.own.files,
            *case.claim.own.errors,
        ),
        key=len,
    ):
        text = text.replace(known, " ")
    return re.findall(r"[a-z][a-z-]+", text.casefold())


def _proofs(case: Case, words: list[str]) -> Iterator[tuple[str, Span]]:
    """The proofs of the confirmed claims before it, with what rules found at their places."""
    if not case.earlier or not case.claim.points_back or case.earlier[0][1].speaks_against:
        return
    for _, answer in case.grounds:
        span = answer.span
        if span is None or any(path != span.file for path in case.claim.own.files):
            continue
        if _all_there(case, span, answer.evidence, words):
            yield answer.evidence, span
        for finding in case.found:
            where = finding.span
            if (
                where is not None
                and _touch(where, span)
                and _all_there(case, where, finding.message, words)
            ):
                yield finding.message, where


def _findings(case: Case, words: list[str]) -> Iterator[tuple[str, Span]]:
    """What rules found at places that the claim itself names."""
    telling = [word for word in words if len(word) > 2]
    for finding in case.found if telling else ():
        if finding.message.startswith("once ") and finding.severity is not Severity.BLOCKER:
            continue  # whether it comes to that depends on how something else is mended
        if (
            finding.span is not None
            and _in_files(case, finding)
            and _all_there(case, finding.span, finding.message, telling)
        ):
            yield finding.message, finding.span


def _in_files(case: Case, finding: Finding) -> bool:
    return finding.span is not None and (
        not case.claim.files or finding.span.file in case.claim.files
    )


def _touch(first: Span, second: Span) -> bool:
    if first.file != second.file or first.line is None or second.line is None:
        return False
    return first.line <= (second.end_line or second.line) and second.line <= (
        first.end_line or first.line
    )


def _all_there(case: Case, span: Span, evidence: str, words: list[str]) -> bool:
    """Whether every word of code that a claim has stands on a place's lines or in what is said of
    them.
    """
    if span.line is None:
        return not words
    near = " ".join(case.facts.lines(span.file)[span.line - 1 : span.end_line])
    return all(re.search(rf"\b{re.escape(word)}\b", f"{near} {evidence}") for word in words)
