"""Rules for criterion 1: calls with arguments that third-party libraries do not take, and
attributes that their objects lack.
"""

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from packaging.specifiers import SpecifierSet
from rapidfuzz import fuzz, process

from reviewers.facts import Facts, PythonFile, yaml_config
from reviewers.facts.inherited_calls import inherited_call
from reviewers.facts.python_file import Call
from reviewers.facts.third_party import Availability, CallFit, Signature, VersionChange
from reviewers.records import Severity, Span
from reviewers.rules.base import Flag, again, denies, rule, symptoms
from reviewers.rules.guards import is_guarded
from reviewers.rules.library_names import known_change, version_drift

_MOST_SHOWN = 8
# A similarity out of 100: 92 for `projct` and `project`, 29 for `axis` and `dim`.
_NEAR_NAME = 75
_NO_KEYWORD = "takes no keyword "
_CONFIG = re.compile(r"_?(\w+_)?(cfg|conf|config)")


@rule(
    id="IM10",
    category="call-signature",
    severity="blocker",
    stops="TypeError",
    summary="a library's function or method does not take these arguments",
    example="""
          from omegaconf import OmegaConf

          def prepared(cfg):
        -     return OmegaConf.to_container(cfg, deepcopy=True)  # flag: IM10
        +     return OmegaConf.to_container(cfg, resolve=True)
    """,
)
def refused_arguments(facts: Facts) -> Iterator[Flag]:
    """Models confuse the keywords of similar functions; the call raises TypeError in the version
    that would be installed. The parameters come from the libraries' wheels, those of methods only
    if the class of the object is certain; an unpacked mapping counts if the configuration of every
    run shows its keys.
    """
    for path, file in facts.python.items():
        found: dict[tuple[str, str], list[tuple[Call, Refusal]]] = {}
        for call in file.calls:
            for refusal in refusals(facts, file, call.node):
                if not is_guarded(file, call.node, "TypeError"):
                    found.setdefault((refusal.shown, refusal.problem), []).append((call, refusal))
        for (shown, problem), places in found.items():
            call, refusal = places[0]
            message = (
                f"`{shown}` {problem}{refusal.when}: TypeError"
                f"{_remedy(problem, refusal.signature)}{refusal.drift}"
            )
            used = any(facts.library_types.code.is_used(file, other.scope) for other, _ in places)
            evidence = (
                f"`{shown}` takes {_listed(refusal.signature)}" if refusal.signature else None
            )
            where, *others = (_refused_line(other, refusal) for other, refusal in places)
            yield Flag(
                Span(path, where),
                message,
                evidence,
                None if used and not refusal.drift else Severity.MAJOR,
                (
                    *symptoms([Span(path, call.line)] if where != call.line else []),
                    *again(Span(path, line) for line in others),
                ),
                names=(shown,),
            )


def _refused_line(call: Call, refusal: "Refusal") -> int:
    """The line of the keyword that a callable does not take; else that of the call."""
    wrong = refused_keyword(refusal.problem)
    lines = (word.lineno for word in call.node.keywords if wrong and word.arg == wrong)
    return next(lines, call.line)


def refused_keyword(problem: str) -> str:
    """The keyword that a callable does not take; empty if the problem is another one."""
    return problem.removeprefix(_NO_KEYWORD).strip("'") if problem.startswith(_NO_KEYWORD) else ""


