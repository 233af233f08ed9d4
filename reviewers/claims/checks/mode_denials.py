"""Claims that a mode is not handled, or that trial mode leaves something as it is: what its
branches set says whether it does.
"""

import ast
import re
from collections.abc import Callable

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, remark
from reviewers.claims.checks.modes import trial_break
from reviewers.facts.trial_mode import Setting
from reviewers.records import Span

_TRAIN = "src/train.py"
_TRIAL = re.compile(r"\btrial(?:[- ]mode)?\b(?!s)")
_OF_A_STUDY = re.compile(
    r"\b(?:best|each|every|per|one|first|last|failed|final|optuna(?:'s)?)"
    r" trial\b|\btrial's\b|\bretrain|\bfinish"
)
_SOME = re.compile(
    r"\b(?:only|properly|fully|correctly|consistently|everywhere|entirely|guarante\w*|early"
    r" enough|sufficient\w*|"
    r"before|after|when|if|"
    r"unless|directly|validation|evaluation|test|evaluate\.py|explicit\w*|incomplete|partial\w*|except|enough|small|still"
    r" uses)\b"
)
_LEFT = (
    r"(?:not|never|n't|without|fails? to|leaves?|keeps?|still|full|all|every|ignores?|"
    r"unlimited|online|enabled|as well|anyway|(?:rather than|instead of) (?:0|zero|none))\b"
)
_FEW_WORDS = 16


def _number(limit: int) -> Callable[[Setting], bool]:
    return lambda each: (
        isinstance(each.value, int) and not isinstance(each.value, bool) and each.value <= limit
    )


_FAMILIES: tuple[tuple[re.Pattern[str], str, re.Pattern[str], Callable[[Setting], bool]], ...] = (
    (
        re.compile(
            r"\b(?:optuna|n_trials|hyper-?parameter"
            rf" search|trials)\b[^;]*\b{_LEFT}|\b{_LEFT}[^;]*\b(?:optuna|n_trials|trials)\b"
        ),
        "trial-optuna",
        re.compile(r"n_trials$|num_trials$"),
        _number(0),
    ),
    (
        re.compile(rf"\bepochs?\b[^;]*\b{_LEFT}|\b{_LEFT}[^;]*\bepochs?\b"),
        "trial-epochs",
        re.compile(r"epochs?$"),
        _number(1),
    ),
    (
        re.compile(rf"\bwandb\b[^;]*\b{_LEFT}|\b{_LEFT}[^;]*\bwandb\b"),
        "trial-tracking",
        re.compile(r"wandb\W*(?:mode|enabled)\W*$|WANDB_(?:MODE|DISABLED)\W*$", re.IGNORECASE),
        lambda each: str(each.value).casefold() in ("disabled", "false", "true"),
    ),
    (
        re.compile(
            rf"\b(?:batch(?:es)?|loaders?|data-?loaders?|steps)\b[^;]*\b{_LEFT}|\b{_LEFT}[^;]*\b(?:batch(?:es)?|loaders?|data-?loaders?)\b"
        ),
        "trial-batches",
        re.compile(r"batch(?:es)?$|steps$|limit\w*$|max_\w*$"),
        _number(4),
    ),
)


@check("trial_denied")
def trial_denied(case: Case) -> Answer:
    """ "Trial mode does not disable X" is false where a branch for trial mode does just that, and
    no rule finds it wanting.
    """
    said = re.sub(r"\([^()]*\)", " ", case.said)
    if (
        not _TRIAL.search(said)
        or _OF_A_STUDY.search(said)
        or case.claim.hedged
        or _SOME.search(said)
        or len(said.split()) > _FEW_WORDS
    ):
        return None
    asked = [family for family in _FAMILIES if family[0].search(said)]
    if len(asked) != 1:
        return None
    _, kind, target, enough = asked[0]
    finding = next(case.decided_by(kind), None)
    files = [path for path in case.claim.own.files if path in case.facts.python]
    if finding is not None:
        return (
            confirmed(finding.check.evidence, finding.span)
            if not files or (finding.span and finding.span.file in files)
            else None
        )
    found = [
        each
        for each in case.facts.trial_mode.settings
        if target.search(each.target)
        and enough(each)
        and (not files or each.span.file in files)
        and _is_read(case, each)
    ]
    if found:
        return remark(
            f"{found[0].span} sets {code(found[0].target)} to {found[0].value!r} in trial mode",
            found[0].span,
        )
    if kind == "trial-batches" and (stop := trial_break(case, files)):
        return remark(f"{stop} breaks the loop off in trial mode", stop)
    return None


def _is_read(case: Case, setting: Setting) -> bool:
    """Whether what is set is read anywhere; environment variables are read by the libraries that
    they are for.
    """
    last = re.split(r"[.\[]", setting.target)[-1].strip("]'\"")
    if "environ" in setting.target:
        return True
    return any(
        isinstance(node, ast.Attribute | ast.Name)
        and isinstance(node.ctx, ast.Load)
        and (node.attr if isinstance(node, ast.Attribute) else node.id) == last
        for file in case.facts.python.values()
        for node in file.nodes
    )


