"""Claims about what is logged and read: metric keys, hard-coded accounts, the primary metric."""

import ast
import re
from collections.abc import Iterator

from reviewers.claims.anchors import anchor
from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, join, partly, remark
from reviewers.claims.clauses import Link
from reviewers.claims.implied import ONLY_LOGGED
from reviewers.claims.roles import plain
from reviewers.facts.python_file import PythonFile
from reviewers.facts.tracking import LoggedKey, Source
from reviewers.records import Span

_TRAIN = "src/train.py"
_EVALUATE = "src/evaluate.py"
_COUNTERS = frozenset(
    {
        "epoch",
        "step",
        "global_step",
        "batch",
        "batch_idx",
        "iteration",
        "task",
        "task_id",
        "task_idx",
        "trainer/global_step",
        "train_step",
        "_step",
        "trial",
        "samples_seen",
    }
)
_KEY = re.compile(r"[A-Za-z][\w/.]*\*?", re.ASCII)
_ONLY = re.compile(
    r"\blogs? only (?P<after>[^.;()]+)|\bonly (?:logs? |reports? |tracks?"
    r" )(?P<then>[^.;()]+)|\bonly "
    r"(?P<before>[^.;()]+?) (?:is|are|gets?) (?:ever )?logged\b"
)
_CONCEPTS = (
    (
        "learning rate",
        re.compile(r"\blearning[- ]?rates?\b|\blr\b"),
        re.compile(r"(?:^|[/_.])lr|learning_?rate", re.IGNORECASE),
    ),
    (
        "gradient norm",
        re.compile(r"\bgrad(?:ient)?[- _]?norms?\b"),
        re.compile(r"grad(?:ient)?_?norm", re.IGNORECASE),
    ),
    ("memory use", re.compile(r"\bmemory(?: usage)?\b"), re.compile(r"mem", re.IGNORECASE)),
    (
        "validation metric",
        re.compile(
            r"\b(?:validation|dev|eval(?:uation)?|val)[-_ ](?:loss\w*|acc\w*|metrics?|scores?)\b"
        ),
        re.compile(r"val|eval|dev", re.IGNORECASE),
    ),
    (
        "training loss",
        re.compile(r"\btrain(?:ing)?[- _]loss\w*\b"),
        re.compile(r"loss", re.IGNORECASE),
    ),
    ("accuracy", re.compile(r"\baccurac(?:y|ies)\b"), re.compile(r"acc", re.IGNORECASE)),
    ("ROUGE score", re.compile(r"\brouge\b"), re.compile(r"rouge", re.IGNORECASE)),
    (
        "latency",
        re.compile(r"\blatenc(?:y|ies)\b"),
        re.compile(r"latenc|_ms\b|_time", re.IGNORECASE),
    ),
)
_NOT_LOGGED = re.compile(
    r"\b(?:not|never|n't|no|without|omit\w*|lacks?|missing|absent)\b[^.;]{0,60}\b(?:log(?:s|ged|ging)?|omitted|"
    r"missing|absent)\b|\blogs? (?:neither|no)\b|\bfails? to (?:log|track|record)\b|\blog(?:ged|"
    r"ging)?\b[^.;]{0,40}\b(?:missing|omitted|absent)\b|"
    r"\b(?:is|are) (?:omitted|"
    r"not logged|missing|never logged)\b"
)


_NO_CURVE = re.compile(
    r"\b(?:learning|loss|training)[- ]curves?\b[^.;]*\b(?:cannot|can't|can not) be (?:\w+ly"
    r" )?(?:produced|drawn|"
    r"generated|plotted|reconstructed|created)"
)


