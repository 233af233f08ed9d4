"""Guards that reviewers are told apart: by colour as far as there are enough, and always by
sign.
"""

from dashboard.parts.colours import HEX, reviewer_colours, reviewer_signs
from tests.cases import cases

MANY = ["recorded", "rules", "openai:gpt-5", "openai:gpt-5-mini", "o3", "o4-mini", "qwen"]


def test_a_reviewer_keeps_its_colour_whoever_else_is_there() -> None:
    assert reviewer_colours(["rules"])["rules"] == reviewer_colours(MANY)["rules"] == 1
    assert reviewer_colours(["recorded #2", "recorded #1", "recorded"])["recorded"] == 0
    assert reviewer_colours(MANY) == reviewer_colours(MANY[::-1])


def test_seven_reviewers_have_seven_colours() -> None:
    assert len(set(reviewer_colours(MANY).values())) == len(MANY)
    crowd = reviewer_colours([f"model-{n}" for n in range(40)])
    assert set(crowd.values()) <= set(range(len(HEX)))


@cases(
    ("names", "signs"),
    {
        "initials": (["recorded", "gpt"], ["R", "G"]),
        "where they part": (["recorded", "rules"], ["Re", "Ru"]),
        "without the provider": (["openai:gpt-4", "openai:gpt-5"], ["G4", "G5"]),
        "numbered": (["gpt-5", "gpt-5-mini"], ["G1", "G2"]),
        "one within the other": (["a", "ab"], ["A", "Ab"]),
        "nobody": ([], []),
    },
)
def test_signs_are_short_and_no_two_the_same(names: list[str], signs: list[str]) -> None:
    assert [reviewer_signs(names)[name] for name in names] == signs


def test_many_reviewers_have_as_many_signs() -> None:
    names = [f"openai:model {n}" for n in range(30)] + MANY
    assert len(set(reviewer_signs(names).values())) == len(names)
