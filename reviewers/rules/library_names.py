"""Rules for criterion 1, names that third-party libraries do not have."""

import ast
from collections.abc import Iterator

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from reviewers.facts import Facts, PythonFile
from reviewers.facts.third_party import Span as Versions
from reviewers.records import Span
from reviewers.rules.base import Flag, rule


@rule(
    id="IM09",
    criterion=1,
    category="nonexistent-api",
    severity="blocker",
    summary="a library has no such name in the versions that are allowed",
    decides=None,
    bad="""
        import hydra
        from omegaconf import OmegaConf

        def prepared(cfg):
            return OmegaConf.deepcopy(cfg)  # flag: IM09
    """,
    good="""
        import copy

        def prepared(cfg):
            return copy.deepcopy(cfg)
    """,
)
def nonexistent_library_name(facts: Facts) -> Iterator[Flag]:
    """Models write down names that a library once had, or never had: the line ends in ImportError or AttributeError.

    The names are those of the libraries' own wheels, read statically; where these leave it open, nothing is said.
    """
    for path, file in facts.python.items():
        seen: set[str] = set()
        for name, line, is_import in sorted(_asked(file), key=lambda asked: (asked[1], len(asked[0]))):
            if any(name == known or name.startswith(f"{known}.") for known in seen):
                continue
            if facts.third_party.exists(name, _allowed(facts, name)).newest is False:
                seen.add(name)
                history = _history(facts.third_party.existence(name))
                yield Flag(Span(path, line), _message(name, history, is_import), f"`{name}` stands {history}")


def _asked(file: PythonFile) -> Iterator[tuple[str, int, bool]]:
    """Every dotted name from outside that the file imports or reads, with its line; guarded imports may fail."""
    roots = {name.partition(".")[0] for name in file.aliases.values()}
    guarded = {item.bound for item in file.imports if item.guarded}
    for item in file.imports:
        if not item.level and not item.guarded and item.name != "*":
            yield f"{item.module}.{item.name}" if item.name else item.module, item.line, True
    for node in file.nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            name = file.resolve(node)
            if name is not None and name.partition(".")[0] in roots and not _is_guarded(node, guarded):
                yield name, node.lineno, False


def _is_guarded(node: ast.Attribute, guarded: set[str | None]) -> bool:
    first: ast.expr = node
    while isinstance(first, ast.Attribute):
        first = first.value
    return isinstance(first, ast.Name) and first.id in guarded


def _allowed(facts: Facts, name: str) -> SpecifierSet | None:
    """The versions of the name's library that pyproject.toml allows; None where it names none that can be read."""
    library = facts.third_party.distribution_of(name)
    for declared in facts.packaging.declared:
        if declared.name == library and declared.specifier:
            try:
                return SpecifierSet(declared.specifier)
            except InvalidSpecifier:
                return None
    return None


def _message(name: str, history: str, is_import: bool) -> str:
    owner, _, last = name.rpartition(".")
    imported = f"ImportError: cannot import name '{last}' from '{owner}'"
    return f"`{name}` stands {history}: {imported if is_import else f'AttributeError: {owner} has no {last!r}'}"


def _history(spans: tuple[Versions, ...]) -> str:
    gone = [span for span in spans if span.gone is not None]
    if gone:
        return f"in no {gone[-1].library} from {gone[-1].gone} on"
    return "in no version of the library that was looked at"
