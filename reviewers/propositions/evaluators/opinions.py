"""What no code can say: opinions, demands, advice."""

from reviewers.propositions.answers import Answer, open_
from reviewers.propositions.vocabulary import predicate
from reviewers.propositions.world import World


@predicate("(|not )an opinion: {text}", "by file", "the design is weak")
def judgement(world: World, text: str) -> Answer:
    """Never true and never false: an opinion, a demand or advice."""
    return open_("an opinion, a demand or advice, which no code confirms")