@rule(
    id="IM11",
    category="nonexistent-api",
    severity="blocker",
    stops="AttributeError",
    summary="an object of a library has no such attribute in the versions that are allowed",
    example="""
          import wandb

          def announced(cfg):
              run = wandb.init(project=cfg.wandb.project)
        -     if run.mode != "disabled":  # flag: IM11
        +     if cfg.wandb.mode != "disabled":
                  print(run.url)
    """,
)
def nonexistent_attribute(facts: Facts) -> Iterator[Flag]:
    """The line raises AttributeError; the class of the object is followed from where a library
    returns it. The rule is silent if the object may be of another class, if something sets the
    attribute, or if the code checks first.
    """
    for path, file in facts.python.items():
        found: dict[
            tuple[tuple[str, ...], str], tuple[set[VersionChange | None], str, list[int]]
        ] = {}
        for node in file.of(ast.Attribute):
            if isinstance(node.ctx, ast.Load) and not node.attr.startswith("_"):
                kinds = facts.library_types.of(file, node.value)
                called = _is_called(file, node)
                lacking = [_lacking(facts, kind, node.attr, called) for kind in sorted(kinds)]
                if any(lacking) and None not in lacking:
                    asked = facts.library_types.may_have(file, node.value, node.attr)
                    if not asked and not is_guarded(file, node, "AttributeError"):
                        known = [has for has in lacking if has is not None]
                        drifts = {
                            version_drift(facts, has.presence, kind)
                            for has, kind in zip(known, sorted(kinds), strict=True)
                        }
                        _, _, lines = found.setdefault(
                            (tuple(sorted(kinds)), node.attr),
                            ({has.change for has in known}, "".join(sorted(drifts)[-1:]), []),
                        )
                        lines.append(node.lineno)
        for (owners, attribute), (changes, drift, lines) in found.items():
            owner = " or ".join(f"`{name}`" for name in owners)
            used = any(
                facts.library_types.code.is_used(file, file.scope_at(line)) for line in lines
            )
            history, remedy = _boundary(changes)
            yield Flag(
                Span(path, lines[0]),
                f"this {owner} has no `{attribute}`{history}: AttributeError:"
                f" '{owners[0].rpartition('.')[2]}' object has no attribute '{attribute}';"
                f" {remedy}{drift}",
                f"no class body of {owner} and no method of it sets `{attribute}`",
                None if used and not drift else Severity.MAJOR,
                again(Span(path, line) for line in lines),
                says=denies("library_has", name=f"{owners[0]}.{attribute}"),
            )


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a call does not fit: `shown` is the callee, `when` the condition of the arguments, and
    `drift` whether only a later release rejects it.
    """

    shown: str
    problem: str
    signature: Signature | None
    when: str = ""
    drift: str = ""


@dataclass(frozen=True, slots=True)
class _Given:
    positional: int
    keywords: tuple[str, ...]
    star_args: bool = False
    star_kwargs: bool = False
    when: str = ""


def refusals(facts: Facts, file: PythonFile, call: ast.Call) -> Iterator[Refusal]:
    """Why a call of a library's callable does not fit, one keyword after the other; nothing where
    it fits or that is not known.
    """
    types, index = facts.library_types, facts.third_party
    owners: list[str | None] = [None]
    given_ones: Iterable[_Given] = _given(facts, file, call)
    if (name := types.outside(file, call.func)) is not None:
        shown = _short(name)
    elif isinstance(call.func, ast.Attribute) and (kinds := types.of(file, call.func.value)):
        name, owners = call.func.attr, [*sorted(kinds)]
        shown = f"{min(kinds).rpartition('.')[2]}.{name}"
    elif (made := inherited_call(facts.local_code, file, call)) is not None:
        name = made.base
        shown = f"{ast.unparse(call.func)} ({_short(name)})"
        told = made.positional, made.keywords, made.star_args, made.star_kwargs
        given_ones = [_Given(*told)] if index.distribution_of(name) else []
    else:
        return
    for given in given_ones:
        is_told = False
        while all(misfits := [_misfit(facts, name, given, owner) for owner in owners]):
            problem, drift = misfits[0] or ("", "")
            first = owners[0]
            allowed = facts.allowed_versions(first or name, as_meant=True)
            signature = (
                index.method(first, name, allowed) if first else index.signature(name, allowed)
            )
            yield Refusal(shown, problem, signature, given.when, drift)
            wrong = refused_keyword(problem)
            if not wrong or wrong not in given.keywords:
                return
            rest = tuple(word for word in given.keywords if word != wrong)
            given, is_told = replace(given, keywords=rest), True
        if is_told:
            return


def _given(facts: Facts, file: PythonFile, call: ast.Call) -> Iterator[_Given]:
    """The arguments of a call: as written, and those that unpacking a mapping adds in the runs."""
    positional = sum(not isinstance(value, ast.Starred) for value in call.args)
    keywords = tuple(word.arg for word in call.keywords if word.arg is not None)
    unpacked = [word.value for word in call.keywords if word.arg is None]
    yield _Given(positional, keywords, len(call.args) > positional, bool(unpacked))
    if len(unpacked) != 1 or _is_edited(file, unpacked[0]):
        return
    shown = f"with **{ast.unparse(unpacked[0])[:60]} of"
    for start, passed in facts.hydra.passed.get(call, ()):
        if passed.certain and not passed.open:
            yield _Given(positional, tuple(passed.keywords), when=f" {shown} {start.told}")
    if isinstance(call.func, ast.Attribute) and call.func.attr.startswith("suggest_"):
        for run_id, names in _written(facts, unpacked[0], keywords):
            when = f" {shown} run {run_id}"
            yield _Given(positional, names, len(call.args) > positional, True, when)


def _written(
    facts: Facts, mapping: ast.expr, keywords: tuple[str, ...]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The keywords that `**cfg.a.b` gives in each run, even if the code stops earlier."""
    root, *path = ast.unparse(mapping).split(".")
    if not path or not _CONFIG.fullmatch(root) or not all(part.isidentifier() for part in path):
        return
    for run in facts.runs:
        value: object = yaml_config.values(run.file.text)
        for part in path[path[0] in facts.hydra.groups :]:
            value = value.get(part) if isinstance(value, dict) else None
        if isinstance(value, dict) and value:
            yield run.run_id, (*keywords, *map(str, value))