@check("logged_keys")
def logged_keys(case: Case) -> Answer:
    """What train.py logs is known by its keys where all of them are literal."""
    if (
        case.claim.hedged
        or _TRAIN not in case.facts.python
        or (case.claim.own.files and _TRAIN not in case.claim.own.files)
    ):
        return None
    logged = [key for key in case.facts.tracking.logged if key.source is Source.HISTORY]
    if _NO_CURVE.search(case.said):
        series = next((key for key in logged if key.key.casefold() not in _COUNTERS), None)
        return (
            remark(
                f"{series.span} logs {code(series.key)}, of which a curve can be drawn", series.span
            )
            if series
            else None
        )
    if case.claim.link is Link.LIST and ONLY_LOGGED.search(case.claim.lead.casefold()):
        return _not_logged(case, plain(case.claim.text))
    if match := _ONLY.search(case.claim.text) or _ONLY.search(case.said):
        return _only(case, next(group for group in match.groups() if group), logged)
    if _NOT_LOGGED.search(case.said) and re.search(
        r"\b(?:log|track|report|record|monitor|wandb)", _around(case)
    ):
        return _not_logged(case, case.said)
    if (
        re.search(r"\blogs\b", case.said)
        and len(case.claim.own.quotes) == 1
        and not re.search(r"\b(?:only|not|but|never|instead)\b|n't", case.said)
    ):
        found = next((key for key in logged if key.key == case.claim.own.quotes[0]), None)
        return confirmed(f"{found.span} logs {code(found.key)}", found.span) if found else None
    return None


def _around(case: Case) -> str:
    return " ".join((case.said, case.claim.sentence, *case.claim.under)).casefold()


def _only(case: Case, listed: str, logged: list[LoggedKey]) -> Answer:
    wanted = _listed_keys(listed)
    metrics = [key for key in logged if key.key.casefold() not in _COUNTERS]
    if not wanted and _LOSS_ALONE.fullmatch(listed.strip(" `.,;").casefold()):
        wanted = list(
            dict.fromkeys(
                key.key
                for key in metrics
                if re.search(r"loss", key.key) and not re.search(r"val|eval|dev|test", key.key)
            )
        )
    if not wanted or not metrics:
        return None
    others = [key for key in metrics if not any(_same(key.key, name) for name in wanted)]
    lines = sorted({key.span.line or 0 for key in metrics})
    span = next(anchor("tracking", case.facts), Span(metrics[0].span.file, lines[0], lines[-1]))
    if others:
        names = join(list(dict.fromkeys(code(key.key) for key in others)), most=3)
        return remark(f"{others[0].span} logs {names} as well", span)
    if not case.facts.tracking.logged_is_complete or not all(
        any(_same(key.key, name) for key in metrics) for name in wanted
    ):
        return None
    return confirmed(
        f"The keys logged in {span.file} are "
        f"{join([code(name) for name in dict.fromkeys(key.key for key in metrics)])}, on lines "
        f"{join([str(line) for line in lines])}, and no others",
        span,
    )


_LOSS_ALONE = re.compile(r"(?:the )?(?:training |train |batch )?loss(?:es)?(?: value)?")


def _listed_keys(listed: str) -> list[str]:
    """The keys of a list such as `"train_loss", "lr" and occasional "acc"`; none where a part of it
    is no key.
    """
    found = []
    for part in re.split(
        r",\s*(?:and\s+)?|\s+and\s+|\s*/\s*", re.sub(r"[`\"'“”‘’]|\*\*", "", listed).strip()
    ):
        words = [word for word in part.split() if word.casefold() not in _ADJECTIVES]
        if (
            len(words) != 1
            or not _KEY.fullmatch(words[0])
            or not re.search(r"_|\*|^(?:loss|lr|accuracy|acc)$", words[0])
        ):
            return []
        found.append(words[0])
    return found


_ADJECTIVES = frozenset(
    [
        "occasional",
        "occasionally",
        "the",
        "a",
        "an",
        "basic",
        "scalar",
        "simple",
        "raw",
        "key",
        "keys",
        "metric",
        "metrics",
        "per-step",
        "per-epoch",
        "(periodic)",
    ]
)


def _same(key: str, name: str) -> bool:
    if name.endswith("*"):
        return key.startswith(name[:-1])
    return key.replace("/", "_").casefold() == name.replace("/", "_").casefold()


