"""The operator's list of keys that may be sent to servers, as tests write it."""

from reviewers import settings


def allow_key(variable: str, *addresses: str) -> None:
    """Allow a variable's value at these addresses."""
    path = settings.keys_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{variable} = {[*addresses]!r}\n")
