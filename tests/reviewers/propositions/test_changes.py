"""Guards that a true reading, changed in one place so that it is false, is never confirmed."""

from collections import Counter

from reviewers.facts import Facts
from reviewers.propositions import PREDICATES, Mark, World, evaluate, mark, parse
from tests.reviewers.propositions.changes import changed
from tests.reviewers.propositions.twins import FALSE, TRUE, all_twins

_SHARE = 0.6  # of those changed that must be refuted


def test_no_changed_reading_is_confirmed_and_most_are_refuted() -> None:
    counted: Counter[Mark] = Counter()
    confirmed = []
    for twin in all_twins():
        if twin.expected not in (TRUE, FALSE) or twin.predicate not in PREDICATES:
            continue
        reading = twin.reading if twin.expected == TRUE else {"not": twin.reading}
        world = World(Facts(twin.submission()))
        for sort, other in changed(reading):
            said = parse(other)
            result = mark(said, evaluate(said, world))
            counted[result] += 1
            if result is Mark.CONFIRMED:
                confirmed.append((str(twin), sort))
    assert not confirmed
    assert sum(counted.values()) > 350
    assert (counted[Mark.REFUTED] + counted[Mark.PARTLY]) / sum(counted.values()) >= _SHARE
