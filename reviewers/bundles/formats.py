"""The table of formats: a new one is a module with a `FORMAT`, and its name here."""

from importlib import import_module
from pathlib import Path

from reviewers.bundles.bundle_format import BundleCandidate, Format, head_of

# Asked in this order; the last one takes every file that no other does, and says what it lacks.
_MODULES = (
    "folder",
    "json_lines",
    "json_export",
    "archive",
    "log",
)
FORMATS: tuple[Format, ...] = tuple(
    import_module(f"reviewers.bundles.{module}").FORMAT for module in _MODULES
)
ENDINGS = tuple(ending for each in FORMATS for ending in each.endings)


def format_of(candidate: BundleCandidate) -> Format | None:
    """Return the format of a file or folder; None for a folder that is not a bundle."""
    asked = (each for each in FORMATS if each.of_folders == candidate.is_folder)
    return next((each for each in asked if each.sniff(candidate)), None)


def may_be_bundle(file: Path) -> bool:
    """Whether a file in a folder of bundles is meant as one; what is empty, damaged or cannot be
    read is, so that its loss is reported.
    """
    name = file.name.lower()
    meant = next((each.is_meant for each in FORMATS if name.endswith(each.endings)), None)
    if meant is None or not file.is_file():
        return True
    data = head_of(file)
    return not data or meant(data)


def named_formats() -> str:
    """Return what a user can name, such as "a log, an archive or a JSON file"."""
    *others, last = (each.name for each in FORMATS)
    return f"{', '.join(others)} or {last}"
