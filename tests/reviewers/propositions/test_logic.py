"""Guards the three-valued logic: Kleene's tables, the laws of negation, and what joins a cause."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewers.facts import Facts
from reviewers.propositions import Answer, Mark, Truth, Witness, World, evaluate, mark, parse
from reviewers.propositions.answers import Filled, Listing, denied, open_, proved
from reviewers.propositions.logic import judge
from reviewers.propositions.terms import (
    AllOf,
    AnyOf,
    Atom,
    Because,
    Every,
    Not,
    Only,
    Possible,
    Proposition,
    Would,
)
from reviewers.propositions.vocabulary import Predicate, vocabulary
from reviewers.records import Failure, Span
from tests.builders import make_submission

HERE = Witness(Span("src/train.py", 1), "x = 1")


def says(world: World, value: str) -> Answer:
    """What its argument says; `reached` and `possible` are so in such worlds only."""
    match value:
        case "true":
            return proved([HERE])
        case "false":
            return denied(["1 file"])
        case "reached":
            return proved([HERE]) if world.is_reached else denied(["1 file"])
        case "possible":
            return proved([HERE]) if world.is_possible else denied(["1 file"])
    return open_("nobody knows")


KNOWN = vocabulary(Predicate("says", says, "value", "{value}", {"value": "true"}, "other"))
ATOMS = {value: Atom("says", (("value", value),)) for value in ("true", "false", "unknown")}
ORDER = {Truth.FALSE: 0, Truth.UNKNOWN: 1, Truth.TRUE: 2}

atoms = st.sampled_from(list(ATOMS.values()))
propositions = st.recursive(
    atoms,
    lambda inner: (
        inner.map(Not)
        | st.lists(inner, min_size=1, max_size=3).map(tuple).map(AllOf)
        | st.lists(inner, min_size=1, max_size=3).map(tuple).map(AnyOf)
    ),
    max_leaves=8,
)


def asked(proposition: Proposition) -> Answer:
    return judge(proposition, World(Facts(make_submission())), KNOWN, ())


def truth(proposition: Proposition) -> Truth:
    return asked(proposition).truth


def strong(proposition: Proposition) -> int:
    """Kleene's value by minimum and maximum: an oracle of its own."""
    match proposition:
        case Atom(arguments=((_, value),)):
            return ORDER[Truth(value)]
        case Not(part):
            return 2 - strong(part)
        case AllOf(found):
            return min(map(strong, found))
        case AnyOf(found):
            return max(map(strong, found))
    raise AssertionError


@given(propositions)
def test_it_is_strong_kleene_logic(proposition: Proposition) -> None:
    assert ORDER[truth(proposition)] == strong(proposition)


@given(propositions)
def test_what_is_decided_brings_its_evidence(proposition: Proposition) -> None:
    answer = asked(proposition)
    assert answer.truth is Truth.UNKNOWN or answer.witnesses or answer.looked_at


@given(st.lists(propositions, min_size=1, max_size=3))
def test_de_morgan(found: Sequence[Proposition]) -> None:
    each = tuple(Not(part) for part in found)
    assert truth(Not(AllOf(tuple(found)))) == truth(AnyOf(each))
    assert truth(Not(AnyOf(tuple(found)))) == truth(AllOf(each))
    assert truth(Not(Not(found[0]))) == truth(found[0])


def test_true_and_false_parts_are_partly() -> None:
    assert asked(AllOf((ATOMS["true"], ATOMS["false"]))).is_partly
    assert not asked(AllOf((ATOMS["false"], ATOMS["false"]))).is_partly
    assert not asked(AllOf((ATOMS["true"], ATOMS["unknown"]))).is_partly


def test_nothing_is_true_without_a_witness_nor_false_without_a_certificate() -> None:
    with pytest.raises(ValueError, match="without a witness"):
        Answer(Truth.TRUE)
    with pytest.raises(ValueError, match="without a witness"):
        Answer(Truth.FALSE)
    assert proved([]).truth is Truth.UNKNOWN
    assert denied([]).truth is Truth.UNKNOWN
    assert denied(["4 files"], ["one does not parse"]).truth is Truth.UNKNOWN