_SETS_NO = re.compile(
    r"\b(?:does|do) not"
    r" (?:set|define|specify|override)\b[^.;]*\b(?P<what>epochs?|steps|batch(?:es)?)\b"
)


@check("trial_sets_no")
def trial_sets_no(case: Case) -> Answer:
    """Trial mode sets no number of epochs where none of its branches names them."""
    match = _SETS_NO.search(case.said)
    mode = case.facts.trial_mode
    if (
        match is None
        or not _TRIAL.search(case.said)
        or case.claim.hedged
        or not mode.is_readable
        or not mode.settings
    ):
        return None
    if len(case.said.split()) > _FEW_WORDS or match["what"] not in ("epoch", "epochs"):
        return None
    lines = (
        line.casefold()
        for path in case.facts.python
        if path != "src/evaluate.py"
        for line in case.facts.lines(path)
    )
    if any("epoch" in each.target.casefold() for each in mode.settings) or any(
        "trial" in line and "epoch" in line for line in lines
    ):
        return None
    shown = ", ".join(dict.fromkeys(code(each.target) for each in mode.settings))
    return confirmed(
        f"Trial mode sets {shown} from {mode.settings[0].span} on, and nothing named after epochs",
        mode.settings[0].span,
    )


_SWITCHES_OFF = re.compile(
    r"\btrial(?:[- ]mode)?\b[^.;]{0,20}?\b(?:disables?|turns? off|switch(?:es)? off|skips?)\b"
    r" (?:the )?(?P<what>wandb|optuna)\b|"
    r"\b(?P<other>wandb|optuna)\b (?:is|are) (?:disabled|turned off|switched off|skipped)"
    r" (?:in|during|for|"
    r"under) (?:the )?trial\b"
)


@check("trial_off")
def trial_off(case: Case) -> Answer:
    """ "Trial mode disables WandB" holds where one of its branches does, and not where a rule finds
    that none does.
    """
    match = _SWITCHES_OFF.search(case.said)
    if (
        match is None
        or case.claim.hedged
        or case.denies
        or len(case.said.split()) > _FEW_WORDS
        or _SOME.search(case.said)
    ):
        return None
    kind = "trial-tracking" if "wandb" in (match["what"], match["other"]) else "trial-optuna"
    if finding := next(case.decided_by(kind), None):
        return remark(finding.check.evidence, finding.span)
    _, _, target, enough = next(family for family in _FAMILIES if family[1] == kind)
    found = [
        each
        for each in case.facts.trial_mode.settings
        if target.search(each.target) and enough(each) and _is_read(case, each)
    ]
    return (
        confirmed(
            f"{found[0].span} sets {code(found[0].target)} to {found[0].value!r}", found[0].span
        )
        if found
        else None
    )


_IGNORED = re.compile(
    r"\bmode(?:=\w+)?\b[^.;]{0,25}\b(?:is|are)? ?(?:(?:completely |simply |entirely"
    r" )?ignored|(?:never|"
    r"not) (?:handled|implemented|read|used|checked|considered|evaluated|supported))\b"
    r"|\b(?:no|without|lacks?|missing) (?:any"
    r" )?(?:handling|support|implementation|distinction|logic)\b[^.;]{0,25}\bmodes?\b"
    r"|\bneither trial nor full(?: mode)? is\b|\bno (?:trial|full)(?:/full)?[-"
    r" ]mode\b|\b(?:ignores?|"
    r"never (?:reads?|checks?|handles?)) (?:the )?`?(?:cfg\.)?mode\b"
)
_WANDB_MODE = re.compile(r"\bwandb[._ ]mode\b|\boffline\b|\bstrict\b|\bstruct\b")


@check("mode_ignored")
def mode_ignored(case: Case) -> Answer:
    """The mode is handled where a condition asks for it, and ignored where no code but evaluate.py
    names either mode.
    """
    if (
        not _IGNORED.search(case.said)
        or _WANDB_MODE.search(case.said)
        or case.claim.hedged
        or _SOME.search(case.said)
    ):
        return None
    mode = case.facts.trial_mode
    files = [path for path in case.claim.own.files if path in case.facts.python]
    if mode.settings and len(case.said.split()) < _FEW_WORDS:
        here = [each.span for each in mode.settings if not files or each.span.file in files]
        return remark(f"{here[0]} does something in trial mode only", here[0]) if here else None
    if mode.is_asked_for or not mode.is_readable:
        return None
    words = [
        literal.value
        for path, file in case.facts.python.items()
        for literal in file.strings
        if path != "src/evaluate.py" and not literal.is_docstring
    ]
    if any(word in ("trial", "full") for word in words) or _TRAIN not in case.facts.python:
        return None
    return confirmed(
        "No condition in any file asks whether the mode is trial or full", Span(_TRAIN)
    )
