"""The JSON schema of a proposition, generated from the registry; closed, so that a model's server
can hold its output to it.
"""

import hashlib
import json
from collections.abc import Mapping
from functools import cache

from reviewers.propositions.parameters import DEFINITIONS, LITERAL, TEXT, Schema, record
from reviewers.propositions.reading import VARIABLES
from reviewers.propositions.registry import PREDICATES
from reviewers.propositions.vocabulary import Predicate

_ANY: Schema = {"$ref": "#/$defs/proposition"}


@cache
def vocabulary_version() -> str:
    """A hash of the schema that follows from the vocabulary."""
    return hashlib.sha256(json.dumps(schema(), sort_keys=True).encode()).hexdigest()


def schema(vocabulary: Mapping[str, Predicate] = PREDICATES) -> Schema:
    """The schema of a proposition, its parts included."""
    several: Schema = {"type": "array", "items": _ANY, "minItems": 1}
    joined = [
        record({"not": _ANY}),
        record({"all": several}),
        record({"any": several}),
        record(
            {
                "every": {"type": "string", "enum": list(VARIABLES)},
                "in": {"anyOf": [{"type": "array", "items": TEXT}, {"type": "null"}]},
                "holds": _ANY,
            }
        ),
        record(
            {
                "only": {"$ref": "#/$defs/atom"},
                "hole": TEXT,
                "are": {"type": "array", "items": LITERAL, "minItems": 1},
            }
        ),
        record({"because": _ANY, "then": _ANY}),
        record({"would": _ANY}),
        record({"possible": _ANY}),
    ]
    atoms = [predicate.schema() for predicate in vocabulary.values()]
    return {
        "$defs": {
            **DEFINITIONS,
            "atom": {"anyOf": atoms},
            "proposition": {"anyOf": [{"$ref": "#/$defs/atom"}, *joined]},
        },
        **_ANY,
    }
