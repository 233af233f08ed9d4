"""What a log's own prompt asks for, read from its text into a contract."""

from reviewers.rubric.built_in import built_in
from reviewers.rubric.contract import Contract


def read_prompt(text: str) -> Contract | None:
    """Return the contract that a prompt's instructions state; None where they state none.

    What cannot be read is absent, not assumed.
    """
    known = built_in()
    if "mode=full" in text or "mode=trial" in text:
        return known["nine-modes"]
    if "trial_mode=true" in text:
        return known["nine-trial-flag"]
    return known["ten"] if "src.main" in text else None