def _not_logged(case: Case, said: str) -> Answer:
    asked = [(name, pattern) for name, known, pattern in _CONCEPTS if known.search(said)]
    tracking = case.facts.tracking
    if not asked or not tracking.logged_is_complete or not tracking.logged:
        return None
    found = {
        name: next((key for key in tracking.logged if pattern.search(key.key)), None)
        for name, pattern in asked
    }
    gone = [name for name, key in found.items() if key is None]
    there = [key for key in found.values() if key is not None]
    whole = next(anchor("tracking", case.facts), None)
    train = case.facts.python[_TRAIN]
    names = [node.id for node in train.nodes if isinstance(node, ast.Name)]
    if (
        gone
        and not there
        and "comput" in said
        and any(pattern.search(name) for _, pattern in asked for name in names)
    ):
        return partly(
            f"No logged key speaks of {join(gone, 'or')}, but names in {_TRAIN} do", whole
        )
    if gone and not there:
        keys = join([code(key) for key in dict.fromkeys(key.key for key in tracking.logged)])
        return confirmed(f"No logged key speaks of {join(gone, 'or')}: the keys are {keys}", whole)
    if there and not gone:
        if (
            re.search(r"\b(?:all|every|each|per[- ](?:batch|step|epoch)|only|at least)\b", said)
            or len(there) > 1
        ):
            return partly(f"{there[0].span} logs {code(there[0].key)}", whole)
        return remark(f"{there[0].span} logs {code(there[0].key)}", whole)
    return partly(
        f"{there[0].span} logs {code(there[0].key)}, but no logged key speaks of"
        f" {join(gone, 'or')}",
        there[0].span,
    )


_MISMATCH = re.compile(
    r"\bmis-?match|\b(?:not|never|n't)\b[^.;]{0,40}\b(?:match|logs?|logged|writes?|written|see|sees|same|"
    r"find)\b|\bdiffer\w*\b|\bnever (?:writes|logs|sees?)\b|\bkey will be missing\b|\bonly"
    r" (?:written|saved|"
    r"logged) to\b"
)


_PLAINLY = re.compile(
    r"(?:the |there is a |a )*(?:(?:wandb|metric|logged|logging|key)[- ]?)*(?:names?|"
    r"keys?)(?: \w+){0,5}? (?:mis-?match\w*|differ|(?:are|is) "
    r"inconsistent|(?:do|does|are) not (?:\w+ )?(?:match|the same|agree))(?:"
    r" (?:between|in|of|and|src/train\.py|"
    r"src/evaluate\.py|train\.py|evaluate\.py|"
    r"training|evaluation|with|those|the|what|reads|read|by|expected|logged|keys|names))*[.;]?"
)


@check("tracking_keys")
def tracking_keys(case: Case) -> Answer:
    """A key that evaluate.py reads is missing where train.py logs no such key, and all that it logs
    is known.
    """
    if case.claim.hedged or not _MISMATCH.search(case.said):
        return None
    tracking = case.facts.tracking
    missing = {read.key: read for read in tracking.never_logged}
    named = [
        quote
        for quote in (*case.claim.quotes, *case.claim.own.names)
        if re.fullmatch(r"[A-Za-z][\w/.]*", quote)
    ]
    if re.search(r"\b(?:them|it|these|those|either)\b", case.said) and case.claim.around:
        named += [
            quote
            for quote in case.claim.around[0].quotes
            if re.fullmatch(r"[A-Za-z][\w/.]*", quote)
        ]
    hit = next((missing[name] for name in named if name in missing), None)
    if hit is not None:
        return confirmed(
            f"{hit.span} reads {code(hit.key)} from WandB's {hit.source.value}, and train.py never"
            " logs it there",
            hit.span,
        )
    if (
        tracking.logged_is_complete
        and tracking.logged
        and not missing
        and tracking.read
        and re.search(
            r"\b(?:names?|keys?)\b.*\b(?:mis-?match|differ|inconsistent|not (?:\w+ )?(?:match|the"
            r" same))",
            case.said,
        )
    ):
        first = tracking.read[0]
        if (
            not named
            and len({read.key for read in tracking.read}) > 1
            and not tracking.apart
            and _PLAINLY.fullmatch(case.said)
        ):
            keys = join([code(key) for key in dict.fromkeys(read.key for read in tracking.read)])
            return remark(
                f"Every key that evaluate.py reads by name is logged under that name: {keys}",
                first.span,
            )
        return partly(
            f"Every key that evaluate.py reads by name is logged, such as {code(first.key)} on line"
            f" {first.span.line}",
            first.span,
        )
    written = next((key for key in tracking.logged if key.key in named), None)
    if (
        written is not None
        and re.search(
            r"\bnever (?:actually"
            r" )?(?:writes|logs|logged|written|saves|saved|records|recorded|stored)\b|"
            r"\bnot (?:logged|written|saved|recorded|stored)\b",
            case.said,
        )
        and not re.search(r"\buntil\b|\bhistory\b|\bbefore\b", case.said)
    ):
        return remark(
            f"{written.span} writes {code(written.key)} to WandB's {written.source.value}",
            written.span,
        )
    return None


