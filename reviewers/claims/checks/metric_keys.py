"""Claims about single metric keys: where each is logged and read, and how often."""

import ast
import re
from collections.abc import Iterator

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, join, partly, remark
from reviewers.facts.python_file import Function
from reviewers.facts.tracking import LoggedKey, Source
from reviewers.records import Span

_EVALUATE = "src/evaluate.py"
_KEY = re.compile(r"[A-Za-z][\w/.-]*", re.ASCII)
_IN_SUMMARY = re.compile(r"\bsummar(?:y|ies)\b")
_IN_HISTORY = re.compile(r"\blog(?:s|ged|ging)?\b|\bhistory\b|\bper[- ](?:step|epoch|batch)\b")
_IN_READING = re.compile(
    r"\b(?:reads?|reading|looks? (?:for|up|at)|look(?:ed|s)?[-"
    r" ]up|expects?|fetch\w*|retriev\w+|queries|evaluate\.py)\b"
)
_DENIED = re.compile(
    r"\b(?:not|never|no|without|only|instead|but|missing|cannot|won't|none)\b|n't\b"
)
_AMISS = re.compile(
    r"\bmis-?match|\bnot (?:\w+ )?(?:match|the"
    r" same|identical|consistent|agree|align)\w*|\bdiffer\w*|\binconsisten\w+|"
    r"\bdisagree\w*"
)


@check("key_roles")
def key_roles(case: Case) -> Answer:
    """ "Training logs `a`, while the summary has `b`" is true where each key is found where the
    claim puts it.
    """
    if case.claim.hedged or _DENIED.search(_unquoted(case)):
        return None
    single = _one_key(case)
    if single is not None:
        return single
    said = list(_roles(case))
    if len(said) < 2 or any(span is None for _, span in said):
        return None
    logged = {key.key for key in case.facts.tracking.logged}
    if _IN_READING.search(case.said) and all(key in logged for key, _ in said):
        return None  # what is read under one name and logged under two is no mismatch
    spans = [span for _, span in said if span is not None]
    if re.search(
        r"\b(?:crash\w*|fail\w*|break\w*|broken|error|therefore|thus|so|hence|because)\b", case.said
    ):
        return None
    return confirmed(
        f"{join([f'{code(key)} stands on line {span.line} of {span.file}' for key, span in said if span])}",  # noqa: E501
        spans[0],
    )


_BARE = re.compile(
    r"\b(?:is|are|gets?|the|a|logged|logs|written|writes|stored|stores|saved|saves|put|puts|wandb|to|in|into|as|by|"
    r"src/|train\.py|training|"
    r"run|runs|key|metric|value|summary|history|it|only|also|final|finally)\b|wandb\.(?:run\.)?summary"
)


def _one_key(case: Case) -> Answer:
    """ "`a` is written to the summary" is true where it is."""
    keys = {
        name
        for name in (*case.claim.own.quotes, *case.claim.own.names)
        if _KEY.fullmatch(name) and "." not in name
    }
    if (
        len(keys) != 1
        or "only" in case.said
        or not re.search(r"\b(?:log|writ|stor|sav|put)\w*", case.said)
    ):
        return None
    key = keys.pop()
    if re.sub(rf"(?<!\w){re.escape(key.casefold())}(?!\w)", " ", _BARE.sub(" ", case.said)).strip(
        " .,;`'\"()"
    ):
        return None
    place = _place(case, key, "summary" if "summary" in case.said else "history")
    return confirmed(f"{place} logs {code(key)}", place) if place is not None else None


def _unquoted(case: Case) -> str:
    said = case.said
    for quote in case.claim.own.quotes:
        said = said.replace(quote.casefold(), " ")
    return said


def _roles(case: Case) -> Iterator[tuple[str, Span | None]]:
    """Every quoted key with the place where it is as the words before it say."""
    position = 0
    for quote in sorted(case.claim.own.quotes, key=case.claim.text.find):
        if not _KEY.fullmatch(quote):
            continue
        start = case.claim.text.find(quote)
        words = case.claim.text[position:start].casefold()
        position = start + len(quote)
        roles = [(match.end(), role) for role, said in _ROLES for match in said.finditer(words)]
        if roles:
            yield quote, _place(case, quote, max(roles)[1])


