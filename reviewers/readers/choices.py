"""What may fill the arguments of a proposition about a submission, for the form that a person
fills.
"""

from collections.abc import Mapping, Sequence

from reviewers.facts import Facts
from reviewers.propositions.parameters import PARAMETERS
from reviewers.readers.linking import table_of

_MOST = 2_000  # of one argument
_ERRORS = (
    *("AttributeError", "FileNotFoundError", "ImportError", "IndexError", "KeyError"),
    *("ModuleNotFoundError", "NameError", "NotImplementedError", "OSError", "RuntimeError"),
    *("SyntaxError", "TypeError", "ValueError", "ZeroDivisionError", "CalledProcessError"),
    *("ConfigAttributeError", "ConfigKeyError", "ConfigCompositionException"),
    *("MissingConfigException", "OutOfMemoryError"),
)


def choices(facts: Facts) -> Mapping[str, Sequence[str]]:
    """Values by the argument's name; any other value may be written as well."""
    table = table_of(facts)
    places = (
        "code",
        *table.files,
        *(each for found in table.definitions.values() for each in found),
    )
    keys = sorted(table.all_keys)
    names = sorted({place.partition("::")[2] for place in places} - {""})
    dotted = sorted({target for target in table.aliases.values() if target})
    raised = {name for found in table.raised.values() for name in found}
    every = {
        "scope": places,
        "file": table.files,
        "path": table.files,
        "at": places[1:],
        "where": (
            "composed",
            *(path for path in table.files if path.endswith((".yaml", ".yml", ".toml"))),
            *(f"run:{run}" for run in table.runs),
        ),
        "key": keys,
        "run": table.runs,
        "mode": tuple(facts.contract.modes),
        "command": ("install", *facts.contract.commands),
        "error": tuple(dict.fromkeys((*sorted(raised), *_ERRORS))),
        "package": sorted(table.packages),
        "name": (*names, *dotted),
        "callee": (*names, *dotted),
        "target": (*keys, *names),
        "what": ("epochs", "batches", "steps", "trials", "samples"),
    }
    return {name: tuple(found[:_MOST]) for name, found in every.items() if name in PARAMETERS}