_HARD_CODED = re.compile(r"\bhard-?cod\w+\b")
_ACCOUNT = re.compile(r"entity|project", re.IGNORECASE)


@check("hard_coded_account")
def hard_coded_account(case: Case) -> Answer:
    """Entity and project are hard-coded where they are given as string constants."""
    if (
        not _HARD_CODED.search(case.said)
        or not re.search(r"\bentity\b|\bproject\b", case.said)
        or case.claim.hedged
    ):
        return None
    if re.search(r"environment", case.said):
        return None
    files = case.python(_TRAIN)
    found = {path: next(_constants(file), None) for path, file in files}
    there = {path: line for path, line in found.items() if line is not None}
    if not files or any(file.tree is None for _, file in files):
        return None
    if len(there) == len(found):
        path, line = next(iter(there.items()))
        return confirmed(
            f"{' and '.join(f'{path}:{line}' for path, line in there.items())} "
            f"{'has' if len(there) == 1 else 'have'} the entity or project as a string",
            Span(path, line),
        )
    if there:
        path, line = next(iter(there.items()))
        return partly(
            f"{path}:{line} has the entity or project as a string, "
            f"{join([path for path in found if path not in there])} has none",
            Span(path, line),
        )
    return None


def _constants(file: PythonFile) -> Iterator[int]:
    for node in file.nodes:
        if (
            isinstance(node, ast.keyword)
            and node.arg
            and _ACCOUNT.fullmatch(node.arg)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.value.lineno
        elif (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            yield from [node.lineno] if any(map(_ACCOUNT.search, names)) else []


_WRONG_METRIC = re.compile(
    r"\bheuristic|\binstead\b|\bnot (?:the )?(?:exact|same|match\w*|hypothesis)|\bdoes not"
    r" match\b|\bwrong\b|"
    r"\bhard-?cod|\bdiffer|"
    r"\bnot stored?\b"
)


@check("primary_metric")
def primary_metric(case: Case) -> Answer:
    """A claim that the primary metric is another is false where the exported key has the
    hypothesis' own words.
    """
    if (
        not _WRONG_METRIC.search(case.said)
        or case.claim.hedged
        or re.search(r"\bhard-?cod", case.said)
    ):
        return None
    wanted = case.facts.submission.context.primary_metric
    file = case.facts.python.get(_EVALUATE)
    if not wanted or file is None:
        return None
    values = [
        value
        for node in file.nodes
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == "primary_metric"
    ]
    if len(values) != 1 or _constant(file, values[0]) != wanted:
        return None
    line = values[0].lineno
    return remark(
        f"{_EVALUATE}:{line} exports the hypothesis' own words as primary_metric",
        Span(_EVALUATE, line),
    )


def _constant(file: PythonFile, value: ast.expr) -> object:
    """The value of a constant, or of a name that the file binds once, to a constant."""
    if isinstance(value, ast.Constant):
        return value.value
    if not isinstance(value, ast.Name):
        return None
    bound = [
        node.value
        for node in file.nodes
        if isinstance(node, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == value.id for target in node.targets)
    ]
    return bound[0].value if len(bound) == 1 and isinstance(bound[0], ast.Constant) else None
