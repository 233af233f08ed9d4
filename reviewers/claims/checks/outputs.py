"""Claims that the code never does something: figures, tests, tables, checkpoints, studies."""

import re
from collections.abc import Sequence

from reviewers.claims.anchors import figures
from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, join, partly, remark
from reviewers.claims.checks.figures import drawn, figures_besides, says_only
from reviewers.claims.checks.topics import Done, Topic, concerns, denied, standing, topics, whole
from reviewers.records import Check, Span

_EVALUATE = "src/evaluate.py"
_QUALIFIED = re.compile(
    r"\b(?:proper\w*|correct\w*|full\w*|all|every|each|complete\w*|beyond|except|other|additional|further|"
    r"enough|sufficient\w*|comprehensive|adequate\w*|real|actual|valid|genuine|per-class|aggregated|cross-run|"
    r"incorrect\w*|improper\w*|final|explicit|automatic\w*|powered|"
    r"per[- ](?:epoch|batch|step)|such as|like|when|if|because|in"
    r" trial|meaningful|useful|safe|there)\b"
)


@check("absent_topic")
def absent_topic(case: Case) -> Answer:
    """What nothing in the code has to do with is not done; what a reachable call does is done."""
    if case.claim.hedged:
        return None
    asked = [topics()[id] for id in sorted(denied(whole(case)))]
    if not asked or any(topic.file and not concerns(case, topic.file) for topic in asked):
        return None
    if says_only(case):
        return None
    states = [
        (
            topic,
            found if (found := standing(case.facts, topic)) is not None else _saved(case, topic),
        )
        for topic in asked
    ]
    if any(found is None for _, found in states):
        return None
    done = [(topic, found) for topic, found in states if isinstance(found, Done)]
    gone = [topic for topic, found in states if found is False]
    if not done:
        return _gone(case, gone)
    topic, call = done[0]
    shown = f"{call.path}:{call.line} calls {code(call.name)} for {topic.name}"
    span = Span(call.path, call.line)
    if gone:
        return partly(
            f"Nothing in the code has to do with {join([each.name for each in gone])}, but {shown}",
            span,
        )
    loose = topic.id == "significance-test" and not re.search(
        r"\btest|significan|\bp-?value", case.said
    )
    if _QUALIFIED.search(case.said) or len(done) > 1 or loose:
        return partly(shown, span)
    return remark(shown, span)


check("output_topic")(absent_topic)


def _saved(case: Case, topic: Topic) -> Done | None:
    """A figure of this kind that is saved, where the claim says no more of it than that it is not
    there.
    """
    file = case.facts.python.get(_EVALUATE)
    if file is None or not topic.figure:
        return None
    for figure in drawn(file):
        if topic.id in figure.kinds and not _PLAIN.sub(" ", topic.said.sub(" ", case.said)).strip(
            " .,;`()"
        ):
            return Done(_EVALUATE, "savefig", figure.line)
    return None


_PLAIN = re.compile(
    r"\b(?:src/|script|evaluation|evaluate(?:\.py)?|it|by|in|no|not|never|does|do|is|are|the|a|any|at"
    r" all|and|or|nor|"
    r"lacks?|omits?|missing|absent|omitted|"
    r"generat\w+|creat\w+|produc\w+|draw\w*|sav\w+|plot\w*|output|figures?|charts?|pdfs?|graphs?|ever)\b"
)


def _gone(case: Case, gone: Sequence[Topic]) -> Answer:
    where = join(sorted({topic.file or "the code" for topic in gone}))
    evidence = (
        f"Nothing in {where} has to do with {join([topic.name for topic in gone], 'or')}: no call,"
        " name or file name speaks of it"
    )
    in_evaluate = any(topic.file == _EVALUATE for topic in gone)
    span = next(figures(case.facts), None) if in_evaluate else None
    besides = figures_besides(case)
    if besides is not None and besides.result is not Check.CONFIRMED:
        return partly(evidence, span)
    if any(topic.id == "validation" for topic in gone):
        span = _training(case)
    return confirmed(
        evidence, span or next((Span(topic.file) for topic in gone if topic.file), None)
    )


def _training(case: Case) -> Span | None:
    """The function of train.py that steps back through the loss: where a validation would stand."""
    file = case.facts.python.get("src/train.py")
    call = next(iter(file.calls_of(".backward")), None) if file else None
    found = file.functions.get(call.scope) if file and call else None
    return Span("src/train.py", found.lineno, found.end_lineno) if found else None


@check("absent_from_file")
def absent_from_file(case: Case) -> Answer:
    """As `absent_topic`, for a claim of whatever kind that names the file in which the thing should
    be done.
    """
    asked = [topics()[id] for id in denied(whole(case))]
    if not asked or not all(topic.file in case.claim.own.files for topic in asked):
        return None
    return absent_topic(case)
