"""The arguments that a parser of argparse's declares, and edits by which they take other words."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewers.offers import Edit
from reviewers.repairs.edits import CannotEdit, PythonEdits

READING = ("json.loads", "ast.literal_eval", "yaml.safe_load")
_SEVERAL = ("*", "+", "append", "extend")  # values of `nargs` and `action` for a list


@dataclass(frozen=True, slots=True)
class DeclaredArgument:
    """An argument that a parser declares.

    Attributes:
        texts: its names as they are written; `name` is the attribute under which it is read.
    """

    call: ast.Call
    texts: tuple[str, ...]
    name: str

    @classmethod
    def every(cls, code: PythonEdits) -> Iterator["DeclaredArgument"]:
        """Those of a file, in its order."""
        for call in code.file.calls_of(".add_argument"):
            given = [getattr(each, "value", None) for each in call.node.args]
            texts = tuple(each for each in given if isinstance(each, str) and each.strip("-"))
            if not texts or len(texts) != len(given):
                raise CannotEdit("an argument without a plain name")
            long = [each for each in texts if each.startswith("--")] or [*texts]
            dest = call.keyword("dest")
            yield cls(call.node, texts, plain(str(getattr(dest, "value", None) or long[0])))

    @classmethod
    def paired(
        cls, code: PythonEdits, words: Sequence[str], run_ids: str
    ) -> list[tuple[str, "DeclaredArgument"]]:
        """What takes each documented word, in the order of the declarations: by its name, else by
        its place, else the only one that is left for it; empty where that is not known.
        """
        every = [*cls.every(code)]
        found = {
            word: each
            for word in words
            for each in every
            if word in (each.name, *map(plain, each.texts))
        }
        left = [word for word in words if word not in found]
        free = [each for each in every if each.is_needed and each not in found.values()]
        several = [each for each in free if each.is_list(code)]
        if any(each.is_option for each in free) and len(several) == 1 and run_ids in left:
            # Whatever they are called, one of them takes the list.
            found[run_ids] = several[0]
            left.remove(run_ids)
            free.remove(several[0])
        is_by_place = not found and not any(each.is_option for each in free)
        if len(left) == len(free) and (is_by_place or len(left) == 1):
            found |= dict(zip(left, free, strict=True))
        if len(found) < len(words):
            return []
        return [(word, each) for each in every for word, taken in found.items() if taken is each]

    @property
    def is_option(self) -> bool:
        """Whether it is named on the command line."""
        return self.texts[0].startswith("-")

    @property
    def is_needed(self) -> bool:
        """Whether the words must have it."""
        said = self._said("required")
        may_be_left = self._said("nargs") in ("?", "*")
        return said is True or (not self.is_option and not may_be_left)

    def _said(self, name: str) -> object:
        keyword = next((each for each in self.call.keywords if each.arg == name), None)
        return getattr(keyword.value, "value", None) if keyword else None

    def as_option(self, code: PythonEdits, word: str) -> Iterator[Edit]:
        """The declaration as that of an option which the documented word names."""
        first = self.call.args[0]
        quote = code.text_of(first)[0]
        option = f"{quote}--{word}{quote}"
        if f"--{word}" in self.texts:
            return
        if not self.is_option:
            read = f", dest={quote}{self.name}{quote}" if self.name != word else ""
            needed = ", required=True" if self.is_needed else ""
            yield code.put(first, f"{option}{read}{needed}")
        elif any(each.startswith("--") for each in self.texts):
            yield code.argument_behind(self.call.args[-1], option)
        else:
            raise CannotEdit("a long name gives a short option another attribute")

    def _reads(self, code: PythonEdits) -> list[ast.expr]:
        """Where the value is read."""
        return [
            node
            for node in code.file.of(ast.Attribute, ast.Subscript, ast.Name)
            if self.name in (last_part(node), last_part(code.file.only_value(node)))
        ]

    def is_list(self, code: PythonEdits) -> bool:
        """Whether a list is made of it."""
        kind = next((each.value for each in self.call.keywords if each.arg == "type"), None)
        is_read = kind is not None and code.file.resolve(kind) in READING
        parsed = any(_is_parsed(code, each) for each in self._reads(code))
        return is_read or parsed or any(True for _ in self.as_json(code))

    def as_json(self, code: PythonEdits) -> Iterator[Edit]:
        """The list as one word in JSON, where it is asked for in several, or with commas."""
        read = self._reads(code)
        keywords = {each.arg: each for each in self.call.keywords}
        kind, many = keywords.get("type"), keywords.get("nargs") or keywords.get("action")
        if many is not None and getattr(many.value, "value", None) in _SEVERAL:
            if any(_is_parsed(code, node) for node in read):
                return
            if kind is None:
                yield code.put(many, "type=json.loads")
            else:
                yield code.put(kind.value, "json.loads")
                yield code.without_keyword(self.call, many.arg or "")
            return
        convert = kind.value if kind is not None else None
        named = code.file.functions.get(convert.id) if isinstance(convert, ast.Name) else None
        within = ast.walk(named or self.call)
        inner = [text for each in within if (text := _taken_apart(each)) is not None]
        if inner and isinstance(convert, ast.Lambda):
            yield code.put(convert, "json.loads")
        else:
            yield from as_json(code, [*read, *inner])


def plain(name: str) -> str:
    return name.lstrip("-").replace("-", "_")


def last_part(node: ast.AST | None) -> object:
    """The last part of how a value is read: `run_ids` of `args.run_ids` and `args["run_ids"]`."""
    match node:
        case ast.Attribute(attr=key) | ast.Subscript(slice=ast.Constant(value=key)):
            return key
    return None


def _taken_apart(node: ast.AST | None) -> ast.expr | None:
    """The text that a call takes apart at commas or blanks; None of any other."""
    match node:
        case ast.Call(func=ast.Attribute(value=text, attr="split"), args=[]):
            return text
        case ast.Call(
            func=ast.Attribute(value=text, attr="split"), args=[ast.Constant(value=str(sign))]
        ) if sign.strip() in (",", ";", ""):
            return text
    return None


def _is_parsed(code: PythonEdits, node: ast.AST) -> bool:
    """Whether a value, or an item of it, is read as JSON already."""
    around = code.file.parents.get(node)
    if isinstance(around, ast.Subscript):
        around = code.file.parents.get(around)
    return isinstance(around, ast.Call) and code.file.resolve(around.func) in READING


def as_json(code: PythonEdits, texts: Sequence[ast.expr]) -> Iterator[Edit]:
    """Texts read as JSON, where they are taken apart at commas."""
    for text in texts:
        method = code.file.parents.get(text)
        call = code.file.parents.get(method) if method else None
        if isinstance(call, ast.Call) and _taken_apart(call) is text:
            start, end = code.span(text)
            yield Edit(code.path, start, start, "json.loads(")
            yield Edit(code.path, end, code.span(call)[1], ")")