def test_a_predicate_that_gives_no_witness_is_a_defect_of_ours() -> None:
    careless = vocabulary(
        Predicate(
            "says",
            lambda world, value: Answer(Truth.TRUE, looked_at=("1 file",)),
            "value",
            "{value}",
            {"value": "x"},
            "other",
        )
    )
    with pytest.raises(ValueError, match="without a witness"):
        judge(ATOMS["true"], World(Facts(make_submission())), careless, ())


def test_every_ranges_over_what_the_submission_has() -> None:
    runs = {"a": "run_id: a\n", "b": "run_id: b\n"}
    reading = {
        "every": "run",
        "holds": {"p": "contains", "scope": "config/runs/$run.yaml", "text": "run_id: $run"},
    }
    assert _on(reading, runs).truth is Truth.TRUE
    assert _on(reading, {**runs, "c": "run_id: x\n"}).truth is Truth.FALSE
    assert _on(reading, {}).truth is Truth.UNKNOWN


def _on(reading: object, runs: dict[str, str]) -> Answer:
    return evaluate(parse(reading), Facts(make_submission(None, runs)))


def test_every_with_a_list_ranges_over_the_list() -> None:
    part = Atom("says", (("value", "$key"),))
    assert truth(Every("key", part, ("true", "true"))) is Truth.TRUE
    assert truth(Every("key", part, ("true", "false"))) is Truth.FALSE


def test_would_and_possible_ask_another_world() -> None:
    reached = Atom("says", (("value", "reached"),))
    possible = Atom("says", (("value", "possible"),))
    assert (truth(reached), truth(Would(reached))) == (Truth.FALSE, Truth.TRUE)
    assert (truth(possible), truth(Possible(possible))) == (Truth.FALSE, Truth.TRUE)


@pytest.mark.parametrize(
    ("filled", "gaps", "expected"),
    [
        (("a", "b"), (), Truth.TRUE),
        (("a",), (), Truth.TRUE),
        (("a", "c"), (), Truth.FALSE),
        (("a", "c"), ("more may be there",), Truth.FALSE),
        (("a",), ("more may be there",), Truth.UNKNOWN),
        ((), (), Truth.UNKNOWN),
    ],
    ids=str,
)
def test_only_needs_a_whole_list(
    filled: tuple[str, ...], gaps: tuple[str, ...], expected: Truth
) -> None:
    listing = Listing(tuple(Filled(value, HERE) for value in filled), ("1 file",), gaps)
    known = vocabulary(
        Predicate(
            "logs", says, "value", "{value}", {"value": "a"}, "other", {"value": lambda w: listing}
        )
    )
    only = Only(Atom("logs"), "value", ("a", "b"))
    assert judge(only, World(Facts(make_submission())), known, ()).truth is expected


def test_a_cause_and_an_effect_without_a_link_stay_open() -> None:
    because = Because(Atom("says", (("value", "true"),)), Atom("says", (("value", "true"),)))
    assert truth(Because(ATOMS["false"], ATOMS["true"])) is Truth.FALSE
    assert truth(Because(ATOMS["true"], ATOMS["unknown"])) is Truth.UNKNOWN
    assert truth(because) is Truth.TRUE  # both stand on the same line


_PROJECT = {"p": "has_key", "where": "pyproject.toml"}


