"""How a file reads the words of its command line."""

import ast
from collections.abc import Iterator

from reviewers.facts.entry_points import entry_points
from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import walk

STYLES = ("positional", "flags", "hydra", "key=value")
_BY_NAME = {"click.option": "flags", "click.argument": "positional"}
_PARTS = frozenset({"split", "partition", "rpartition", "rsplit"})
_LOOPS = (ast.For, ast.ListComp, ast.GeneratorExp, ast.DictComp)
_OF_WORDS = frozenset({"omegaconf.OmegaConf.from_dotlist", "omegaconf.OmegaConf.from_cli"})


def styles(path: str, file: PythonFile) -> Iterator[tuple[str, ast.AST]]:
    """Each place that reads words, with its style; an empty one if that is not known."""
    for entry in entry_points(path, file):
        yield "hydra", file.functions[entry.function]
    for node in file.of(ast.Call, ast.Attribute):
        match node:
            case ast.Call(func=ast.Attribute(attr="add_argument"), args=args):
                first = args[0] if args else None
                is_known = args and all(isinstance(one, ast.Constant) for one in args)
                is_flag = isinstance(first, ast.Constant) and str(first.value).startswith("-")
                yield "" if not is_known else "flags" if is_flag else "positional", node
            case ast.Call(func=func) if (name := file.resolve(func)) and (
                name in ("click.option", "click.argument") or name in _OF_WORDS
            ):
                yield _BY_NAME.get(name, "key=value"), node
            case ast.Attribute(attr="add_argument" | "main") if _is_given_on(file, node):
                yield "", node
            case ast.Attribute(attr="argv") if file.resolve(node) == "sys.argv":
                if not _is_of_program(file, node):
                    yield _by_hand(file, node), node


def _is_given_on(file: PythonFile, node: ast.Attribute) -> bool:
    """Whether what reads words is handed on, or what it makes is called."""
    if node.attr == "main" and file.resolve(node) != "hydra.main":
        return False
    parent = file.parents.get(node)
    is_called = isinstance(parent, ast.Call) and parent.func is node
    return not is_called or isinstance(file.parents.get(parent), ast.Call)  # type: ignore[arg-type]


def _is_of_program(file: PythonFile, words: ast.Attribute) -> bool:
    """Whether only the program's own name is taken."""
    parent = file.parents.get(words)
    return isinstance(parent, ast.Subscript) and ast.unparse(parent.slice) == "0"


def _by_hand(file: PythonFile, words: ast.Attribute) -> str:
    """The style of what takes `sys.argv` apart: each word at `=`, else it is not known."""
    loops = [one for one in file.ancestors(words) if isinstance(one, _LOOPS)]
    heads = [one.iter if isinstance(one, ast.For) else one.generators[0].iter for one in loops[:1]]
    is_of_each = any(words in walk(head) for head in heads)
    takes_apart = (
        isinstance(one, ast.Call)
        and isinstance(one.func, ast.Attribute)
        and one.func.attr in _PARTS
        and any(isinstance(given, ast.Constant) and given.value == "=" for given in one.args)
        for loop in loops[:1]
        for one in walk(loop)
    )
    return "key=value" if is_of_each and any(takes_apart) else ""
