"""Rules for criterion 1: names that third-party libraries do not have."""

import ast
import re
from collections.abc import Iterator

from reviewers.facts import Facts, PythonFile, yaml_config
from reviewers.facts.python_nodes import root_of
from reviewers.facts.third_party import Availability, Presence, VersionChange, lacking_in_standard
from reviewers.records import Severity, Span
from reviewers.rules.base import Flag, again, denies, rule
from reviewers.rules.guards import is_guarded


@rule(
    id="IM09",
    category="nonexistent-api",
    severity="blocker",
    stops="",
    summary="a library has no such name in the versions that are allowed",
    example="""
        - import hydra
        - from omegaconf import OmegaConf
        + import copy

          def prepared(cfg):
        -     return OmegaConf.deepcopy(cfg)  # flag: IM09
        +     return copy.deepcopy(cfg)
    """,
)
def nonexistent_library_name(facts: Facts) -> Iterator[Flag]:
    """Models write names that a library once had or never had; the line raises ImportError or
    AttributeError. The names come from the libraries' own wheels, read statically; the rule is
    silent if these leave it open.
    """
    for path, file in facts.python.items():
        seen: set[str] = set()
        for name, line, is_import in sorted(
            _asked(file), key=lambda asked: (asked[1], len(asked[0]))
        ):
            if any(name == known or name.startswith(f"{known}.") for known in seen):
                continue
            if (lacking := lacking_in_standard(name)) is not None:
                seen.add(lacking)
                history = f"no version of Python has `{lacking}`"
                yield Flag(
                    Span(path, line),
                    f"{history}: {_error(lacking, is_import)}",
                    history,
                    names=(lacking,),
                )
                continue
            has = facts.third_party.exists(name, facts.allowed_versions(name, as_meant=True))
            if has.newest is False:
                seen.add(name)
                history = _history(name, has)
                drift = version_drift(facts, has.presence, name)
                yield Flag(
                    Span(path, line),
                    f"{history}: {_error(name, is_import)}{drift}",
                    history,
                    Severity.MAJOR if drift else None,
                    says=denies("library_has", name=name),
                )


@rule(
    id="IM22",
    category="nonexistent-api",
    severity="blocker",
    stops="InstantiationException",
    summary="a configuration names a class for Hydra that its library does not have",
    example="""
          === src/train.py
          import hydra

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              optimizer = hydra.utils.instantiate(cfg.optimizer, lr=0.1)
          === config/runs/proposed.yaml
          run_id: proposed
          optimizer:
        -   _target_: torch.optim.AdamWeight  # flag: IM22
        +   _target_: torch.optim.AdamW
    """,
)
def nonexistent_target(facts: Facts) -> Iterator[Flag]:
    """`instantiate` imports what `_target_` names when it is called, after the data are loaded. The
    finding is major where no call of it mentions the section.
    """
    calls = [
        ast.unparse(call.node)
        for file in facts.python.values()
        for call in file.calls_of(*_INSTANTIATING)
    ]
    texts = {run.file.path: run.file.text for run in facts.runs} if calls else {}
    texts |= (
        {path: facts.hydra.yaml_files[path] for path in facts.hydra.yaml_files} if calls else {}
    )
    found: dict[str, list[tuple[Span, str]]] = {}
    for path, text in texts.items():
        lines = text.splitlines()
        for key, at in yaml_config.key_lines(text).items():
            given = _TARGET.match(lines[at[0] - 1]) if key.endswith("._target_") else None
            if given is not None:
                section = key.split(".")[-2]
                found.setdefault(given[1], []).append((Span(path, at[0]), section))
    for name, places in found.items():
        has = facts.third_party.exists(name, facts.allowed_versions(name, as_meant=True))
        if has.newest is not False:
            continue
        drift = version_drift(facts, has.presence, name)
        used = any(
            re.search(rf"\b{re.escape(section)}\b", call) for _, section in places for call in calls
        )
        yield Flag(
            places[0][0],
            f"{_history(name, has)}: InstantiationException: Error locating target '{name}'{drift}",
            None,
            None if used and not drift else Severity.MAJOR,
            again(span for span, _ in places[1:]),
            denies("library_has", name=name),
        )


_INSTANTIATING = ("hydra.utils.instantiate", "hydra.utils.call", "hydra.utils.get_class")
_TARGET = re.compile(r"""\s*(?:-\s*)?_target_:\s*["']?([A-Za-z_][\w.]*)["']?\s*(?:#.*)?$""")


def _asked(file: PythonFile) -> Iterator[tuple[str, int, bool]]:
    """Every dotted name from outside that the file imports or reads, with its line; guarded imports
    may fail.
    """
    guarded = {item.bound for item in file.imports if item.guarded}
    known = {*file.aliases, *(name.partition(".")[0] for name in file.aliases.values())} - guarded
    for item in file.imports:
        if not item.level and not item.guarded and item.name != "*":
            yield f"{item.module}.{item.name}" if item.name else item.module, item.line, True
    for node in file.of(ast.Attribute):
        if isinstance(node.ctx, ast.Load):
            first = root_of(node)
            if not isinstance(first, ast.Name) or first.id not in known:
                continue
            name = file.resolve(node)
            if name and file.is_evaluated(node) and not is_guarded(file, node, "AttributeError"):
                yield name, node.lineno, False


def version_drift(facts: Facts, presence: Presence, name: str) -> str:
    """Say that what a submission asks of a library was there when the submission was generated, and
    went with which later release; empty if it was not, or where the date is unknown.
    """
    generated = facts.submission.generated
    if generated is None:
        return ""
    day = generated.at.date()
    released = facts.third_party.released(presence.library)
    lost = presence.lost_after(facts.allowed_versions(name, as_meant=True), day, released)
    if lost is None:
        return ""
    return (
        f"; only since a release after the submission ({day}): {presence.library} {lost} is of"
        f" {released[lost]}"
    )


def known_change(change: VersionChange) -> str:
    """Say which indexed version has something and which lacks it; of those between them nothing is
    known.
    """
    still = "still has" if change.is_loss else "has"
    return (
        f"of the versions that areachair knows, {change.library} {change.has} {still} it and"
        f" {change.lacks} lacks it"
    )


def _history(name: str, has: Availability) -> str:
    library = has.presence.library
    if has.change is None:
        return f"no released version of {library} that areachair knows has `{name}`"
    return f"the {library} that gets installed has no `{name}` ({known_change(has.change)})"


def _error(name: str, is_import: bool) -> str:
    owner, _, last = name.rpartition(".")
    if is_import:
        return f"ImportError: cannot import name '{last}' from '{owner}'"
    return f"AttributeError: {owner} has no {last!r}"
