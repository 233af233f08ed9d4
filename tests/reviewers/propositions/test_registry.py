"""Guards that a predicate is one declared function: nothing else has to know of it."""

import pytest

from reviewers.facts import Facts
from reviewers.propositions import PREDICATES, Truth, Witness, World, parse, sentence
from reviewers.propositions.answers import Answer, denied, proved
from reviewers.propositions.json_schema import schema
from reviewers.propositions.laws import shipped_laws
from reviewers.propositions.logic import judge
from reviewers.propositions.terms import Not, Scope
from reviewers.propositions.vocabulary import SLOT, Predicate, vocabulary
from reviewers.records import Span
from tests.builders import make_submission


@pytest.mark.parametrize("name", PREDICATES)
def test_a_sentence_tells_every_argument_and_an_example_has_all_that_are_needed(name: str) -> None:
    known = PREDICATES[name]
    assert set(known.parameters) <= set(SLOT.findall(known.template))
    assert known.required <= set(known.example)


def shouts(world: World, scope: Scope) -> Answer:
    """True where a comment is all capitals; false where all comments were read and none is."""
    found = [
        Witness(Span(file.path, line), text)
        for file in world.python_in(scope)
        for line, text in file.comments
        if text.isupper()
    ]
    return proved(found) if found else denied([f"the comments of {scope}"])


def test_a_new_predicate_is_a_function_and_an_entry() -> None:
    known = vocabulary(
        *PREDICATES.values(),
        Predicate(
            "shouts",
            shouts,
            "scope",
            "{scope} (shouts|never shouts)",
            {"scope": "src/train.py"},
            "other",
        ),
    )
    reading = parse({"p": "shouts", "scope": "src/train.py"}, known)
    assert sentence(reading, known) == "`src/train.py` shouts"
    assert sentence(Not(reading), known) == "`src/train.py` never shouts"
    assert "shouts" in str(schema(known))
    for text, expected in (("# LOUD\n", Truth.TRUE), ("# low\n", Truth.FALSE)):
        world = World(Facts(make_submission({"src/train.py": text})))
        assert judge(reading, world, known, ()).truth is expected


def test_two_predicates_of_one_name_are_a_defect() -> None:
    with pytest.raises(ValueError, match="one name"):
        vocabulary(PREDICATES["calls"], PREDICATES["calls"])


def test_each_law_has_its_source() -> None:
    assert shipped_laws()
    assert all(law.says and law.source for law in shipped_laws())
