"""Chains of image transforms: each step says which kinds of image it takes and gives, by a table
(`transforms.toml`); a chain is refused where no kind of image can pass.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from reviewers.facts.config_flow.calls import unknown
from reviewers.facts.config_flow.data_values import DataError, Modelled
from reviewers.facts.config_flow.library_values import Made
from reviewers.facts.config_flow.tables import CALLED, OutsideCall, method, transfer
from reviewers.facts.config_flow.values import UNKNOWN, Value
from reviewers.records import Span

_TABLE = tomllib.loads(resources.files(__package__).joinpath("transforms.toml").read_text("utf-8"))
_MODULES = {"v1": "torchvision.transforms", "v2": "torchvision.transforms.v2"}
_ENTRIES: Mapping[str, Mapping[str, Any]] = {
    f"{_MODULES[entry['module']]}.{inner}{name}": entry
    for entry in _TABLE["transform"]
    for name in entry["names"]
    for inner in (("", "transforms.") if entry["module"] == "v1" else ("",))
}
_COMPOSED = tuple(f"{module}.Compose" for module in _MODULES.values())
_ANY = frozenset({"pil", "ndarray", "tensor", "tuple of images", "anything else"})
_IMAGE = "PIL.Image.Image"
Kinds = frozenset[str]


@dataclass(frozen=True, eq=False, slots=True)
class Transform(Modelled):
    """One transform, or several in a row.

    Attributes:
        entry: what the table says of it; empty for several.
        steps: what it consists of, UNKNOWN among it.
        at: where it was made.
    """

    name: str
    entry: Mapping[str, Any]
    steps: tuple[Value, ...] = ()
    at: Span | None = None

    def passed(self, kinds: Kinds, before: "Transform | None" = None) -> Kinds:
        """The kinds of image that come out where one of these goes in.

        Raises:
            DataError: it takes none of them.
        """
        if self.steps:
            for step in self.steps:
                if isinstance(step, Transform):
                    kinds, before = step.passed(kinds, before), step
                else:
                    kinds, before = _ANY, None
            return kinds
        takes = frozenset(self.entry["takes"])
        if self.entry["module"] == "v2":
            takes |= _ANY - {"pil", "ndarray", "tensor"}  # which it passes on
        if not kinds & takes and kinds < _ANY:
            got = " or ".join(sorted(kinds))
            behind = f" behind {before.name}" if before else ""
            error, _, said = self.entry["said"].partition(": ")
            message = f"{said}: {self.name}{behind} gets a {got} image"
            places = [one.at for one in (before, self) if one is not None]
            raise DataError("transforms", error, message, at=places[0], further=places)
        if "gives" in self.entry:
            return frozenset({self.entry["gives"]})
        kinds &= takes
        if "pil_gives" in self.entry and "pil" in kinds:
            kinds = kinds - {"pil"} | {self.entry["pil_gives"]}
        return kinds


@transfer(*_ENTRIES)
def _transform(call: OutsideCall, *args: Value) -> Value:
    return Transform(call.callee.short, _ENTRIES[call.name], at=call.line)


@transfer(*_COMPOSED, "torchvision.transforms.transforms.Compose")
def _composed(call: OutsideCall, transforms: Value) -> Value:
    steps = call.follower.turns(transforms) if isinstance(transforms, list) else None
    if not steps:
        return unknown(call)
    made = Transform("Compose", {}, tuple(steps), call.line)
    made.passed(_ANY)
    return made


@transfer(*_TABLE["images"]["pil"])
def _data_set(call: OutsideCall, root: Value = None, transform: Value = None) -> Value:
    """A data set of images, which gives each one to its transform."""
    given = call.keywords.get("transform")
    if isinstance(given, Transform) and not {"loader", "transforms"} & call.keywords.keys():
        given.passed(frozenset({"pil"}))
    return unknown(call)


@transfer(*_TABLE["images"]["opened"])
def _opened(call: OutsideCall) -> Value:
    return Made(_IMAGE, call.line)


@method(Made, "convert")
def _converted(call: OutsideCall, owner: Made) -> Value:
    return Made(_IMAGE, owner.at) if owner.kind == _IMAGE else unknown(call)


@method(Transform, CALLED)
def _called(call: OutsideCall, owner: Transform, image: Value = UNKNOWN) -> Value:
    if isinstance(image, Made) and image.kind == _IMAGE:
        owner.passed(frozenset({"pil"}))
    return unknown(call)
