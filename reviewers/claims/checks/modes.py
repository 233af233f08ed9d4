"""Claims about trial and full mode: what a mode sets, where loops stop, and whether that comes
before WandB starts.
"""

import ast
import re
from collections.abc import Iterator, Sequence

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, join, remark
from reviewers.claims.checks.config_values import assigned_pairs
from reviewers.claims.statements import known
from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import own_nodes
from reviewers.facts.trial_mode import Setting
from reviewers.records import Span

_TRAIN = "src/train.py"
_KEY = r"[A-Za-z_]\w*(?:\.\w+)*"
_VALUE = r"(?:\"[^\"\n]*\"|'[^'\n]*'|-?\d[\w.+-]*|[A-Za-z_][\w-]*)"
_TRIAL = re.compile(r"\btrial\b|\btrial_mode\b")
_MOST_DEPTH = 6
_WORDS = frozenset(
    [
        "trial",
        "mode",
        "modes",
        "trial-mode",
        "when",
        "whenever",
        "if",
        "force",
        "forces",
        "forced",
        "override",
        "overrides",
        "overridden",
        "limit",
        "limits",
        "reduce",
        "reduces",
        "automatically",
        "epochs",
        "trials",
        "optuna",
        "wandb",
        "cfg",
        "full",
        "branch",
        "true",
        "only",
        "equals",
    ]
)


@check("trial_sets")
def trial_sets(case: Case) -> Answer:
    """ "Trial mode sets X to Y" holds where what is assigned in trial mode only says so."""
    text = case.claim.text
    full = re.search(r"\bfull\b", case.said) is not None
    if full == bool(_TRIAL.search(case.said)) or case.claim.hedged or case.denies:
        return None
    text = re.sub(
        rf"\b(?:sets?|forces?|reduces?|limits?) `?({_KEY})`? to `?({_VALUE})`?",
        r" \1 is set to \2 ",
        text,
    )
    text = re.sub(
        r"`?(?:cfg\.|config\.|args\.)?(?:trial_)?mode`? ?(?:==?|is)"
        r" ?[\"'`]{0,2}(?:trial|true)[\"'`]{0,2}",
        " trial ",
        text,
        flags=re.I,
    )
    pairs, rest = assigned_pairs(text)
    words = re.findall(r"[a-z][\w'-]*", re.sub(r"\([^()]*\)", " ", rest).casefold())
    allowed = _WORDS | known().of_config | known().filler
    files = [path for path, _ in case.python()] if case.claim.own.files else list(case.facts.python)
    if not pairs or any(
        word not in allowed for word in words if not any(word in path for path in files)
    ):
        return None
    found: list[Setting] = []
    settings = list(_full_settings(case)) if full else case.facts.trial_mode.settings
    for key, value in pairs:
        about = [each for each in settings if each.span.file in files and _is_of(each.target, key)]
        same = [each for each in about if each.value is not None and _alike(each.value, value)]
        if not same:
            known_values = about and all(each.value is not None for each in about)
            if not known_values or len(pairs) > 1:
                return None
            return remark(
                f"{about[0].span} sets {code(about[0].target)} to {about[0].value!r} in"
                f" {'full' if full else 'trial'} mode",
                about[0].span,
            )
        found.append(same[0])
    shown = join([f"{each.span} sets {code(each.target)} to {each.value!r}" for each in found])
    return confirmed(f"In {'full' if full else 'trial'} mode {shown}", found[0].span)


def _full_settings(case: Case) -> Iterator[Setting]:
    """The assignments of what a condition leads to that asks for full mode, or for no trial."""
    for path, file in case.facts.python.items():
        for node in file.nodes:
            if (
                not isinstance(node, ast.If)
                or not isinstance(node.test, ast.Compare)
                or not isinstance(node.test.ops[0], ast.Eq)
            ):
                continue
            test = ast.unparse(node.test)
            otherwise = (
                node.orelse
                if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If)
                else []
            )
            for part in node.body if "'full'" in test else otherwise if "'trial'" in test else []:
                if isinstance(part, ast.Assign) and isinstance(part.value, ast.Constant):
                    yield Setting(
                        ast.unparse(part.targets[0]), part.value.value, Span(path, part.lineno)
                    )


def _is_of(target: str, key: str) -> bool:
    return f".{target}".endswith(f".{key.removeprefix('cfg.').removeprefix('config.')}")


def _alike(found: object, said: object) -> bool:
    return found == said or str(found).casefold() == str(said).strip("\"'").casefold()


_STOPS = re.compile(
    r"\b(?:loops?|training|validation|iteration|epoch)\b[^.;]{0,40}?\b(?:breaks?|stops?|exits?|ends?|(?:is|"
    r"are) (?:cut|broken|shortened|"
    r"truncated|limited))\b(?: \w+){0,2}? ?(?:early|short|off|after|to)?\b[^.;]*\btrial\b"
)


@check("trial_breaks")
def trial_breaks(case: Case) -> Answer:
    """A loop is broken off in trial mode where a condition on the mode leads to `break` within a
    loop.
    """
    if (
        not _STOPS.search(case.said)
        or case.claim.hedged
        or case.denies
        or len(case.said.split()) > _FEW_WORDS
    ):
        return None
    found = trial_break(case, [path for path, _ in case.python(_TRAIN)])
    return (
        confirmed(
            f"{found} breaks the loop off in trial mode: {code(case.facts.code(found), 90)}", found
        )
        if found
        else None
    )


