"""Guards what the index of libraries knows, and above all what it must not claim to know, on two
small hand-made libraries.
"""

import textwrap
import threading
import zipfile
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from reviewers.facts.third_party import Absent, Index, Known, Signature, Unknown, accepts
from reviewers.facts.third_party.building.build import build
from reviewers.facts.third_party.building.wheels import Library
from tests.reviewers.facts.toy_libraries import BASE, NEW, OLD

LIBRARIES = """
[base]
versions = ["0.9"]
[toys]
versions = ["1.0", "2.0"]
"""


def wheel(folder: Path, name: str, version: str, files: dict[str, str]) -> None:
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        for path, text in files.items():
            archive.writestr(path, textwrap.dedent(text))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("index")
    wheel(folder, "base", "0.9", BASE)
    wheel(folder, "toys", "1.0", OLD)
    wheel(folder, "toys", "2.0", NEW)
    (folder / "libraries.toml").write_text(LIBRARIES, "utf-8")
    build(Library("base", ("base",), ("0.9",)), folder, folder)
    build(
        Library(
            "toys",
            ("toys",),
            ("1.0", "2.0"),
            unknown=("toys.*Robot",),
            trusted="toys.stubbed.quick",
        ),
        folder,
        folder,
    )
    return folder


@pytest.fixture(scope="module")
def index(folder: Path) -> Index:
    return Index(folder, folder / "libraries.toml")


KNOWN = [
    "toys", "toys.Wheel", "toys.turn", "toys.paint", "toys.build_kit", "toys.sort_toys",
    "toys.planned", "toys.parts",
    "toys.parts.Layer", "toys.Wheel.spokes", "toys.Wheel.grip", "toys.Wheel.forward",
    "toys.lazy.Kite", "toys.lazy.Balloon",
    "toys.attached.drum", "toys.attached.sub", "toys.tables.Ball", "toys.starred.own",
    "toys.cycle_a.from_b",
    "toys.cycle_b.from_a", "base.registered_star.bear", "toys.stubbed.quick",
    "toys.from_compiled.fast", "toys.conditional.Thing",
    "toys.conditional.later", "toys.decorated.odd", "toys.classes.Dictlike.items",
    "toys.classes.Net.forward",
    "toys.classes.Fresh.later", "toys.classes.Sub.x", "toys.itself.found",
    "toys.classes.WithKind.kind", "toys.itself.added",
    "toys.box.corner", "toys.lazy.Wheel", "toys.lazy.spin",
]  # fmt: skip
ABSENT = [
    "toys.load_metric", "toys.nothing", "toys.count_toys", "toys.parts.Engine",
    "toys.missing_module", "toys.Wheel.engine",
    "toys.lazy.Rope", "toys.attached.flute", "toys.tables.pearl", "toys.conditional.nothing",
    "toys.classes.Dictlike.sort_keys",
    "toys.classes.Net.backward", "toys.classes.Config.colour", "toys.classes.Harmless.colour",
    "toys.decorated.nothing",
    "toys.parts.Layer.engine", "toys.hidden.Kite.tail", "toys.box.side",
]  # fmt: skip
UNKNOWN = [
    "toys.anything.x", "toys.updated.x", "toys.patched.x", "toys.starred.x", "toys.broken.f",
    "toys.speedups.fast",
    "toys.stubbed.slow", "toys.tables.marble", "toys.spelled.drum", "toys.from_compiled.fast.x",
    "toys.conditional.Thing.x",
    "toys.classes.FromUnknown.x", "toys.classes.Meta.x", "toys.classes.Listed.x",
    "toys.decorated.Rebuilt.x", "toys._private",
    "toys.Wheel._cache", "toys.kinds.small", "toys.Wheel.register", "toys.TinRobot", "toys.box.Lid",
    "toys.finder.x", "numpy.array", "unheard_of", "toys.turn.x",
]  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_a_name_that_exists_is_known(index: Index, name: str) -> None:
    assert isinstance(index.lookup(name), Known)


@pytest.mark.parametrize("name", ABSENT)
def test_a_name_that_cannot_exist_is_absent(index: Index, name: str) -> None:
    assert isinstance(index.lookup(name), Absent)


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_name_that_may_exist_is_never_called_absent(index: Index, name: str) -> None:
    assert isinstance(index.lookup(name), Unknown)


@pytest.mark.parametrize(
    ("owner", "name", "kind"),
    [
        ("toys.Wheel", "tyre", Known),
        ("toys.Wheel", "size", Known),
        ("toys.Wheel", "engine", Absent),
        ("toys.classes.Config", "hidden", Known),
        ("toys.classes.Config", "colour", Absent),
        ("toys.classes.Delegate", "anything", Unknown),
        ("toys.classes.Settable", "anything", Unknown),
        ("toys.classes.Restored", "kept", Known),
        ("toys.classes.Restored", "anything", Absent),
        ("toys.hidden.Kite", "string", Absent),
        ("toys.classes.Missing", "x", Unknown),
        ("toys.classes.ToyModel", "device_map", Unknown),
        ("toys.classes.Pair", "coloured", Absent),
        ("toys.hidden.Kite", "device_map", Absent),
    ],
)
def test_instances_have_what_their_methods_set(
    index: Index, owner: str, name: str, kind: type
) -> None:
    assert isinstance(index.attribute(owner, name), kind)


def test_an_origin_and_kind_are_told_through_re_exports(index: Index) -> None:
    found = index.lookup("toys.turn")
    assert isinstance(found, Known)
    assert (found.origin, found.kind) == ("toys.parts.spin", "function")