_ROLES = (("summary", _IN_SUMMARY), ("history", _IN_HISTORY), ("read", _IN_READING))


def _place(case: Case, key: str, role: str) -> Span | None:
    tracking = case.facts.tracking
    if role == "read":
        return next((read.span for read in tracking.read if read.key == key), None)
    source = Source.SUMMARY if role == "summary" else Source.HISTORY
    return next(
        (
            logged.span
            for logged in tracking.logged
            if logged.key == key and logged.source is source
        ),
        None,
    )


@check("key_read_is_logged")
def key_read_is_logged(case: Case) -> Answer:
    """Names do not differ where the very key that evaluate.py is said to look up is logged under
    that name.
    """
    if case.claim.hedged or not _AMISS.search(case.said) or case.facts.tracking.never_logged:
        return None
    tracking = case.facts.tracking
    quotes = [quote for quote in case.claim.own.quotes if _KEY.fullmatch(quote)]
    read = {each.key: each for each in tracking.read}
    logged: dict[str, LoggedKey] = {}
    for each in tracking.logged:
        logged.setdefault(each.key, each)
    asked = [quote for quote in quotes if quote in read]
    if not asked or any(quote not in read and quote not in logged for quote in quotes):
        return None
    if not all(quote in logged for quote in asked) or not all(
        _reaches(logged[quote], read[quote].source) for quote in asked
    ):
        return None
    key = asked[-1]
    return remark(
        f"{read[key].span} reads {code(key)}, which {logged[key].span} logs under this very name",
        read[key].span,
    )


def _reaches(logged: LoggedKey, source: Source) -> bool:
    return logged.source is Source.HISTORY or source is Source.SUMMARY


_ONLY_SUMMARY = re.compile(
    r"\bonly (?:\w+"
    r" )?(?:written|saved|stored|logged|put|recorded|added|available|appears?|in)\b(?:[^.;]|\.(?=\w))*\bsummary\b"  # noqa: E501
)
_UNSEEN = re.compile(
    r"\b(?:never|not|cannot|n't)\b[^.;]{0,20}\b(?:see|find|get|receive|obtain|retrieve|access|contain|pick"
    r" up)\b|"
    r"\bnot available\b"
)


@check("summary_key")
def summary_key(case: Case) -> Answer:
    """A key that is only in the summary is not in the history, but a script that goes through the
    summary sees it.
    """
    only, unseen = _ONLY_SUMMARY.search(case.said), _UNSEEN.search(case.said)
    if case.claim.hedged or not (only or unseen):
        return None
    tracking = case.facts.tracking
    own = [*case.claim.own.quotes, *case.claim.own.names]
    near = (
        []
        if any(quote in {key.key for key in tracking.logged} for quote in own)
        else case.claim.around[:2]
    )
    named = [*own, *(quote for about in near for quote in (*about.quotes, *about.names))]
    keys = [logged for logged in tracking.logged if logged.key in named]
    last = next((quote for quote in named if any(logged.key == quote for logged in keys)), None)
    if last is None:
        return None
    keys = [logged for logged in keys if logged.key == last]
    if only:
        if any(logged.source is Source.HISTORY for logged in keys):
            return remark(f"{keys[0].span} logs {code(last)} to the history", keys[0].span)
        whole = tracking.logged_is_complete
        told = (
            f"{code(last)} goes to the summary on line {keys[0].span.line} of {keys[0].span.file}"
        )
        return (
            confirmed(f"{told}, and no call logs it to the history", keys[0].span)
            if whole
            else partly(told, keys[0].span)
        )
    line = _summary_walked(case)
    if line is None or "evaluat" not in f"{case.said} {case.claim.sentence}":
        return None
    return remark(
        f"{_EVALUATE}:{line} goes through all of the run's summary, where {keys[0].span} puts"
        f" {code(last)}",
        Span(_EVALUATE, line),
    )