def _is_edited(file: PythonFile, mapping: ast.expr) -> bool:
    """Whether the code edits the keys of a mapping depending on more than the configuration."""
    text = ast.unparse(mapping)
    for node in file.of(ast.Call, ast.Subscript):
        match node:
            case ast.Call(
                func=ast.Attribute(
                    value=owner, attr="pop" | "popitem" | "clear" | "update" | "setdefault"
                )
            ):
                if ast.unparse(owner) == text:
                    return True
            case ast.Subscript(value=owner, ctx=ast.Store() | ast.Del()):
                if ast.unparse(owner) == text:
                    return True
    return False


def _misfit(
    facts: Facts, name: str, given: _Given, owner: str | None = None
) -> tuple[str, str] | None:
    """Why the newest allowed version refuses a call, and whether only a later release does; None
    where it takes the call or that is not known.
    """

    def fit(allowed: SpecifierSet | None) -> CallFit:
        starred = {"star_args": given.star_args, "star_kwargs": given.star_kwargs}
        return facts.third_party.fits(
            name, given.positional, given.keywords, allowed, owner=owner, **starred
        )

    if False not in fit(None).availability.presence.states:
        return None  # before the slower check of the allowed versions
    found = fit(facts.allowed_versions(owner or name, as_meant=True))
    if found.problem is None or found.availability.newest is not False:
        return None
    drift = version_drift(facts, found.availability.presence, owner or name)
    return found.problem, drift


def _lacking(facts: Facts, owner: str, attribute: str, called: bool) -> Availability | None:
    """What is known about an attribute that instances lack in the newest allowed version; None if
    they may have it.
    """
    index, allowed = facts.third_party, facts.allowed_versions(owner, as_meant=True)
    if facts.library_types.classes.may_be_subclass(owner):
        return None
    if index.attribute_exists(owner, attribute).presence.states[-1] is True and allowed is None:
        return None
    of_instance = index.attribute_exists(owner, attribute, allowed)
    if of_instance.newest is False:
        return of_instance
    of_class = index.exists(f"{owner}.{attribute}", allowed)
    if of_class.newest is not False or index.exists(owner, allowed).newest is not True:
        return None
    # A class that accepts any attribute still lacks removed methods.
    is_gone = facts.library_types.classes.is_whole(owner) or (called and of_class.change)
    return of_class if is_gone else None


def _is_called(file: PythonFile, node: ast.Attribute) -> bool:
    around = file.parents.get(node)
    return isinstance(around, ast.Call) and around.func is node


def _boundary(changes: Collection[VersionChange | None]) -> tuple[str, str]:
    """Which versions are known to have an attribute and to lack it, and how to fix that.

    A remedy names only a version that is known to have it; if classes differ, there is none.
    """
    change = next(iter(changes)) if len(changes) == 1 else None
    if change is None:
        return "", "leave it out"
    bound = "<=" if change.is_loss else ">="
    return (
        f" ({known_change(change)})",
        f"leave it out, or require {change.library}{bound}{change.has}",
    )


def _short(name: str) -> str:
    return ".".join(name.split(".")[-2:])


def _listed(signature: Signature) -> str:
    names = [parameter.name for parameter in signature.parameters]
    shown = ", ".join(names[:_MOST_SHOWN]) + (", …" if len(names) > _MOST_SHOWN else "")
    return f"({shown})"


def _remedy(problem: str, signature: Signature | None) -> str:
    """In a few words, what the call should look like; empty if that is not known."""
    if signature is None:
        return ""
    if wrong := refused_keyword(problem):
        names = [
            parameter.name
            for parameter in signature.parameters
            if parameter.kind in ("either", "keyword")
        ]
        near = process.extractOne(wrong, names, scorer=fuzz.ratio, score_cutoff=_NEAR_NAME)
        return f"; the nearest name is `{near[0]}`" if near else "; leave it out"
    return f"; its parameters are {_listed(signature)}"
