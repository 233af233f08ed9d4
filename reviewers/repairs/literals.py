"""Edits of a value wherever a submission gives it: in its run files, and as a text in its code."""

import ast
from collections.abc import Collection, Iterator

import yaml

from reviewers.facts import Facts
from reviewers.offers import Edit
from reviewers.repairs.edits import CannotEdit, PythonEdits

_LARGEST = 200_000  # characters of a YAML file


def in_yaml(facts: Facts, path: str, old: str, new: str) -> Iterator[Edit]:
    """Write a value in place of another, at every key of a YAML file that has it."""
    text = facts.text(path) or ""
    if old not in text or len(text) > _LARGEST:
        return
    for token in _scalars(text):
        if token.value == old:
            start, end = token.start_mark.index, token.end_mark.index
            quote = token.style if token.style in ("'", '"') else ""
            yield Edit(path, start, end, f"{quote}{new}{quote}")


def in_runs(facts: Facts, old: str, new: str) -> Iterator[Edit]:
    """The same in the run files and the main configuration."""
    paths = [run.file.path for run in facts.runs]
    main = facts.contract.files.config
    for path in dict.fromkeys([*paths, *([main] if main else [])]):
        yield from in_yaml(facts, path, old, new)


def in_code(facts: Facts, old: str, new: str, paths: Collection[str] = ()) -> Iterator[Edit]:
    """Write a text in place of another where code passes it, compares with it or looks it up."""
    for path, file in facts.python.items():
        if old not in file.text or (paths and path not in paths):
            continue
        code = PythonEdits(facts, path)
        for node in file.of(ast.Constant):
            around = file.parents.get(node)
            is_part = isinstance(around, ast.JoinedStr | ast.Expr)
            if node.value == old and not is_part:
                quote = code.text_of(node)[:1]
                if code.text_of(node) != f"{quote}{old}{quote}":
                    raise CannotEdit("the text is written in another way")
                yield code.put(node, f"{quote}{new}{quote}")


def _scalars(text: str) -> Iterator[yaml.ScalarToken]:
    """The plain values of a YAML text; its C parser counts bytes, this one characters."""
    try:
        for token in yaml.scan(text, yaml.SafeLoader):
            if isinstance(token, yaml.ScalarToken):
                yield token
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise CannotEdit("the YAML cannot be read") from error
