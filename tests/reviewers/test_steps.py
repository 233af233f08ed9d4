"""Guards that a piece of work that stops is said with its reason, and takes nothing else along."""

from reviewers.steps import Steps, attempted, spend


def test_work_that_stops_gives_nothing_and_says_why() -> None:
    steps = Steps(60, most_of_a_part=10)
    with steps.counted():
        assert attempted("a look", lambda: 3) == (3, "")
        assert attempted("a long look", lambda: spend(11)) == (None, "stopped after 10 steps")
        assert attempted("a wrong look", lambda: 1 // 0)[1] == "it stopped with ZeroDivisionError"
        assert attempted("the next look", lambda: 4) == (4, "")
    assert list(steps.left_out) == [
        "a long look: stopped after 10 steps",
        "a wrong look: it stopped with ZeroDivisionError",
    ]
