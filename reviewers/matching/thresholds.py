"""Every number of the matcher, and what counts as nearly the same."""

from collections.abc import Mapping
from enum import IntEnum


class Nearness(IntEnum):
    """How two places lie to each other."""

    ELSEWHERE = 0  # in different files
    UNKNOWN = 1  # one of them has no place
    SAME_FILE = 2  # at lines apart
    WHOLE_FILE = 3  # one is about the whole file, or where it stands was only guessed
    NEAR = 4
    SAME_LINES = 5


class Agreement(IntEnum):
    """What two that have to be compared by their words agree on."""

    NOTHING = 0
    CATEGORY = 1  # or one has none
    OPEN = 2  # of a claim and a rule's finding one has no predicate
    KIND = 3  # neither has one, and they are of one category
    PREDICATE = 4


CLOSE = 3
"""Lines between two places that may still be one."""
LONGEST_PLACE = 40
"""Lines; a longer place says little of where a defect is."""

NEVER = 101.0
_OPEN = {
    Nearness.SAME_LINES: (50, 50),
    Nearness.NEAR: (51, 60),
    Nearness.WHOLE_FILE: (70, NEVER),
    Nearness.SAME_FILE: (100, NEVER),
    Nearness.UNKNOWN: (90, 90),
}
ENOUGH_WORDS: Mapping[Agreement, Mapping[Nearness, tuple[float, float]]] = {
    Agreement.PREDICATE: {
        Nearness.SAME_LINES: (0, 0),
        Nearness.NEAR: (0, 0),
        Nearness.WHOLE_FILE: (0, 60),
        Nearness.SAME_FILE: (60, 70),
        Nearness.UNKNOWN: (0, 65),
        Nearness.ELSEWHERE: (75, NEVER),
    },
    Agreement.KIND: {**_OPEN, Nearness.SAME_LINES: (0, 0)},
    Agreement.OPEN: _OPEN,
    Agreement.CATEGORY: {
        Nearness.SAME_LINES: (50, 60),
        Nearness.NEAR: (50, 60),
        Nearness.WHOLE_FILE: (75, 75),
        Nearness.UNKNOWN: (90, 90),
    },
    Agreement.NOTHING: {
        Nearness.SAME_LINES: (60, 75),
        Nearness.NEAR: (60, 75),
        Nearness.WHOLE_FILE: (90, 90),
    },
}
"""How alike the words must be, 0 to 100, where both name the same of the code and where one names
nothing; what names other things is never one defect. What is absent here is none either.
"""
TELLING_WORDS = 75.0
"""Words so much alike mean one thing where the place is the same."""
FITTING_WORDS = 60.0
"""Enough where the names are the same, and only the error is another one."""
QUOTED_WORDS = 90.0
"""Share of a message's words that a text has that tells the very message."""
FEWEST_QUOTED = 4
MOST_COUNTED = 4
"""Names that two share; more of them do not make it surer."""
FEWEST_WORDS = 3
"""Of a text that is compared by its words; one less where it names something."""

KIN_CATEGORIES = (
    {"hydra-composition", "config-hardcoded", "mode-handling"},
    {"nonexistent-api", "call-signature", "cross-file-mismatch", "undefined-name"},
    {"packaging-invalid", "file-structure"},
    {"evaluation-incomplete", "cli-contract", "tracking-mismatch"},
    {"tensor-or-runtime", "model-or-method-missing", "data-pipeline-incomplete"},
)
"""Categories between which it often is a matter of taste where a defect belongs."""
KIN_ERRORS = (
    {
        "ConfigAttributeError",
        "ConfigKeyError",
        "ConfigCompositionException",
        "MissingConfigException",
        "ConfigTypeError",
    },
    {"ModuleNotFoundError", "ImportError"},
    {"NameError", "UnboundLocalError"},
    {"OSError", "RepositoryNotFoundError", "HFValidationError", "EnvironmentError"},
    {"SyntaxError", "IndentationError", "TabError"},
    {"JSONDecodeError", "SystemExit"},
)
"""Errors of one defect that libraries or versions name differently."""

SIMILAR_CODE = 60.0
SIMILAR_NAMES = 80.0
"""Two spellings that stand for one name, in similar code."""
ENOUGH_NAMES = 0.5
"""Share of names that two findings of one rule have in common; `SOME_NAMES` of a list."""
SOME_NAMES, FEWEST_LISTED = 0.3, 3
CLAIM_WORDS, CLAIM_IN_ORDER = 78.0, 55.0
CLAIM_WORDS_NAMED, CLAIM_IN_ORDER_NAMED = 58.0, 45.0
"""Enough where two claims name the same two things of the code."""
AMONG = 0.3
"""Share of the places of the finding with fewer that must stand unchanged in the other's."""