def _summary_walked(case: Case) -> int | None:
    """Where evaluate.py goes through every entry of a run's summary."""
    file = case.facts.python.get(_EVALUATE)
    if file is None or ".summary" not in file.text:
        return None
    for node in file.nodes:
        if isinstance(node, ast.For | ast.comprehension) and isinstance(node.iter, ast.Call):
            func = node.iter.func
            if (
                isinstance(func, ast.Attribute)
                and func.attr == "items"
                and "summ" in ast.unparse(func.value)
            ):
                return node.iter.lineno
    return None


_PER_BATCH = re.compile(
    r"\bper[- ](?:batch|step|iteration)\b|\b(?:every|each) (?:batch|step|iteration)\b"
)
_LOADER = re.compile(r"loader|batch|step|iteration|_dl\b|\bdl\b", re.IGNORECASE)
_PLAIN_LOGGING = re.compile(
    r"\b(?:src/|train\.py|training|script|the|it|wandb|to|is|are|does|do|only|still|happens?|done|performed|made|"
    r"carried out|takes? place|"
    r"log(?:s|ged|ging)?|track(?:s|ed|ing)?|nothing|no|not|never|any|anything|there|scalars?|values?|missing|lacks?|without)\b"
)
_NONE_LOGGED = re.compile(r"\b(?:no|nothing|never|not|n't|without|lacks?|missing)\b")
_SAYS_LOG = re.compile(r"\blog(?:s|ged|ging)?\b|\btrack(?:s|ed|ing)?\b")


@check("logged_per_batch")
def logged_per_batch(case: Case) -> Answer:
    """Something is logged per batch where the call stands in a loop over batches, within one over
    epochs or not.
    """
    if case.claim.hedged or not _PER_BATCH.search(case.said) or not _SAYS_LOG.search(case.said):
        return None
    if re.search(
        r"\b(?:only|learning[-"
        r" ]rate|lr|gradient|memory|accurac\w+|valid\w*|loss\w*|energy|val|metrics?)\b",
        case.said,
    ):
        return None
    said = re.sub(r"\([^()]*\)", " ", case.said)
    if re.sub(r"[\W_]+", "", _PLAIN_LOGGING.sub(" ", _PER_BATCH.sub(" ", said))):
        return None
    key = next(_in_batches(case), None)
    if key is None:
        return None
    told = f"{key.span} logs {code(key.key)} in a loop over batches"
    return remark(told, key.span) if _NONE_LOGGED.search(case.said) else confirmed(told, key.span)


def _in_batches(case: Case) -> Iterator[LoggedKey]:
    for key in case.facts.tracking.logged:
        file = case.facts.python.get(key.span.file)
        line = key.span.line or 0
        if file is None or key.source is not Source.HISTORY:
            continue
        for node in file.nodes:
            if isinstance(node, ast.For) and node.lineno < line <= (node.end_lineno or 0):
                inner = [
                    part
                    for part in ast.walk(node)
                    if isinstance(part, Function) and part.lineno <= line <= (part.end_lineno or 0)
                ]
                names = f"{ast.unparse(node.target)} {ast.unparse(node.iter)}"
                if not inner and _LOADER.search(names) and "epoch" not in names:
                    yield key


_UNFINISHED = re.compile(
    r"\b(?:never|not|n't|no|without|missing|lacks?)\b[^.;]{0,40}\b(?:wandb\.finish|wandb_run\.finish|run\.finish|"
    r"finish(?:es|ed)? (?:the )?(?:wandb )?run)\b|"
    r"\bwandb\.finish(?:\(\))?`? is (?:never|not) called\b"
)


@check("run_finished")
def run_finished(case: Case) -> Answer:
    """A run is finished where `wandb.finish()` or a method of that name is called in training."""
    if (
        case.claim.hedged
        or not _UNFINISHED.search(case.said)
        or re.search(r"\b(?:if|when|on (?:error|exception))\b", case.said)
    ):
        return None
    file = case.facts.python.get("src/train.py")
    if file is None or file.tree is None:
        return None
    call = next(iter(file.calls_of("wandb.finish", ".finish")), None)
    if call is not None:
        return remark(
            f"src/train.py:{call.line} calls {code(ast.unparse(call.node.func))}",
            Span("src/train.py", call.line),
        )
    started = next(iter(file.calls_of("wandb.init")), None)
    return (
        confirmed("no call in src/train.py is named finish", Span("src/train.py", started.line))
        if started
        else None
    )
