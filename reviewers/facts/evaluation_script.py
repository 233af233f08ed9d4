"""What the evaluation script expects on its command line and what it writes."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from reviewers.facts.python_file import Call, PythonFile, template
from reviewers.records import Span
from reviewers.rubric.contract import Command
from reviewers.steps import fact

_SPLITS = re.compile(
    r"""(?:r?split|r?partition|find|index)\(\s*["']=["']|from_cli|from_dotlist|removeprefix\(\s*f?["']"""
)
_PATTERNS = (
    "re.match",
    "re.fullmatch",
    "re.search",
    "re.split",
    "re.sub",
    "re.compile",
    "re.findall",
)
_TESTS = re.compile(
    r"ttest|wilcoxon|mannwhitney|kruskal|anova|f_oneway|friedman|bootstrap|permutation|mcnemar|chi2|tukey|shapiro|ks_2samp|p_?val",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument that argparse or click declares; `is_option` where its name begins with a
    dash.

    Attributes:
        required: whether leaving it out ends the script; a positional is, unless it says otherwise.
    """

    name: str
    is_option: bool
    span: Span
    required: bool = True


class EvaluationScript:
    """What the script of the evaluation says; everything is empty if the file is missing or
    does not parse.

    Args:
        command: the one that starts it; None if the contract has none.

    Attributes:
        path: where it should be; empty if the contract names no such script.
        words: the keys of the documented `key=value` words.
        run_ids: the key under which the run ids are passed; None if they are not.
    """

    def __init__(self, file: PythonFile | None, command: Command | None) -> None:
        self.file = file
        self.path = command.file if command else ""
        self.words = command.keys if command else ()
        self.run_ids = command.names("run_ids") if command else None

    @property
    def is_readable(self) -> bool:
        """Whether the file is there, parses and says something."""
        return self.file is not None and self.file.tree is not None and bool(self.file.text.strip())

    @property
    def text(self) -> str:
        """The file's text; empty if there is none."""
        return self.file.text if self.file else ""

    @fact
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments of argparse that stand for the documented words."""
        return tuple(argument for argument in self._declared() if argument.name in self.words)

    def _declared(self) -> Iterator[Argument]:
        for call in (
            self.file.calls_of(".add_argument", "click.option", "click.argument")
            if self.file
            else ()
        ):
            names = [template(item) for item in call.node.args]
            plain = [name.lstrip("-").replace("-", "_") for name in names if name]
            if plain and self.file:
                is_option = names[0].startswith("-")
                said = call.keyword("required")
                required = (
                    said.value is True
                    if isinstance(said, ast.Constant)
                    else not is_option and call.keyword("nargs") is None
                )
                yield Argument(
                    plain[-1],
                    is_option,
                    Span(self.file.path, call.line, call.node.end_lineno),
                    required,
                )

    @property
    def parser(self) -> str:
        """The library that declares the arguments."""
        return "argparse" if "add_argument" in self.text else "click"

    @fact
    def words_parsed_whole(self) -> Call | None:
        """Where a word of `sys.argv` is read as JSON as it came."""
        for call in self.file.calls_of("json.loads") if self.file else ():
            given = call.node.args[0] if call.node.args else None
            if (
                isinstance(given, ast.Subscript)
                and self.file
                and self.file.resolve(given.value) == "sys.argv"
            ):
                return call
        return None

    @property
    def options_by_hand(self) -> Call | None:
        """Where a script that reads `sys.argv` itself asks whether a word is an option."""
        reads = self.file is not None and "sys.argv" in self.text and not self.arguments
        for call in self.file.calls_of(".startswith") if self.file and reads else ():
            match call.node.args:
                case [ast.Constant(value="-" | "--")]:
                    return call
        return None

    @property
    def splits_words(self) -> bool:
        """Whether the script takes `key=value` words apart itself."""
        if _SPLITS.search(self.text) or any(
            text.endswith(tuple(f"{word}=" for word in self.words)) for text in self.texts
        ):
            return True
        patterns = self.file.calls_of(*_PATTERNS) if self.file else ()
        return any("=" in template(call.node.args[0]) for call in patterns if call.node.args)

    @property
    def leaves_words(self) -> bool:
        """Whether argparse is asked to pass over words that it does not know."""
        return "parse_known_args" in self.text

    @property
    def tests_significance(self) -> bool:
        """Whether the code itself names a statistical test: calls it, defines it, or stores what it
        gave; an import does not.
        """
        return any(_TESTS.search(name) for name in self._names())

    def _names(self) -> Iterator[str]:
        for node in (
            self.file.of(ast.Name, ast.Attribute, ast.FunctionDef, ast.keyword) if self.file else ()
        ):
            match node:
                case (
                    ast.Name(id=name)
                    | ast.Attribute(attr=name)
                    | ast.FunctionDef(name=name)
                    | ast.keyword(arg=str(name))
                ):
                    yield name
        yield from self.texts

    @fact
    def texts(self) -> tuple[str, ...]:
        """Every string in the script, f-strings with `{}` for each value, docstrings left out."""
        return (
            tuple(string.value for string in self.file.strings if not string.is_docstring)
            if self.file
            else ()
        )

    def writes(self, name: str) -> bool:
        """Whether a text of the script holds this file name or key."""
        return any(name in text for text in self.texts)

    @fact
    def primary_metric(self) -> tuple[Span, str | None] | None:
        """Where the script says what `primary_metric` is, and its literal value; None for a value
        that is computed.
        """
        for node in self.file.of(ast.Dict, ast.Assign) if self.file else ():
            if isinstance(node, ast.Dict):
                for key, value in zip(node.keys, node.values, strict=True):
                    if isinstance(key, ast.Constant) and key.value == "primary_metric":
                        return self._said(value)
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    if (
                        isinstance(target, ast.Subscript)
                        and template(target.slice) == "primary_metric"
                    ):
                        return self._said(node.value)
        return None

    def _said(self, value: ast.expr) -> tuple[Span, str | None]:
        span = Span(self.file.path if self.file else "", value.lineno, value.end_lineno)
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return span, value.value
        if isinstance(value, ast.Name):
            constants = self._constants(value.id)
            if len(constants) == 1:
                return span, constants[0]
        return span, None

    def _constants(self, name: str) -> list[str | None]:
        """The values that are bound to a name anywhere in the script; None for one that is no
        literal.
        """
        found: list[str | None] = []
        for node in self.file.of(ast.Assign, ast.AnnAssign, ast.arg) if self.file else ():
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                    found.append(
                        template(node.value) or None
                        if isinstance(node.value, ast.Constant)
                        else None
                    )
            elif isinstance(node, ast.arg) and node.arg == name:
                found.append(None)
        return found
