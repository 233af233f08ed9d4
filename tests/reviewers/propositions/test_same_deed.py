"""Guards that the same code, written in another way, never turns true into false or the reverse."""

import ast
from collections.abc import Callable, Iterator

import pytest

from reviewers.propositions import Truth
from tests.reviewers.propositions.twins import FALSE, TRUE, Twin, all_twins

# What is said of the text itself, or of one name as it stands there.
_OF_TEXT = frozenset({"contains", "bound", "imports", "uses", "defines", "command_line", "empty"})
_SCRIPTS = ("src/train.py", "src/evaluate.py", "src/preprocess.py", "src/model.py")


class _Aliased(ast.NodeTransformer):
    """`import wandb` becomes `import wandb as other_wandb`."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def visit_Import(self, node: ast.Import) -> ast.Import:
        for one in node.names:
            if one.asname is None and "." not in one.name:
                self._names.add(one.name)
                one.asname = f"other_{one.name}"
        return node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(f"other_{node.id}", node.ctx) if node.id in self._names else node


class _Formatted(ast.NodeTransformer):
    """A text that a call gets becomes an f-string without a value in it."""

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        node.args = [
            ast.JoinedStr([one])
            if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value
            else one
            for one in node.args
        ]
        return node


def _in_a_helper(tree: ast.Module) -> ast.Module:
    """The statements of the module go into a function that it calls."""
    kept = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.If)
    moved = [one for one in tree.body if isinstance(one, ast.Expr)]
    if not moved or any(not isinstance(one, (*kept, ast.Expr)) for one in tree.body):
        return tree
    helper = ast.parse("def all_of_it():\n    pass\nall_of_it()").body
    helper[0].body = moved  # type: ignore[attr-defined]
    return ast.Module([one for one in tree.body if one not in moved] + helper, [])


def _with_more(tree: ast.Module) -> ast.Module:
    """Code that has nothing to do with anything stands before and behind."""
    more = ast.parse("def nothing(a, b=1):\n    return [one for one in (a, b) if one]\n").body
    return ast.Module([*more, *tree.body, *ast.parse("nothing(1)").body], [])


_WAYS: tuple[Callable[[ast.Module], ast.AST], ...] = (
    lambda tree: _Aliased().visit(tree),
    lambda tree: _Formatted().visit(tree),
    _in_a_helper,
    _with_more,
)
TWINS = [
    twin
    for twin in all_twins()
    if twin.expected in (TRUE, FALSE) and twin.predicate not in _OF_TEXT
]


@pytest.mark.parametrize("predicate", {twin.predicate: None for twin in TWINS})
def test_true_and_false_do_not_change_into_each_other(predicate: str) -> None:
    turned = [
        (str(twin), text)
        for twin in TWINS
        if twin.predicate == predicate
        for text in _rewritten(twin)
        if twin.answer(**text).truth not in (twin.expected, Truth.UNKNOWN)
    ]
    assert turned == []


def _rewritten(twin: Twin) -> Iterator[dict[str, str]]:
    """The scripts that read differently when they are written in each other way."""
    scripts = {path: text for path, text in twin.files.items() if path in _SCRIPTS and text}
    plain = {path: ast.unparse(tree) for path, text in scripts.items() if (tree := _parsed(text))}
    for way in _WAYS:
        others = {
            path: ast.unparse(ast.fix_missing_locations(way(ast.parse(scripts[path]))))
            for path in plain
        }
        if changed := {path: f"{text}\n" for path, text in others.items() if text != plain[path]}:
            yield changed


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except SyntaxError:
        return None


def test_false_vanishes_where_the_code_cannot_be_read() -> None:
    scopes = [str(twin.atom.get("scope", "")).partition("::")[0] for twin in TWINS]
    stayed = [
        str(twin)
        for twin, scope in zip(TWINS, scopes, strict=True)
        if twin.expected == FALSE and scope in twin.files and twin.predicate != "returns"
        if twin.answer(**{scope: "def broken(:\n"}).truth is Truth.FALSE
    ]
    assert stayed == []
