"""What the names in a claim mean in a submission: files, definitions, keys, libraries, runs."""

import ast
import builtins
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from reviewers.facts import Facts, yaml_config
from reviewers.readers.words import ENDINGS, Token, stem, tokens

_ERROR = re.compile(r"[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Warning)")
_IDENTIFIER = re.compile(r"[A-Za-z_][\w.]*")
_WORDS = re.compile(r"[A-Za-z]+")
_FILE = re.compile(rf"[^\s]*\.(?:{ENDINGS})")
_PLACEHOLDER = re.compile(r"\{[^{}]*\}|<[^<>]*>|\$\w+")
_ROOTS = ("cfg.", "config.", "self.cfg.", "conf.")
_TEXT = re.compile(r"""["'](\w{1,60})["']""")
_IMPORT = re.compile(r"(?:from ([\w.]+) )?import (?:([\w.]+)|\.\.\.|…)(?: as \w+)?(?: *\(\w*\))?")
_ENTRY = re.compile(r"(?:(\w+):\s*)?(?:- )?([\w.]+):\s+([\w./-]+)")  # YAML: a key and its value
_SPACE = "search_space"  # in which keys stand for others
_SHORTEST = 4  # letters of a name that stands for a longer one
_MESSAGES = {
    "no module named": "ModuleNotFoundError",
    "has no attribute": "AttributeError",
    "unexpected keyword argument": "TypeError",
    "positional argument": "TypeError",
    "is not defined": "NameError",
    "no such file": "FileNotFoundError",
    "index out of range": "IndexError",
    "unrecognized arguments": "SystemExit",
    "arguments are required": "SystemExit",
}
"""Exceptions by what they say."""


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing that a claim names.

    Attributes:
        meanings: its value by each kind of thing that it may be.
        args, named: what a call is given, as far as it is written out.
    """

    said: str
    meanings: Mapping[str, str]
    is_quoted: bool = False
    args: tuple[str | int | float, ...] = ()
    named: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class SymbolTable:
    """The names of a submission.

    Attributes:
        files: all paths.
        definitions: `file::qualified.name` of functions and classes, by their last name.
        keys: every dotted key of the configuration files, by file.
        libraries: the top-level names of what is imported or declared.
        commands: the contract's commands by their file.
        raised: the names of the exceptions that each file raises.
        texts: texts of one word in each file's code, as the names of metrics and columns are.
        called: the whole names of what the code calls of libraries, by their last part.
        unbound: names that code uses and that nothing gives a value.
        terms: the stems of the words with which the method is described that the code is for.
    """

    files: tuple[str, ...]
    definitions: Mapping[str, tuple[str, ...]]
    keys: Mapping[str, frozenset[str]]
    libraries: frozenset[str]
    aliases: Mapping[str, str]
    runs: tuple[str, ...]
    run_files: tuple[str, ...]
    roles: Mapping[str, str]
    raised: Mapping[str, frozenset[str]]
    packages: frozenset[str]
    texts: Mapping[str, frozenset[str]]
    called: Mapping[str, frozenset[str]] = field(default_factory=dict)
    unbound: frozenset[str] = frozenset()
    terms: frozenset[str] = frozenset()

    @cached_property
    def classes(self) -> Mapping[str, str]:
        """The place of each class that is written as one, by its name; of one name, none."""
        return {
            name: places[0]
            for name, places in self.definitions.items()
            if len(places) == 1 and name[:1].isupper()
        }

    def class_called(self, said: str) -> str | None:
        """The one class that a proper name means by its case or its beginning: `Reactor` for
        `ReactorScheduler`.
        """
        if len(said) < _SHORTEST or not any(map(str.isupper, said[1:])):
            return None
        plain = said.replace("-", "").lower()
        found = [place for name, place in self.classes.items() if name.lower().startswith(plain)]
        return found[0] if len(found) == 1 else None

    @cached_property
    def last_keys(self) -> Mapping[str, str]:
        """The one key outside a search space that ends with a name."""
        found: dict[str, set[str]] = {}
        for key in self.all_keys:
            above, _, last = key.rpartition(".")
            if above and _SPACE not in above:
                found.setdefault(last, set()).add(key)
        return {last: keys.pop() for last, keys in found.items() if len(keys) == 1}

    @cached_property
    def all_keys(self) -> frozenset[str]:
        return frozenset().union(*self.keys.values())

    def command_of(self, path: str) -> str:
        """The command that starts a file; `train` for any other one, which training uses."""
        return next((name for name, file in self.roles.items() if file == path), "train")


def table_of(facts: Facts) -> SymbolTable:
    """The names that a claim about a submission may use."""
    definitions: dict[str, tuple[str, ...]] = {}
    raised: dict[str, frozenset[str]] = {}
    aliases: dict[str, str] = {}
    for path, code in facts.python.items():
        for name in (*code.functions, *code.classes):
            last = name.rpartition(".")[2]
            definitions[last] = (*definitions.get(last, ()), f"{path}::{name}")
        raised[path] = frozenset(re.findall(r"\braise (\w+)", code.text))
        aliases.update(code.aliases)
    keys = {
        path: frozenset(_keys(yaml_config.plain_values(facts.text(path) or "", path), ""))
        for path in facts.submission.by_path
        if path.endswith((".yaml", ".yml"))
    }
    declared = frozenset(
        re.split(r"[\s<>=!~\[;]", name, maxsplit=1)[0].lower()
        for name in map(str, facts.packaging.table("project").get("dependencies") or ())
    )
    libraries = {target.partition(".")[0] for target in aliases.values()} | declared
    local = {path.rpartition("/")[2].removesuffix(".py") for path in facts.python} | {"src", ""}
    return SymbolTable(
        tuple(facts.submission.by_path),
        definitions,
        keys,
        frozenset(libraries - local),
        aliases,
        tuple(run.run_id for run in facts.runs),
        tuple(run.file.path for run in facts.runs),
        {name: command.file for name, command in facts.contract.commands.items() if command.file},
        raised,
        declared,
        {path: frozenset(_TEXT.findall(code.text)) for path, code in facts.python.items()},
        _called(facts),
        frozenset(one.name for code in facts.python.values() for one in code.undefined_names),
        _terms(facts),
    )


def _called(facts: Facts) -> Mapping[str, frozenset[str]]:
    names = {call.name for code in facts.python.values() for call in code.calls if call.name}
    found: dict[str, frozenset[str]] = {}
    for name in names:
        first, _, last = name.rpartition(".")
        if first and not first.startswith("src"):
            found[last] = found.get(last, frozenset()) | {name}
    return found


def _terms(facts: Facts) -> frozenset[str]:
    context = facts.submission.context
    said = (context.hypothesis, context.method, context.design, context.primary_metric)
    return frozenset(stem(word) for text in said for word in _WORDS.findall(str(text or "")))


def _keys(values: object, above: str) -> Iterator[str]:
    if isinstance(values, Mapping):
        for name, value in values.items():
            yield f"{above}{name}"
            yield from _keys(value, f"{above}{name}.")


def entity(token: Token, table: SymbolTable) -> Entity | None:
    """What a token that names something may mean; None for a word that is none of the
    submission's names.
    """
    said = token.text.rstrip(".,;:").removesuffix("'s")
    if token.kind == "word":
        return _of_word(said, table)
    if token.kind == "call" or (token.kind == "quoted" and _is_call(said)):
        return _of_call(said, table)
    if token.kind == "number":
        return Entity(said, {"number": said})
    meanings = dict(_meanings(said, token.kind, table))
    return Entity(said, meanings, token.kind == "quoted") if meanings else None


def _is_call(said: str) -> bool:
    inner = tokens(said)
    return len(inner) == 1 and inner[0].kind == "call"


def _of_word(said: str, table: SymbolTable) -> Entity | None:
    lower = said.lower()
    if _ERROR.fullmatch(said) and said not in ("Error", "Exception", "Warning"):
        return Entity(said, {"error": said})
    if said in table.runs:
        return Entity(said, {"run": said})
    meanings: dict[str, str] = {}
    if any(said in texts for texts in table.texts.values()):
        meanings["metric"] = said
    if lower in table.libraries or lower in WELL_KNOWN:
        meanings |= {"library": lower, "package": lower}
        if lower in ("hydra", "optuna", "wandb"):
            meanings["activity"] = lower
    if said in table.aliases and said != lower:
        meanings["imported"] = table.aliases[said]
        if f"{table.aliases[said].rpartition('.')[0].replace('.', '/')}.py" in table.files:
            meanings["name"] = said
    if said == lower and len(called := table.called.get(said, ())) == 1:
        meanings["imported"] = next(iter(called))
    if said in table.unbound:
        meanings["name"] = said
    if said == lower and said in table.all_keys:
        meanings["key"] = said
    elif lower in table.last_keys:
        meanings["key"] = table.last_keys[lower]
    if (found := table.definitions.get(said)) and len(found) == 1:
        meanings["definition"] = found[0]
    return Entity(said, meanings) if meanings else None


def _of_call(said: str, table: SymbolTable) -> Entity | None:
    """A call with its arguments; `…` and `...` stand for any."""
    callee, _, inside = said.partition("(")
    try:
        node = ast.parse(f"f({inside.replace('…', '...')}", mode="eval").body
        assert isinstance(node, ast.Call)
        given = [_written(one) for one in node.args]
        named = {str(one.arg): _written(one.value) for one in node.keywords if one.arg}
    except (SyntaxError, ValueError, AssertionError):
        return None
    meanings = dict(_meanings(callee, "dotted", table))
    for kind in ("key", "name", "metric", "argument"):
        meanings.pop(kind, None)
    owner, _, method = callee.rpartition(".")
    is_class = owner.rpartition(".")[2][:1].isupper() and "definition" not in meanings
    is_method = is_class or (owner in ("", "str", "dict", "list") and "definition" not in meanings)
    if is_class:
        meanings.pop("library", None)
    meanings["callee"] = meanings.get("library") or (
        f"*.{method}" if is_method and not hasattr(builtins, method) else callee
    )
    values = tuple(one for one in given if one is not ... and isinstance(one, str | int | float))
    return Entity(said, meanings, args=values, named=named)


def _written(node: ast.expr) -> object:
    """A value as it is written: a literal, else its text."""
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ast.unparse(node)


WELL_KNOWN = frozenset(
    [
        "torch",
        "torchvision",
        "timm",
        "transformers",
        "datasets",
        "numpy",
        "pandas",
        "scipy",
        "sklearn",
        "hydra",
        "omegaconf",
        "optuna",
        "wandb",
        "matplotlib",
        "seaborn",
        "peft",
        "accelerate",
        "bitsandbytes",
    ]
)


def _meanings(said: str, kind: str, table: SymbolTable) -> Iterator[tuple[str, str]]:
    bare = said.removesuffix("(...)").removesuffix("(..)").removesuffix("()")
    if kind == "quoted":
        inner = tokens(said)
        if statement := _IMPORT.fullmatch(said):
            yield "statement", ".".join(filter(None, statement.groups()))
            return
        if entry := _ENTRY.fullmatch(said):
            above = f"{entry[1]}." if entry[1] else "defaults."
            yield "entry", f"{above}{entry[2]}: {entry[3]}"
            return
        if error := _message(said):
            yield "error", error
            return
        yield "text", said
        if len(inner) != 1 or inner[0].kind == "quoted":
            return
        kind = inner[0].kind
        if kind == "word":
            kind = "name"
    if said in table.runs:
        yield "run", said
        return
    if kind == "pair":
        name, _, value = said.lstrip("-").partition("=")
        if name == "mode":
            yield "mode", value
        elif name.endswith("_mode") and value.lower() in ("true", "1"):
            yield "mode", name.removesuffix("_mode")
        yield "pair", said
        return
    if (path := _path(bare, table)) is not None:
        yield "file", path
        return
    bare = bare.removesuffix(".*") if bare.startswith(_ROOTS) else bare
    if kind == "path" or not _IDENTIFIER.fullmatch(bare.lstrip(".")):
        yield "text", said
        return
    if bare.startswith(_ROOTS):
        yield "key", bare.partition(".")[2].removeprefix("cfg.")
        return
    if f"{bare.replace('.', '/')}.py" in table.files:
        yield "file", f"{bare.replace('.', '/')}.py"
        return
    first, _, rest = bare.partition(".")
    whole = table.aliases.get(first, first) + (f".{rest}" if rest else "")
    if bare in table.all_keys:
        yield "key", bare
    is_library = (first in table.aliases or first in WELL_KNOWN) and rest
    if is_library and whole.partition(".")[0] in table.libraries | WELL_KNOWN:
        *_, owner, method = whole.split(".")
        if owner[:1].isupper() and method[:1].islower():
            yield "member", whole
            yield "callee", f"*.{method}"  # of an object, however it came to be
            return
        yield "library", whole
        if said != bare:
            yield "callee", whole
        return
    last = bare.rpartition(".")[2]
    found = table.definitions.get(last) or table.definitions.get(f"_{last}", ())
    exact = [
        one for one in found if one.partition("::")[2] in (bare, bare.partition(".")[2])
    ] or found
    if len(exact) == 1 and not bare.startswith("."):
        yield "definition", exact[0]
    if said != bare or bare.startswith("."):
        yield "callee", bare if not bare.startswith(".") else f"*{bare}"
    if "." in bare and first in table.all_keys and bare not in table.all_keys:
        yield "key", bare
    if bare.lower() in table.packages:
        yield "package", bare.lower()
    if not found and len(called := table.called.get(bare, ())) == 1:
        yield "imported", next(iter(called))
    if "." not in bare:
        if bare in table.last_keys and bare not in table.all_keys and not found:
            yield "key", table.last_keys[bare]
        yield "metric", bare
        yield "argument", bare
    yield "name", bare


def _message(said: str) -> str | None:
    """The exception whose message is quoted, with its name or without."""
    name = said.partition(":")[0].rpartition(".")[2]
    if _ERROR.fullmatch(name):
        return name
    return next((one for words, one in _MESSAGES.items() if words in said.lower()), None)


def _path(said: str, table: SymbolTable) -> str | None:
    """The file that a path means, by its end if need be; a path as it stands where none does."""
    said = _PLACEHOLDER.sub("*", said.removeprefix("./"))
    if said in table.files:
        return said
    ends = [path for path in table.files if path.endswith(f"/{said}")]
    if len(ends) == 1:
        return ends[0]
    if said.endswith("/") and not said.startswith("*"):
        return f"{said}*.yaml" if said.startswith("config") else None
    if f"{said}.py" in table.files:
        return f"{said}.py"
    folder = f"{said.partition('/')[0]}/"
    is_bare = "/" in said and "." not in said.rpartition("/")[2]
    if is_bare and any(path.startswith(folder) for path in table.files):
        return f"{said}/*.yaml" if said.startswith("config") else f"{said}/*"
    if _FILE.fullmatch(said):
        return said if not said.startswith(".") else f"*{said}"
    return None
