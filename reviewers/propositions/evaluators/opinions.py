"""What no code can say: opinions, demands, advice."""

from reviewers.propositions.answers import Answer, open_
from reviewers.propositions.world import World


def judgement(world: World, text: str) -> Answer:
    """Never true and never false: an opinion, a demand or advice."""
    return open_("an opinion, a demand or advice, which no code confirms")