@pytest.mark.parametrize(
    ("absent", "command", "source"),
    [
        ({"p": "exists", "file": "src/__init__.py"}, "train", "PEP 420"),
        ({**_PROJECT, "key": "build-system"}, "install", "PEP 518"),
        ({**_PROJECT, "key": "project.requires-python"}, "install", "PEP 621"),
        ({"p": "exists", "file": "setup.py"}, "install", "PEP 517"),
        ({"p": "declares", "package": "argparse"}, "evaluate", "Standard Library"),
        ({**_PROJECT, "key": "project.version"}, "install", ""),
        ({"p": "exists", "file": "src/model.py"}, "train", ""),
        ({"p": "declares", "package": "torch"}, "train", ""),
    ],
    ids=str,
)
def test_a_law_denies_what_does_not_follow(
    absent: dict[str, str], command: str, source: str
) -> None:
    reading = {
        "because": {"not": absent},
        "then": {"p": "fails", "command": command, "error": "ImportError"},
    }
    files = {"src/model.py": None, "pyproject.toml": "[project]\nname = 'a'\n"}
    answer = evaluate(parse(reading), Facts(make_submission(files)))
    assert (answer.truth is Truth.FALSE) == bool(source)
    assert not source or source in answer.looked_at[0]


def test_what_a_law_denies_may_be_so_by_itself() -> None:
    absent = {"not": {"p": "exists", "file": "src/__init__.py"}}
    fails = {"p": "fails", "command": "train", "error": "ImportError", "at": "src/train.py:1"}
    place = Span("src/train.py", 1, 1)
    failure = Failure(
        step="train", command="", error="ImportError", message="No module", place=place
    )
    for claim in ({"because": absent, "then": fails}, {"all": [absent, fails]}):
        said, facts = parse(claim), Facts(make_submission())
        assert mark(said, evaluate(said, facts)) is Mark.REFUTED
        assert mark(said, evaluate(said, facts, [failure])) is Mark.PARTLY


_STARTED = """import hydra
@hydra.main(version_base=None, config_path='../config', config_name='config')
def main(cfg):
    if cfg.mode == 'trial':
        print(1)
    else:
        shorten(cfg)
    if cfg.run == 'proposed-A':
        sorted([2])
    if unknown():
        repr(3)
def shorten(cfg):
    abs(cfg.x)
if __name__ == '__main__':
    main()
"""


@pytest.mark.parametrize(
    ("narrower", "reading", "expected"),
    [
        ({}, {"p": "calls", "callee": "print"}, "true"),
        ({"mode": "trial"}, {"p": "calls", "callee": "print"}, "true"),
        ({"mode": "full"}, {"p": "calls", "callee": "print"}, "false"),
        ({"mode": "trial"}, {"p": "calls", "callee": "input"}, "false"),  # in no mode at all
        ({"mode": "trial"}, {"p": "calls", "callee": "repr"}, "unknown"),
        ({"mode": "other"}, {"p": "calls", "callee": "print"}, "unknown"),
        ({"mode": "full"}, {"p": "reads_key", "key": "x"}, "true"),
        ({"mode": "trial"}, {"p": "reads_key", "key": "x"}, "false"),  # nothing calls it then
        ({"run": "proposed-*"}, {"p": "calls", "callee": "sorted"}, "true"),
        ({"run": "comparative-*"}, {"p": "calls", "callee": "sorted"}, "false"),
        ({"run": "*"}, {"p": "calls", "callee": "sorted"}, "unknown"),
        ({"mode": "full"}, {"p": "within", "thing": "print", "context": "loop"}, "unknown"),
        ({"mode": "trial"}, {"p": "within", "thing": "print", "context": "loop"}, "false"),
    ],
    ids=str,
)
def test_what_is_so_in_one_mode_or_run_may_not_be_so_in_another(
    narrower: dict[str, str], reading: dict[str, str], expected: str
) -> None:
    config = "run: null\nmode: full\nresults_dir: x\nx: 1\n"
    runs = {"proposed-A": "a: 1\n", "comparative-B": "a: 1\n"}
    files = {"src/train.py": _STARTED, "config/config.yaml": config}
    facts = Facts(make_submission(files, runs))
    scope = {"file": "src/train.py", "name": None, "mode": None, "run": None, **narrower}
    assert evaluate(parse({**reading, "scope": scope}), facts).truth == expected
