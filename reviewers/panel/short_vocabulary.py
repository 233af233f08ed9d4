"""The vocabulary of propositions in as few words as a reviewer who sees the code needs."""

from functools import cache

from reviewers.facts.activities import table
from reviewers.propositions import PREDICATES
from reviewers.propositions.show import affirmed

_JOINED = """\
An atom is {"p": "has_key", "where": "config/config.yaml", "key": "training.lr"}: a predicate with \
its arguments, which stand in braces below; those in […] may be null. What joins them: \
{"not": atom}, {"all": [P, …]}, {"any": [P, …]}, {"because": P, "then": P}, {"possible": P} \
(may be), {"would": P} (were it reached), {"every": "run", "in": null, "holds": P} (or mode, file, \
key; $run stands for it in P), {"only": atom, "hole": an argument's name, "are": [its values]}. \
A scope is `code`, a file or `file::qualified.name`; `where` is a file, `composed` or `run:ID`."""


@cache
def short_vocabulary() -> str:
    """One line a predicate, as it reads where it is so, and what joins them."""
    told = [f"{each.name}: {affirmed(each.sentence)}" for each in PREDICATES.values()]
    activities = f"Activities of `does`: {', '.join(table('activities'))}."
    return "\n".join([_JOINED, "Predicates:", *told, activities])