def trial_break(case: Case, files: Sequence[str]) -> Span | None:
    """The lines of a condition on trial mode that breaks a loop off; in any file but evaluate.py
    where none is named.
    """
    for path, file in case.facts.python.items():
        if path not in files if files else path == "src/evaluate.py":
            continue
        for node in file.nodes:
            if (
                isinstance(node, ast.If)
                and re.search(r"trial", ast.unparse(node.test))
                and "!=" not in ast.unparse(node.test)
            ):
                stops = [part for part in node.body if isinstance(part, ast.Break)]
                if stops:
                    return Span(path, node.lineno, stops[0].lineno)
    return None


_FEW_WORDS = 16
_BEFORE = re.compile(
    r"\b(?:initiali[sz]\w+|inits?|consults?|reads?|starts?|calls?|checks?|evaluates?|uses?|creates?|(?:is|"
    r"are) (?:initiali[sz]ed|started|called|read))\b"
    r"[^.;]*(?<!\w)\*{0,2}before\*{0,2}\b(?P<then>[^;]*)"
)
_SWITCH = re.compile(r"(?<![a-z])(?:mode|trial)(?![a-z])")


@check("mode_order")
def mode_order(case: Case) -> Answer:
    """WandB is started before or after the mode is applied: the order in which train.py's entry
    function comes to both.
    """
    said = re.sub(r"(?<=\w)\.(?=\w)", "_", case.said)
    match = _BEFORE.search(said)
    entry = case.facts.hydra.entry_points.get(_TRAIN)
    file = case.facts.python.get(_TRAIN)
    if (
        match is None
        or not _SWITCH.search(match["then"])
        or "wandb" not in said[: match.start("then")]
        or entry is None
        or file is None
    ):
        return None
    if case.claim.own.files and _TRAIN not in case.claim.own.files:
        return None
    steps = list(_steps(file, entry.function.rpartition(".")[2], ()))
    started = [number for number, (kind, _) in enumerate(steps) if kind == "start"]
    applied = [number for number, (kind, _) in enumerate(steps) if kind == "mode"]
    if not started or not applied:
        return None
    first, then = steps[applied[0]][1], steps[started[0]][1]
    order = "after" if applied[0] < started[0] else "before"
    told = (
        f"{_TRAIN}:{first} sets WandB's mode for a trial, and line {then} starts WandB {order} that"
    )
    span = Span(_TRAIN, then)
    return remark(told, span) if applied[0] < started[0] else confirmed(told, span)


def _steps(file: PythonFile, name: str, inside: Sequence[str]) -> Iterator[tuple[str, int]]:
    """The starts of WandB and the settings of its mode, in the order in which a function comes to
    them.
    """
    function = file.functions.get(name)
    if function is None or name in inside or len(inside) > _MOST_DEPTH:
        return
    for node in sorted(
        own_nodes(function),
        key=lambda node: (getattr(node, "lineno", 0), getattr(node, "col_offset", 0)),
    ):
        if isinstance(node, ast.Assign) and any(
            "wandb.mode" in ast.unparse(target).casefold() for target in node.targets
        ):
            if any(
                isinstance(above, ast.If) and "mode" in ast.unparse(above.test)
                for above in file.ancestors(node)
            ):
                yield "mode", node.lineno
        elif isinstance(node, ast.Call):
            if file.resolve(node.func) == "wandb.init":
                yield "start", node.lineno
            elif isinstance(node.func, ast.Name):
                yield from _steps(file, node.func.id, (*inside, name))


_WHOLE_DATA = re.compile(
    r"\b(?:data-?sets?|data)(?: sizes?)?\b[^.;]{0,15}\b(?:is|are|being)? ?(?:not|never|"
    r"n't)\b[^.;]{0,12}\b(?:sub-?sampled|sub-?set|reduced|cut|limited|truncated)\b"
)
_PARTS = re.compile(
    r"Subset\(|\.select\(|\.take\(|islice|\.sample\(|\.head\(|\[:\s*[\w.]|%\]|train\[|max_samples|num_samples|\.shard\("
)


@check("data_not_cut")
def data_not_cut(case: Case) -> Answer:
    """No data set is cut to a part where nothing in train.py and preprocess.py takes one."""
    if not _WHOLE_DATA.search(case.said) or case.claim.hedged:
        return None
    paths = [
        path for path in (_TRAIN, "src/preprocess.py", "src/main.py") if path in case.facts.python
    ]
    if _TRAIN not in paths or any(case.facts.python[path].tree is None for path in paths):
        return None
    hit = next(
        (
            (path, number)
            for path in paths
            for number, line in enumerate(case.facts.lines(path), 1)
            if _PARTS.search(line.split("#")[0])
        ),
        None,
    )
    if hit is not None:
        return None
    branch = next((each.span for each in case.facts.trial_mode.settings), None)
    return confirmed(
        f"Nothing in {join(paths)} takes a part of a data set: no subset, select, take, sample or"
        " slice",
        branch or Span(_TRAIN),
    )