def test_a_name_tells_since_when_it_exists_and_when_it_went(index: Index) -> None:
    assert [
        (span.library, span.since, span.gone) for span in index.existence("toys.load_metric")
    ] == [("toys", "1.0", "2.0")]
    assert [(span.since, span.gone) for span in index.existence("toys.build_kit")] == [
        ("2.0", None)
    ]
    assert index.existence("toys.nothing") == ()


@pytest.mark.parametrize(
    ("name", "allowed", "answer", "newest"),
    [
        ("toys.load_metric", None, "some", False),
        ("toys.load_metric", "<2", "every", True),
        ("toys.load_metric", ">=2", "none", False),
        ("toys.Wheel", ">=1", "every", True),
        ("toys.Wheel", "==1.5", "every", True),
        ("toys.load_metric", "==1.5", "unknown", None),
        ("toys.nothing", ">1.2,<1.8", "unknown", None),
        ("toys.Wheel", ">=3", "unknown", None),
        ("toys.anything.x", None, "unknown", None),
    ],
)
def test_a_requirement_decides_which_versions_count(
    index: Index, name: str, allowed: str | None, answer: str, newest: bool | None
) -> None:
    found = index.exists(name, None if allowed is None else SpecifierSet(allowed))
    assert (found.answer, found.newest) == (answer, newest)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("toys.turn", "wheel speed= *more brake= **rest"),
        ("toys.paint", "colour coats= gloss="),
        ("toys.Wheel", "size tyre= **options"),
        ("toys.Wheel.round", "size"),
        ("toys.Wheel.measure", "a b="),
        ("toys.Wheel.cost", "self currency"),
        ("toys.classes.Config", "name size= tags="),
        ("toys.classes.Bigger", "name size= tags= extra="),
        ("toys.classes.Overridden", "size= tags="),
        ("toys.classes.Pair", "left right="),
        ("toys.classes.Point", "x y"),
        ("toys.classes.Net", "size bias="),
        ("toys.classes.Harmless", "a"),
        ("toys.decorated.kept", "a b"),
        ("toys.stubbed.quick", "n= times= *_"),
    ],
)
def test_a_signature_is_read(index: Index, name: str, expected: str) -> None:
    found = index.signature(name)
    assert found is not None
    assert [shown(found, number) for number in range(len(found.alternatives))] == [expected]


@pytest.mark.parametrize(
    "name",
    [
        "toys.decorated.changed", "toys.decorated.odd", "toys.decorated.Rebuilt",
        "toys.conditional.later", "toys.classes.Fresh",
        "toys.classes.FromUnknown", "toys.classes.Meta", "toys.from_compiled.fast",
        "toys.stubbed.rough",
        "toys.nothing", "toys.Wheel.spokes",
    ],
)  # fmt: skip
def test_a_signature_that_is_not_certain_is_none(index: Index, name: str) -> None:
    assert index.signature(name) is None


def test_either_of_two_conditional_definitions_may_be_called(index: Index) -> None:
    assert index.fits("toys.conditional.either", 1).availability.newest is True
    assert index.fits("toys.conditional.either", 2).availability.newest is True
    assert (
        index.fits("toys.conditional.either", 3).problem
        == "takes at most 1 positional argument, not 3"
    )


def test_a_method_of_an_instance_has_its_first_parameter_already(index: Index) -> None:
    method = index.method("toys.Wheel", "cost")
    assert method is not None
    assert shown(method) == "currency"
    assert index.fits("cost", 1, owner="toys.Wheel").availability.answer == "every"
    assert index.fits("cost", 0, ["euro"], owner="toys.Wheel").problem == "takes no keyword 'euro'"


def test_a_keyword_is_judged_in_the_allowed_versions(index: Index) -> None:
    call = ("toys.paint", 1, ["gloss"])
    assert index.fits(*call).availability.answer == "some"
    assert index.fits(*call, SpecifierSet(">=2")).availability.answer == "every"
    old = index.fits(*call, SpecifierSet("<2"))
    assert (old.availability.answer, old.problem) == ("none", "takes no keyword 'gloss'")


@pytest.mark.parametrize(
    ("positional", "keywords", "stars", "problem"),
    [
        (1, ["speed"], "", None),
        (9, ["brake", "anything"], "", None),
        (0, [], "", "misses 'wheel'"),
        (0, [], "*", None),
        (0, [], "**", None),
        (1, ["wheel"], "", "gets 'wheel' twice, by position and by keyword"),
    ],
)
def test_a_call_is_judged_as_python_would(
    index: Index, positional: int, keywords: list[str], stars: str, problem: str | None
) -> None:
    signature = index.signature("toys.turn")
    assert signature is not None
    assert (
        accepts(signature, positional, keywords, star_args=stars == "*", star_kwargs=stars == "**")
        == problem
    )


def test_threads_get_the_same_answers(folder: Path) -> None:
    fresh = Index(folder, folder / "libraries.toml")
    answers: list[list[str]] = []
    names = [*KNOWN, *ABSENT, *UNKNOWN]
    threads = [
        threading.Thread(
            target=lambda: answers.append([type(fresh.lookup(name)).__name__ for name in names])
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (
        answers
        == [["Known"] * len(KNOWN) + ["Absent"] * len(ABSENT) + ["Unknown"] * len(UNKNOWN)] * 4
    )


def test_the_same_wheels_give_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    wheel(tmp_path, "base", "0.9", BASE)
    build(Library("base", ("base",), ("0.9",)), tmp_path, tmp_path)
    assert (tmp_path / "base.index").read_bytes() == (folder / "base.index").read_bytes()


def shown(signature: Signature, number: int = 0) -> str:
    marks = {"rest": "*", "more": "**"}
    return " ".join(
        marks.get(parameter.kind, "")
        + parameter.name
        + ("=" if parameter.optional and parameter.kind not in marks else "")
        for parameter in signature.alternatives[number]
    )
