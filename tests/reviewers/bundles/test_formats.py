"""Guards the table of formats: every module that has a format is in it, and a user can name it."""

from importlib import import_module
from pathlib import Path

from reviewers import bundles
from reviewers.bundles.formats import FORMATS, named_formats


def test_every_module_with_a_format_is_in_the_table() -> None:
    modules = (path.stem for path in Path(bundles.__file__).parent.glob("*.py"))
    found = [
        getattr(import_module(f"reviewers.bundles.{name}"), "FORMAT", None) for name in modules
    ]
    assert {each.name for each in found if each} == {each.name for each in FORMATS}
    assert all(each.name in named_formats() for each in FORMATS)
