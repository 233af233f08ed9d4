"""The operators, one function each: all places of a submission where it can be applied.

Written from the pipelines' contracts and from what goes wrong in Python, Hydra and OmegaConf,
without knowledge of the rules. An operator is *failing* (a documented command should stop
somewhere) or *neutral* (nothing may change about whether it starts). The real start
decides what a mutant is; the label says what is expected of it, and which third of a measure it
belongs to.
"""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import yaml

from tests.mutants.tree import Mutation, Tree, body, extent, indent, offset

Places = Callable[[Tree], Iterator[Mutation]]


@dataclass(frozen=True)
class Operator:
    """A kind of change; its docstring is its documentation."""

    name: str
    neutral: bool
    places: Places

    @property
    def about(self) -> str:
        return (self.places.__doc__ or "").strip()


OPERATORS: list[Operator] = []


def failing(places: Places) -> Places:
    """Register an operator after which a documented command should stop."""
    OPERATORS.append(Operator(places.__name__, False, places))
    return places


def neutral(places: Places) -> Places:
    """Register an operator that changes nothing about whether it starts."""
    OPERATORS.append(Operator(places.__name__, True, places))
    return places


BASE = "config/config.yaml"


# --- failing: the configuration ------------------------------------------------------------------


def _read_keys(tree: Tree, *paths: str) -> Iterator[tuple[str, "object"]]:
    for path, pair in tree.pairs(*paths):
        if re.search(rf"\.{re.escape(pair.path[-1])}\b", tree.code):
            yield path, pair


@failing
def drop_run_key(tree: Tree) -> Iterator[Mutation]:
    """A key that the code reads is missing from a run config."""
    for path, pair in _read_keys(tree, *tree.runs):
        if not pair.flow:
            yield tree.without_lines(path, pair.line, pair.last_line, f"drop {'.'.join(pair.path)}")


@failing
def drop_shared_key(tree: Tree) -> Iterator[Mutation]:
    """A key that the code or the command line needs is missing from config.yaml."""
    for path, pair in _read_keys(tree, BASE):
        if not pair.flow and pair.path[0] != "defaults":
            yield tree.without_lines(path, pair.line, pair.last_line, f"drop {'.'.join(pair.path)}")


@failing
def rename_yaml_key(tree: Tree) -> Iterator[Mutation]:
    """A key is spelled differently in the YAML than in the code."""
    for path, pair in _read_keys(tree, BASE, *tree.runs):
        key = pair.key
        yield tree.cut(
            path, key.end_mark.index, key.end_mark.index, "_value", f"{pair.path}", pair.line
        )


@failing
def section_becomes_text(tree: Tree) -> Iterator[Mutation]:
    """A text stands where the code reads a section."""
    for path, pair in _read_keys(tree, BASE, *tree.runs):
        if isinstance(pair.value, yaml.MappingNode) and not pair.flow:
            head = indent(tree.files[path], pair.line) + pair.key.value
            lines = tree.files[path].splitlines(keepends=True)
            lines[pair.line - 1 : pair.last_line] = [f"{head}: standard\n"]
            yield Mutation({path: "".join(lines)}, path, pair.line, f"{pair.path} is a text")


@failing
def number_becomes_word(tree: Tree) -> Iterator[Mutation]:
    """A word stands where a number was."""
    for path, pair in _read_keys(tree, BASE, *tree.runs):
        value = pair.value
        if isinstance(value, yaml.ScalarNode) and value.tag.endswith((":int", ":float")):
            yield tree.revalued(path, pair, "auto")


@failing
def value_becomes_null(tree: Tree) -> Iterator[Mutation]:
    """A value that the code counts with or lists is null."""
    for path, pair in _read_keys(tree, *tree.runs):
        value = pair.value
        if not isinstance(value, yaml.MappingNode) and not value.tag.endswith((":null", ":str")):
            yield tree.revalued(path, pair, "null")


@failing
def value_becomes_mandatory(tree: Tree) -> Iterator[Mutation]:
    """A value is left as `???`, to be given by a word that no documented command has."""
    for path, pair in _read_keys(tree, BASE, *tree.runs):
        value = pair.value
        if isinstance(value, yaml.ScalarNode) and value.value != "???" and len(pair.path) > 1:
            yield tree.revalued(path, pair, "???")


@failing
def interpolation_of_nothing(tree: Tree) -> Iterator[Mutation]:
    """A value points to a key that is nowhere."""
    for path, pair in _read_keys(tree, *tree.runs):
        value = pair.value
        if isinstance(value, yaml.ScalarNode) and not pair.flow and len(pair.path) > 1:
            yield tree.revalued(path, pair, "${common.setting}")


@failing
def unknown_resolver(tree: Tree) -> Iterator[Mutation]:
    """A value calls a resolver that nothing registers."""
    for path, pair in _read_keys(tree, *tree.runs):
        value = pair.value
        if isinstance(value, yaml.ScalarNode) and not pair.flow and value.tag.endswith(":int"):
            yield tree.revalued(
                path, pair, "${eval:'" + value.value + " * 1'}", f"{pair.path}=${{eval:…}}"
            )


@failing
def broken_yaml(tree: Tree) -> Iterator[Mutation]:
    """A bracket is not closed, or a line is indented wrongly."""
    for path, pair in tree.pairs(BASE, *tree.runs):
        if pair.flow or pair.path[0] == "defaults":
            continue
        if isinstance(pair.value, yaml.SequenceNode) and pair.value.flow_style:
            end = pair.value.end_mark.index
            yield tree.cut(path, end - 1, end, "", f"{pair.path}: ] missing", pair.line)
        elif len(pair.path) > 1:
            start = offset(tree.files[path], pair.line, 0)
            yield tree.cut(
                path, start, start + 1, "", f"{pair.path}: indented by one less", pair.line
            )


@failing
def tab_in_yaml(tree: Tree) -> Iterator[Mutation]:
    """A line of a YAML file is indented by a tab."""
    for path, pair in tree.pairs(BASE, *tree.runs):
        if len(pair.path) == 2 and not pair.flow and pair.path[0] != "defaults":
            start = offset(tree.files[path], pair.line, 0)
            yield tree.cut(
                path, start, pair.key.start_mark.index, "\t", f"{pair.path}: tab", pair.line
            )


@failing
def key_given_twice(tree: Tree) -> Iterator[Mutation]:
    """A YAML file gives one key twice."""
    for path, pair in tree.pairs(BASE, *tree.runs):
        if not pair.flow and pair.path[0] != "defaults":
            lines = tree.files[path].splitlines(keepends=True)
            again = "".join(lines[pair.line - 1 : pair.last_line])
            yield tree.inserted(path, pair.line, again.rstrip("\n"), f"{pair.path} twice")


@failing
def missing_group(tree: Tree) -> Iterator[Mutation]:
    """The defaults list names a group without files."""
    for path, pair in tree.pairs(BASE):
        if pair.path == ("defaults",):
            yield tree.inserted(path, pair.line + 1, "  - scheduler: cosine", "defaults: scheduler")


@failing
def other_run_id(tree: Tree) -> Iterator[Mutation]:
    """A run config gives another run_id than its file's name (only some submissions look)."""
    for path, pair in tree.pairs(*tree.runs):
        if pair.path == ("run_id",):
            value = pair.value
            yield tree.cut(
                path, value.end_mark.index, value.end_mark.index, "-v2", "run_id differs", pair.line
            )


@failing
def run_configs_elsewhere(tree: Tree) -> Iterator[Mutation]:
    """The run configs lie in another folder than the one that the code or Hydra looks into."""
    for new in ("config/experiments", "config/run", "config/runs"):
        moved: dict[str, str | None] = {}
        for path in tree.runs:
            if path.rpartition("/")[0] != new:
                moved |= {path: None, f"{new}/{path.rpartition('/')[2]}": tree.files[path]}
        # A folder that no bundle knows would leave no run behind whose command could be started.
        if moved and new != "config/experiments":
            yield Mutation(moved, tree.runs[0], None, f"run configs in {new}")


@failing
def config_elsewhere(tree: Tree) -> Iterator[Mutation]:
    """config.yaml lies in another folder, or has another name, than `hydra.main` says."""
    for new in ("config.yaml", "src/config.yaml", "config/base.yaml", "conf/config.yaml"):
        yield Mutation({BASE: None, new: tree.files[BASE]}, BASE, None, f"{BASE} is {new}")


# --- failing: names and imports ------------------------------------------------------------------


@failing
def drop_import(tree: Tree) -> Iterator[Mutation]:
    """An import is missing."""
    for path, node, source in tree.nodes(ast.Import, ast.ImportFrom):
        if "__future__" not in source and node.col_offset == 0:
            yield tree.without_lines(path, node.lineno, node.end_lineno, f"drop {source}")


@failing
def import_of_nothing(tree: Tree) -> Iterator[Mutation]:
    """A name is imported from an own module that does not define it."""
    for path, node, source in tree.nodes(ast.ImportFrom):
        if (node.module or "").startswith("src."):
            name = node.names[-1].name
            yield tree.replaced(
                path, node, re.sub(rf"\b{name}\b", f"{name}_v2 as {name}", source), f"{name}_v2"
            )


@failing
def import_of_missing_module(tree: Tree) -> Iterator[Mutation]:
    """An own module is imported that is not there."""
    for path, node, source in tree.nodes(ast.ImportFrom):
        if (node.module or "").startswith("src."):
            new = source.replace(node.module, "src.utils", 1)
            yield tree.replaced(path, node, new)


@failing
def import_without_package(tree: Tree) -> Iterator[Mutation]:
    """An own module is imported as if its folder were on the path (`from model import …`)."""
    for path, node, source in tree.nodes(ast.ImportFrom):
        if (node.module or "").startswith("src."):
            new = source.replace("src.", "", 1)
            yield tree.replaced(path, node, new)


@failing
def module_elsewhere(tree: Tree) -> Iterator[Mutation]:
    """A module has another name or place than its importers say."""
    for name in ("model", "preprocess", "train"):
        path = f"src/{name}.py"
        if path in tree.files and re.search(rf"\bsrc[.]{name}\b", tree.code):
            for new in (f"src/{name}s.py", f"{name}.py", f"src/lib/{name}.py"):
                yield Mutation({path: None, new: tree.files[path]}, path, None, f"{path} is {new}")


@failing
def circular_import(tree: Tree) -> Iterator[Mutation]:
    """Two modules import names from each other."""
    for path, node, _source in tree.nodes(ast.ImportFrom):
        module = node.module or ""
        other = module.replace(".", "/") + ".py"
        own = path.removesuffix(".py").replace("/", ".")
        if module.startswith("src.") and other in tree.modules and own != "src.main":
            names = [
                one.name for one in tree.modules[path].body if isinstance(one, ast.FunctionDef)
            ]
            first = next(
                one
                for one in tree.modules[other].body
                if isinstance(one, ast.Import | ast.ImportFrom)
                and "__future__" not in ast.dump(one)
            )
            for name in names[:2]:
                yield tree.inserted(
                    other, first.lineno, f"from {own} import {name}", f"{own}.{name}"
                )


@failing
def renamed_definition(tree: Tree) -> Iterator[Mutation]:
    """A function or class has another name than those who call it say."""
    for path, module in tree.modules.items():
        for node in module.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name != "main":
                used = len(re.findall(rf"\b{node.name}\b", tree.code))
                if used > 1 and (path, body(node)[0].lineno) in tree.ran:
                    text = tree.files[path]
                    at = text.index(node.name, offset(text, node.lineno, node.col_offset))
                    yield tree.cut(
                        path, at, at + len(node.name), f"{node.name}_impl", node.name, node.lineno
                    )


@failing
def misspelled_name(tree: Tree) -> Iterator[Mutation]:
    """A local name or parameter is misspelled where it is read."""
    for path, function in tree.functions():
        bound = {one.arg for one in function.args.args} | {
            one.id for one in ast.walk(function) if isinstance(one, ast.Name) and _stored(one)
        }
        for node in ast.walk(function):
            if (
                isinstance(node, ast.Name)
                and isinstance(node.ctx, ast.Load)
                and node.id in bound
                and (path, node.lineno) in tree.ran
            ):
                yield tree.replaced(path, node, f"{node.id}_")


def _stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


@failing
def bound_too_late(tree: Tree) -> Iterator[Mutation]:
    """A statement that binds a name comes behind the one that reads it."""
    for path, function in tree.functions():
        statements = body(function)
        for first, second in pairwise(statements):
            if not isinstance(first, ast.Assign) or not isinstance(first.targets[0], ast.Name):
                continue
            name = first.targets[0].id
            reads = {one.id for one in ast.walk(second) if isinstance(one, ast.Name)}
            if (
                name in reads
                and isinstance(second, ast.Assign | ast.Expr)
                and (path, second.lineno) in tree.ran
            ):
                lines = tree.files[path].splitlines(keepends=True)
                one = lines[first.lineno - 1 : first.end_lineno]
                two = lines[second.lineno - 1 : second.end_lineno]
                between = lines[first.end_lineno : second.lineno - 1]
                lines[first.lineno - 1 : second.end_lineno] = [*two, *between, *one]
                yield Mutation({path: "".join(lines)}, path, first.lineno, f"{name} is bound late")


_STANDARD = {"json", "sys", "math", "random", "re", "time", "subprocess", "os"}


@failing
def misspelled_standard_name(tree: Tree) -> Iterator[Mutation]:
    """A name that a module of the standard library does not have."""
    for path, node, source in tree.nodes(ast.Attribute):
        if isinstance(node.value, ast.Name) and node.value.id in _STANDARD:
            yield tree.replaced(path, node, f"{source}_all")


# --- failing: keys that the code reads -----------------------------------------------------------


@failing
def misspelled_setting(tree: Tree) -> Iterator[Mutation]:
    """The code reads a key that no config gives."""
    for path, node, source in tree.nodes(ast.Attribute):
        if re.fullmatch(r"cfg(\.\w+)+", source) and isinstance(node.ctx, ast.Load):
            yield tree.replaced(path, node, f"{source}_rate")


@failing
def wrong_section(tree: Tree) -> Iterator[Mutation]:
    """The code reads a key under another section than the config has it."""
    for path, node, source in tree.nodes(ast.Attribute):
        found = re.fullmatch(r"cfg\.(training|dataset|model|wandb|optuna)\.(\w+)", source)
        if found and isinstance(node.ctx, ast.Load):
            yield tree.replaced(path, node, f"cfg.experiment.{found[2]}")


@failing
def struct_stays(tree: Tree) -> Iterator[Mutation]:
    """Nothing takes the struct flag off before new keys are merged into Hydra's config."""
    for path, node, source in tree.nodes(ast.Expr):
        if source == "OmegaConf.set_struct(cfg, False)":
            yield tree.without_lines(path, node.lineno, node.lineno, "drop set_struct(cfg, False)")
    for path, node, source in tree.nodes(ast.With):
        if source.startswith("with open_dict(cfg):"):
            start, _ = extent(tree.files[path], node)
            yield tree.cut(
                path,
                start,
                start + len("with open_dict(cfg):"),
                "if True:",
                "no open_dict",
                node.lineno,
            )


@failing
def write_into_struct(tree: Tree) -> Iterator[Mutation]:
    """The first thing done with Hydra's config is to write a key that it does not have."""
    for path, function in tree.mains():
        yield tree.begun(path, function, "    cfg.device = 'cuda'", "cfg.device = …")


@failing
def wrong_config_path(tree: Tree) -> Iterator[Mutation]:
    """`hydra.main` names a folder or file that is not there."""
    for path, node, _source in tree.nodes(ast.Call, reached=False):
        for keyword in node.keywords if ast.unparse(node.func) == "hydra.main" else ():
            wrong = {
                "config_path": ("../conf", "config", "../config/base"),
                "config_name": ("base",),
            }
            for word in wrong.get(keyword.arg or "", ()):
                yield tree.replaced(path, keyword.value, repr(word), f"{keyword.arg}={word!r}")


@failing
def wrong_path_part(tree: Tree) -> Iterator[Mutation]:
    """A path in the code has a part that no file of the submission has."""
    for path, node, source in tree.nodes(ast.Constant):
        if node.value in ("config", "runs", "config.yaml") and source:
            yield tree.replaced(path, node, repr(f"my_{node.value}"), f"my_{node.value}")


@failing
def wrong_parent(tree: Tree) -> Iterator[Mutation]:
    """The root of the repository is taken one folder too high or too low."""
    for path, node, source in tree.nodes(ast.Attribute, ast.Subscript):
        if source.endswith(".resolve().parents[1]"):
            yield tree.replaced(path, node, source[:-2] + "0]", "parents[0]")
            yield tree.replaced(path, node, source[:-2] + "2]", "parents[2]")
        if source.endswith(".resolve().parent.parent"):
            yield tree.replaced(path, node, source[: -len(".parent")], "one parent less")


# --- failing: calls ------------------------------------------------------------------------------


def _own_calls(tree: Tree) -> Iterator[tuple[str, ast.Call, ast.FunctionDef]]:
    """Calls of functions that the submission defines at the top of a module."""
    defined = {
        node.name: node
        for module in tree.modules.values()
        for node in module.body
        if isinstance(node, ast.FunctionDef)
    }
    for path, node, _ in tree.nodes(ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id in defined and node.func.id != "main":
            yield path, node, defined[node.func.id]


@failing
def drop_argument(tree: Tree) -> Iterator[Mutation]:
    """A call of an own function lacks an argument."""
    for path, node, target in _own_calls(tree):
        needed = len(target.args.args) - len(target.args.defaults)
        if node.args and len(node.args) + len(node.keywords) <= needed:
            start, end = extent(tree.files[path], node.args[-1])
            text = tree.files[path]
            if text[end] == ",":
                end += 1
            yield tree.cut(path, start, end, "", f"{target.name}() lacks its last", node.lineno)


@failing
def extra_argument(tree: Tree) -> Iterator[Mutation]:
    """A call of an own function has one keyword too many."""
    for path, node, target in _own_calls(tree):
        if target.args.kwarg is None:
            _, end = extent(tree.files[path], node)
            comma = "" if not (node.args or node.keywords) else ", "
            if tree.files[path][: end - 1].rstrip().endswith(","):
                comma = ""
            yield tree.cut(
                path,
                end - 1,
                end - 1,
                f"{comma}verbose=True",
                f"{target.name}(verbose=)",
                node.lineno,
            )


@failing
def parameter_removed(tree: Tree) -> Iterator[Mutation]:
    """A function takes one parameter less than its callers give."""
    called = {target.name for _, _, target in _own_calls(tree)}
    for path, function in tree.functions():
        if function.name in called and function.args.args and not function.args.defaults:
            args = function.args.args
            text = tree.files[path]
            start = extent(text, args[-2])[1] if len(args) > 1 else extent(text, args[-1])[0]
            yield tree.cut(
                path, start, extent(text, args[-1])[1], "", f"{function.name}({args[-1].arg})",
                function.lineno,
            )  # fmt: skip


@failing
def nothing_returned(tree: Tree) -> Iterator[Mutation]:
    """A function whose value is used returns nothing."""
    for path, node, _source in tree.nodes(ast.Return):
        if node.value is not None and not isinstance(node.value, ast.Constant):
            start, _ = extent(tree.files[path], node)
            yield tree.cut(
                path, start, start + len("return "), "result = ", "returns nothing", node.lineno
            )


@failing
def one_value_more(tree: Tree) -> Iterator[Mutation]:
    """A function returns one value more than its callers unpack."""
    for path, node, source in tree.nodes(ast.Return):
        if isinstance(node.value, ast.Tuple) and not source.rstrip().endswith(")"):
            yield tree.replaced(path, node, f"{source}, None", "one value more")


@failing
def key_of_dictionary(tree: Tree) -> Iterator[Mutation]:
    """A dictionary is read by a key that nothing puts into it."""
    for path, node, source in tree.nodes(ast.Subscript):
        own = isinstance(node.value, ast.Name) and node.value.id in (
            "words",
            "given",
            "arguments",
            "parsed",
            "best",
        )
        if own and isinstance(node.ctx, ast.Load) and isinstance(node.slice, ast.Constant):
            yield tree.replaced(
                path, node.slice, repr(f"{node.slice.value}_"), f"{source}: other key"
            )


@failing
def text_plus_number(tree: Tree) -> Iterator[Mutation]:
    """A text and a number are added."""
    for path, function in tree.functions():
        for statement in body(function):
            if (
                isinstance(statement, ast.Assign | ast.Expr)
                and (path, statement.lineno) in tree.ran
            ):
                blanks = indent(tree.files[path], statement.lineno)
                new = f'{blanks}print("step " + len(__name__))'
                yield tree.inserted(path, statement.lineno, new, '"step " + len(…)')


# --- failing: syntax -----------------------------------------------------------------------------


@failing
def colon_missing(tree: Tree) -> Iterator[Mutation]:
    """The colon behind `def`, `if` or `for` is missing."""
    for path, node, _source in tree.nodes(ast.FunctionDef, ast.If, ast.For):
        lines = tree.files[path].splitlines(keepends=True)
        line = lines[node.lineno - 1]
        if line.rstrip().endswith(":"):
            lines[node.lineno - 1] = line.rstrip()[:-1] + "\n"
            yield Mutation({path: "".join(lines)}, path, node.lineno, "no colon")


@failing
def bracket_open(tree: Tree) -> Iterator[Mutation]:
    """A bracket is not closed."""
    for path, node, _source in tree.nodes(ast.Call):
        _, end = extent(tree.files[path], node)
        yield tree.cut(path, end - 1, end, "", "bracket not closed", node.lineno)


@failing
def wrong_indentation(tree: Tree) -> Iterator[Mutation]:
    """A line is indented by one blank too many."""
    for path, function in tree.functions():
        for statement in body(function)[1:]:
            start = offset(tree.files[path], statement.lineno, 0)
            yield tree.cut(path, start, start, " ", "one blank more", statement.lineno)


# --- failing: modes and the command line ---------------------------------------------------------


@failing
def other_mode_word(tree: Tree) -> Iterator[Mutation]:
    """The code knows the mode by another word than the documented command has."""
    for path, node, source in tree.nodes(ast.Compare):
        for word, other in (("full", "complete"), ("trial", "debug")):
            if "mode" in source and f'"{word}"' in source:
                new = source.replace(f'"{word}"', f'"{other}"')
                yield tree.replaced(path, node, new)


@failing
def guard_refuses_mode(tree: Tree) -> Iterator[Mutation]:
    """A check at the start refuses a documented mode."""
    for path, function in tree.mains():
        new = (
            '    if cfg.mode not in ("train", "full"):\n'
            '        raise ValueError(f"unknown mode {cfg.mode}")'
        )
        yield tree.begun(path, function, new, "refuses mode=trial")


@failing
def assertion_refuses_mode(tree: Tree) -> Iterator[Mutation]:
    """An assertion at the start refuses a documented mode."""
    for path, function in tree.mains():
        first = 'str(cfg.mode).startswith("f")'
        for test in ('cfg.mode == "full"', first, 'cfg["mode"] != "trial"'):
            yield tree.begun(path, function, f"    assert {test}", test)


@failing
def script_ends_with_one(tree: Tree) -> Iterator[Mutation]:
    """A script is done and ends with exit code 1."""
    for path, text in tree.files.items():
        if path.endswith(".py") and text.rstrip().endswith('":\n    main()'):
            for new in ("raise SystemExit(1)", "import sys\n\n    sys.exit(1)"):
                changed = f"{text.rstrip()}\n    {new}\n"
                yield Mutation({path: changed}, path, changed.count("\n"), new)


@failing
def argparse_beside_words(tree: Tree) -> Iterator[Mutation]:
    """evaluate.py reads its words by argparse, which takes `key=value` for something unknown."""
    path = "src/evaluate.py"
    for name, function in tree.functions():
        if name == path and function.name == "main":
            for flags in (("--results_dir", "--run_ids"), ("--results-dir",), ("--verbose",), ()):
                lines = ["    import argparse", "    parser = argparse.ArgumentParser()"]
                lines += [f'    parser.add_argument("{flag}")' for flag in flags]
                lines += ["    parser.parse_args()"]
                yield tree.begun(path, function, "\n".join(lines), f"argparse {flags}")


@failing
def required_flag(tree: Tree) -> Iterator[Mutation]:
    """A script asks for a flag that the documented command does not give."""
    for path, function in tree.functions():
        if path in ("src/evaluate.py", "src/main.py") and function.name == "main":
            lines = [
                "    import argparse",
                "    parser = argparse.ArgumentParser()",
                '    parser.add_argument("--entity", required=True)',
                "    parser.parse_known_args()",
            ]
            yield tree.begun(path, function, "\n".join(lines), "--entity required")


@failing
def words_by_position(tree: Tree) -> Iterator[Mutation]:
    """evaluate.py takes the second word whole for the JSON list."""
    for path, node, source in tree.nodes(ast.Call):
        if path == "src/evaluate.py" and source.startswith("json.loads(") and "run_ids" in source:
            yield tree.replaced(path, node, "json.loads(sys.argv[2])")


# --- failing: the child process ------------------------------------------------------------------


def _child_words(tree: Tree) -> Iterator[tuple[str, ast.List]]:
    """The lists of words that start a child."""
    for path, node, source in tree.nodes(ast.List):
        if "sys.executable" in source and "-m" in source:
            yield path, node


def _word(tree: Tree, path: str, words: ast.List, begins: str) -> ast.expr | None:
    for word in words.elts:
        source = tree.text(path, word)
        if source.lstrip("f").strip("\"'").startswith(begins):
            return word
    return None


@failing
def child_of_other_name(tree: Tree) -> Iterator[Mutation]:
    """The child is a module that is not there."""
    for path, words in _child_words(tree):
        for new in ("src.training", "train", "src/train.py"):
            if (word := _word(tree, path, words, "src.train")) is not None:
                yield tree.replaced(path, word, f'"{new}"', f"-m {new}")


@failing
def child_as_script(tree: Tree) -> Iterator[Mutation]:
    """The child is started as a script: its folder is on the path, the root is not."""
    for path, words in _child_words(tree):
        flag = _word(tree, path, words, "-m")
        word = _word(tree, path, words, "src.train")
        if flag is not None and word is not None:
            start, end = extent(tree.files[path], flag)[0], extent(tree.files[path], word)[1]
            yield tree.cut(path, start, end, '"src/train.py"', "src/train.py", flag.lineno)


@failing
def child_word_dropped(tree: Tree) -> Iterator[Mutation]:
    """A word that the child needs is not handed on (a child with a default may not need it)."""
    for path, words in _child_words(tree):
        for begins in ("run=", "results_dir="):
            if (word := _word(tree, path, words, begins)) is not None:
                yield tree.without_lines(path, word.lineno, word.end_lineno, f"no {begins}")


@failing
def child_word_unknown(tree: Tree) -> Iterator[Mutation]:
    """The child is handed a word that its config does not have."""
    for path, words in _child_words(tree):
        blanks = indent(tree.files[path], words.elts[-1].lineno)
        for new in ("training.device=cuda", "seed=1", "--mode trial", "wandb_mode=offline"):
            yield tree.inserted(path, words.elts[-1].lineno, f'{blanks}"{new}",', f"word {new}")


@failing
def child_word_misspelled(tree: Tree) -> Iterator[Mutation]:
    """The child is handed a word under another key."""
    for path, words in _child_words(tree):
        for begins, new in (
            ("run=", "run_id="),
            ("results_dir=", "output_dir="),
            ("mode=", "run_mode="),
        ):
            if (word := _word(tree, path, words, begins)) is not None:
                source = tree.text(path, word)
                yield tree.replaced(
                    path, word, source.replace(begins, new, 1), f"{begins} as {new}"
                )


@failing
def child_flags(tree: Tree) -> Iterator[Mutation]:
    """A Hydra child is handed `--run x` instead of `run=x`."""
    for path, words in _child_words(tree):
        if (word := _word(tree, path, words, "run=")) is not None:
            yield tree.replaced(path, word, '"--run", cfg.run', "--run")


@failing
def child_folder(tree: Tree) -> Iterator[Mutation]:
    """The child starts in a folder in which its module is not found."""
    for path, node, _source in tree.nodes(ast.Call):
        for keyword in node.keywords:
            if keyword.arg == "cwd":
                source = tree.text(path, keyword.value)
                yield tree.replaced(path, keyword.value, f'{source} / "src"', "cwd=…/src")


@failing
def child_failure_swallowed(tree: Tree) -> Iterator[Mutation]:
    """The child fails, and the parent drops its exit code."""
    for path, node, source in tree.nodes(ast.Call):
        if "check=True" in source and path == "src/main.py":
            silent = tree.replaced(path, node, source.replace("check=True", "check=False"), "")
            for change in misspelled_setting(tree):
                if change.path == "src/train.py":
                    yield Mutation(
                        {**silent.files, **change.files}, change.path, change.line, change.what
                    )


@failing
def child_shell_words(tree: Tree) -> Iterator[Mutation]:
    """The words of the child are joined to one text, which is not the name of a program."""
    for path, node, source in tree.nodes(ast.Call):
        if source.startswith("subprocess.run(command"):
            new = source.replace("command", '" ".join(command)', 1)
            yield tree.replaced(path, node, new, '" ".join(command)')


# --- failing: files ------------------------------------------------------------------------------


@failing
def folder_not_made(tree: Tree) -> Iterator[Mutation]:
    """Nothing makes the folder into which a file is written."""
    for path, node, source in tree.nodes(ast.Expr):
        if source.endswith(".mkdir(parents=True, exist_ok=True)"):
            yield tree.replaced(path, node, "pass", f"no {source}")


@failing
def file_read_that_is_not_there(tree: Tree) -> Iterator[Mutation]:
    """main() begins with reading a file that nobody writes."""
    for path, function in tree.functions():
        if function.name == "main":
            new = '    (Path(__file__).resolve().parent / "stats.json").read_text()'
            if re.search(r"^from pathlib import .*Path", tree.files[path], re.MULTILINE):
                yield tree.begun(path, function, new, "stats.json")


# --- neutral: YAML -------------------------------------------------------------------------------


@neutral
def yaml_keys_reordered(tree: Tree) -> Iterator[Mutation]:
    """The keys of a run config stand in another order."""
    for path in tree.runs:
        data = yaml.safe_load(tree.files[path])
        head = "".join(
            line for line in tree.files[path].splitlines(keepends=True) if line.startswith("# @")
        )
        turned = dict(reversed(data.items()))
        yield Mutation({path: head + _dump(turned)}, path, 1, "keys in reverse order")


def _dump(data: object, flow: bool | None = None) -> str:
    class Dumper(yaml.SafeDumper):
        pass

    # `1e-3` without a dot is a text for a YAML 1.1 parser: numbers are written as they were read.
    Dumper.add_representer(
        float,
        lambda dumper, value: dumper.represent_scalar("tag:yaml.org,2002:float", _number(value)),
    )
    return yaml.dump(data, Dumper=Dumper, sort_keys=False, default_flow_style=flow, width=200)


def _number(value: float) -> str:
    text = repr(value)
    return text if "." in text else text.replace("e", ".0e")


@neutral
def yaml_reformatted(tree: Tree) -> Iterator[Mutation]:
    """A YAML file is written again in another style."""
    for path in (BASE, *tree.runs):
        text = tree.files[path]
        head = "".join(line for line in text.splitlines(keepends=True) if line.startswith("# @"))
        yield Mutation({path: head + _dump(yaml.safe_load(text), False)}, path, 1, "block style")
        if not head:
            yield Mutation({path: head + _dump(yaml.safe_load(text), True)}, path, 1, "flow style")


@neutral
def yaml_commented(tree: Tree) -> Iterator[Mutation]:
    """A comment stands above a key."""
    for path, pair in tree.pairs(BASE, *tree.runs):
        if not pair.flow:
            new = (
                indent(tree.files[path], pair.line) + "# as in the paper: see [1], {2} and 'three'"
            )
            yield tree.inserted(path, pair.line, new, "comment")


@neutral
def yaml_text_quoted(tree: Tree) -> Iterator[Mutation]:
    """A text is written in quotes."""
    for path, pair in tree.pairs(BASE, *tree.runs):
        value = pair.value
        if (
            isinstance(value, yaml.ScalarNode)
            and value.tag.endswith(":str")
            and value.style is None
        ):
            for quote in "\"'":
                yield tree.revalued(
                    path, pair, f"{quote}{value.value}{quote}", f"{pair.path} quoted"
                )


@neutral
def yaml_key_more(tree: Tree) -> Iterator[Mutation]:
    """A run config has a key that nobody reads."""
    for path in tree.runs:
        text = tree.files[path].rstrip("\n")
        for new in ("notes: first try", "tags: [a, b]", "extra:\n  level: 3"):
            yield Mutation({path: f"{text}\n{new}\n"}, path, len(text.splitlines()) + 1, new)


@neutral
def yaml_list_over_lines(tree: Tree) -> Iterator[Mutation]:
    """A list in brackets goes over several lines."""
    for path, pair in tree.pairs(*tree.runs):
        value = pair.value
        if isinstance(value, yaml.SequenceNode) and value.flow_style and not pair.flow:
            blanks = "\n" + indent(tree.files[path], pair.line) + "    "
            items = ",".join(blanks + one.value for one in value.value)
            yield tree.revalued(path, pair, f"[{items},{blanks}]", f"{pair.path} over lines")


@neutral
def yaml_anchor(tree: Tree) -> Iterator[Mutation]:
    """A number is given by an anchor and used again."""
    for path, pair in tree.pairs(*tree.runs):
        value = pair.value
        if isinstance(value, yaml.ScalarNode) and value.tag.endswith(":int") and not pair.flow:
            text = tree.files[path].rstrip("\n")
            at = value.start_mark.index
            yield Mutation(
                {path: f"{text[:at]}&number {text[at:]}\nagain: *number\n"},
                path,
                pair.line,
                "anchor",
            )


@neutral
def yaml_interpolated(tree: Tree) -> Iterator[Mutation]:
    """A text of config.yaml is taken from a key beside it."""
    for path, pair in tree.pairs(BASE):
        value = pair.value
        if pair.path == ("wandb", "project"):
            text = tree.files[path].rstrip("\n")
            start, end = value.start_mark.index, value.end_mark.index
            changed = f"{text[:start]}${{title}}{text[end:]}\ntitle: {value.value}\n"
            yield Mutation({path: changed}, path, pair.line, "wandb.project=${title}")


# --- neutral: layout of code ---------------------------------------------------------------------


@neutral
def code_commented(tree: Tree) -> Iterator[Mutation]:
    """A comment stands above a statement."""
    for path, function in tree.functions():
        for statement in body(function):
            blanks = indent(tree.files[path], statement.lineno)
            yield tree.inserted(
                path,
                statement.lineno,
                f"{blanks}# cfg.training.nothing is not read: TypeError?",
                "comment",
            )


@neutral
def code_reformatted(tree: Tree) -> Iterator[Mutation]:
    """A module is written again by `ast.unparse`: no comments, long lines, other quotes."""
    for path, module in tree.modules.items():
        yield Mutation({path: ast.unparse(module) + "\n"}, path, 1, "unparsed")


@neutral
def code_indented_by_two(tree: Tree) -> Iterator[Mutation]:
    """A module is indented by two blanks."""
    for path, module in tree.modules.items():
        lines = [
            " " * ((len(line) - len(line.lstrip())) // 2) + line.lstrip()
            for line in ast.unparse(module).splitlines()
        ]
        if '"""' not in "\n".join(lines).replace('"""', "", 2):
            yield Mutation({path: "\n".join(lines) + "\n"}, path, 1, "two blanks")


@neutral
def list_over_lines(tree: Tree) -> Iterator[Mutation]:
    """A list or the arguments of a call go over several lines."""
    for path, node, source in tree.nodes(ast.List, ast.Call, reached=False):
        parts = node.elts if isinstance(node, ast.List) else [*node.args, *node.keywords]
        if len(parts) > 1 and "\n" not in source and not _in_text(tree, path, node):
            text = tree.files[path]
            start = extent(text, parts[0])[0]
            end = extent(text, node)[1] - 1
            new = "".join(f"\n    {tree.text(path, part)}," for part in parts)
            yield tree.cut(path, start, end, new + "\n", "over lines", node.lineno)


def _in_text(tree: Tree, path: str, node: ast.AST) -> bool:
    """Whether it stands in an f-string, or its pieces are not all that is between its brackets."""
    inside = any(
        node in ast.walk(one)
        for one in ast.walk(tree.modules[path])
        if isinstance(one, ast.JoinedStr | ast.GeneratorExp)
    )
    generated = isinstance(node, ast.Call) and any(
        isinstance(one, ast.GeneratorExp) for one in node.args
    )
    return inside or generated


# --- neutral: names and structure ----------------------------------------------------------------


@neutral
def local_renamed(tree: Tree) -> Iterator[Mutation]:
    """A local variable has another name, everywhere in its function."""
    for path, function in tree.functions(reached=False):
        taken = {one.arg for one in ast.walk(function) if isinstance(one, ast.arg)}
        # What an inner function binds again, or the function hands to another as a keyword, stays.
        locals_ = {
            one.id for one in ast.walk(function) if isinstance(one, ast.Name) and _stored(one)
        }
        for name in sorted(locals_ - taken):
            places = sorted(
                (
                    extent(tree.files[path], one)
                    for one in ast.walk(function)
                    if isinstance(one, ast.Name) and one.id == name
                ),
                reverse=True,
            )
            if _in_f_string(function, name):
                continue
            text = tree.files[path]
            for start, end in places:
                text = f"{text[:start]}the_{name}{text[end:]}"
            yield Mutation({path: text}, path, function.lineno, f"{name} is the_{name}")


def _in_f_string(function: ast.AST, name: str) -> bool:
    # Before Python 3.12 the places of names in an f-string are not those in the file.
    return any(
        isinstance(one, ast.Name) and one.id == name
        for text in ast.walk(function)
        if isinstance(text, ast.JoinedStr)
        for one in ast.walk(text)
    )


def _assignments(tree: Tree) -> Iterator[tuple[str, ast.FunctionDef, ast.Assign, str]]:
    for path, function in tree.functions():
        for statement in body(function):
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                source = tree.text(path, statement.value)
                if not isinstance(statement.value, ast.Tuple):
                    yield path, function, statement, source


@neutral
def helper_extracted(tree: Tree) -> Iterator[Mutation]:
    """What a variable is bound to is computed by a helper function."""
    for path, function, statement, source in _assignments(tree):
        module = tree.modules[path]
        if function not in module.body or "lambda" in source or " for " in source:
            continue
        bound = {one.arg for one in function.args.args} | {
            one.id for one in ast.walk(function) if isinstance(one, ast.Name) and _stored(one)
        }
        inner = {one.name for one in function.body if isinstance(one, ast.FunctionDef)}
        names = sorted(
            {
                one.id
                for one in ast.walk(statement.value)
                if isinstance(one, ast.Name) and one.id in bound | inner
            }
        )
        start, end = extent(tree.files[path], statement.value)
        text = tree.files[path]
        first = min([function, *function.decorator_list], key=lambda one: one.lineno).lineno
        top = offset(text, first, 0)
        helper = f"def _part({', '.join(names)}):\n    return (\n        {source}\n    )\n\n\n"
        call = f"_part({', '.join(names)})"
        changed = text[:top] + helper + text[top:start] + call + text[end:]
        yield Mutation({path: changed}, path, statement.lineno, f"helper for {source[:40]}")


@neutral
def value_through_variable(tree: Tree) -> Iterator[Mutation]:
    """What a variable is bound to passes through another one."""
    for path, _function, statement, source in _assignments(tree):
        text = tree.files[path]
        start, end = extent(text, statement)
        blanks = indent(text, statement.lineno)
        target = tree.text(path, statement.targets[0])
        yield tree.cut(
            path,
            start,
            end,
            f"passed = {source}\n{blanks}{target} = passed",
            "passed",
            statement.lineno,
        )


@neutral
def words_through_variables(tree: Tree) -> Iterator[Mutation]:
    """The words of the child pass through variables, a second list, or a helper."""
    for path, words in _child_words(tree):
        text = tree.files[path]
        start, end = extent(text, words)
        parts = [tree.text(path, one) for one in words.elts]
        blanks = indent(text, words.lineno)
        front, back = ", ".join(parts[:4]), ", ".join(parts[4:])
        for new in (
            f"[{front}]\n{blanks}command += [{back}]",
            f"[{front}]\n{blanks}overrides = [{back}]\n{blanks}command.extend(overrides)",
            f"[{front}, *[{back}]]",
            f"[{front}] + [{back}]",
            f"list(({front}, {back}))",
            f"[{front}]\n{blanks}for word in ({back}):\n{blanks}    command.append(word)",
            f"[str(word) for word in ({front}, {back})]",
        ):
            yield tree.cut(path, start, end, new, new[len(front) + 2 : 80], words.lineno)


@neutral
def child_run_otherwise(tree: Tree) -> Iterator[Mutation]:
    """The child is started by another function of the standard library that looks at its end."""
    for path, node, source in tree.nodes(ast.Call):
        if source.startswith("subprocess.run(command") and "check=True" in source:
            rest = source.removeprefix("subprocess.run(").removesuffix(")")
            plain = rest.replace(", check=True", "")
            env = "env={**__import__('os').environ, 'SEED': '1'}"
            for new in (
                f"subprocess.check_call({plain})",
                f"subprocess.run({rest}, {env})",
                f"subprocess.run(args={rest})",
                f"subprocess.run({plain}).check_returncode()",
            ):
                yield tree.replaced(path, node, new, new[:60])


@neutral
def path_spelled_otherwise(tree: Tree) -> Iterator[Mutation]:
    """A path is spelled with `parent` instead of `parents`, `joinpath` instead of `/`, as text."""
    for path, node, source in tree.nodes(ast.BinOp, ast.Subscript, ast.Attribute):
        if source.endswith(".resolve().parents[1]"):
            new = source.replace(".parents[1]", ".parent.parent")
            yield tree.replaced(path, node, new, "parent.parent")
        if source.endswith(".resolve().parent.parent"):
            new = source.replace(".parent.parent", ".parents[1]")
            yield tree.replaced(path, node, new, "parents[1]")
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and "yaml" in source:
            left = tree.text(path, node.left)
            right = tree.text(path, node.right)
            if not _in_text(tree, path, node):
                yield tree.replaced(path, node, f"({left}).joinpath({right})", "joinpath")
                yield tree.replaced(
                    path, node, f'Path(str({left}) + "/" + {right})', "Path(str + …)"
                )


@neutral
def subscript_for_attribute(tree: Tree) -> Iterator[Mutation]:
    """A setting is read as `cfg["a"]["b"]` instead of `cfg.a.b`."""
    for path, node, source in tree.nodes(ast.Attribute, reached=False):
        parts = source.split(".")
        if re.fullmatch(r"cfg(\.\w+)+", source) and isinstance(node.ctx, ast.Load):
            called = any(
                isinstance(one, ast.Call) and one.func is node
                for one in ast.walk(tree.modules[path])
            )
            if not called and not _in_text(tree, path, node):
                new = "cfg" + "".join(f'["{part}"]' for part in parts[1:])
                yield tree.replaced(path, node, new)


@neutral
def read_with_default(tree: Tree) -> Iterator[Mutation]:
    """The code asks for a key that no config has, with a default."""
    for path, function in tree.functions():
        if "cfg" in {one.arg for one in function.args.args} and function.name != "build_gate":
            first = body(function)[0]
            blanks = indent(tree.files[path], first.lineno)
            for new in ('cfg.get("verbose", False)', 'getattr(cfg, "verbose", None)',
                        'cfg["verbose"] if "verbose" in cfg else 0',
                        'OmegaConf.select(cfg, "extra.level", default=1)'):  # fmt: skip
                if "OmegaConf" not in new or "OmegaConf" in tree.files[path]:
                    yield tree.inserted(path, first.lineno, f"{blanks}verbose = {new}", new)


@neutral
def guard_that_passes(tree: Tree) -> Iterator[Mutation]:
    """A check at the start refuses what no documented command gives."""
    for path, function in tree.mains():
        for test in ('cfg.mode not in ("full", "trial")', 'cfg.mode == "debug"', "not cfg.run",
                     "cfg.results_dir is None", 'not str(cfg.mode).strip()'):  # fmt: skip
            new = f'    if {test}:\n        raise ValueError("not documented")'
            yield tree.begun(path, function, new, test)


@neutral
def branch_never_taken(tree: Tree) -> Iterator[Mutation]:
    """A branch that no documented command takes would fail."""
    for path, function in tree.mains():
        for test in ('cfg.mode == "debug"', 'cfg.get("resume", False)', "__name__ == 'test'"):
            for bad in ("print(cfg.nothing.at_all)", "undefined_here()", '"a" + 1'):
                new = f"    if {test}:\n        {bad}"
                yield tree.begun(path, function, new, f"{test}: {bad}")


@neutral
def failure_passed_on(tree: Tree) -> Iterator[Mutation]:
    """The last statement of a main() stands in a `try` that passes every failure on."""
    for path, function in tree.functions():
        last = function.body[-1]
        if function.name == "main" and last.lineno == last.end_lineno:
            text = tree.files[path].splitlines(keepends=True)
            line = text[last.lineno - 1]
            text[last.lineno - 1] = (
                f"    try:\n    {line}"
                "    except Exception as error:\n        print(error)\n        raise\n"
            )
            yield Mutation({path: "".join(text)}, path, last.lineno, "try … raise")


@neutral
def optional_import(tree: Tree) -> Iterator[Mutation]:
    """A module that is not there is imported where its absence is expected."""
    for path, module in tree.modules.items():
        last = [one for one in module.body if isinstance(one, ast.Import | ast.ImportFrom)][-1:]
        for node in last:
            for name in ("src.extras", "sparkline_extra"):
                new = f"try:\n    import {name} as extras\nexcept ImportError:\n    extras = None"
                yield tree.inserted(path, (node.end_lineno or 0) + 1, new, f"try: import {name}")


@neutral
def import_spelled_otherwise(tree: Tree) -> Iterator[Mutation]:
    """An own module is imported relatively, or a module as a whole."""
    for path, node, source in tree.nodes(ast.ImportFrom):
        module = node.module or ""
        if module.startswith("src."):
            yield tree.replaced(path, node, source.replace("src.", ".", 1), "relative import")
            names = [one.name for one in node.names]
            alias = module.rpartition(".")[2] + "_module"
            lines = [f"import {module} as {alias}", *(f"{one} = {alias}.{one}" for one in names)]
            yield tree.replaced(path, node, "\n".join(lines), f"import {module}")


@neutral
def definitions_swapped(tree: Tree) -> Iterator[Mutation]:
    """Two functions stand in the other order."""
    for path, module in tree.modules.items():
        for one, two in pairwise(module.body):
            if isinstance(one, ast.FunctionDef) and isinstance(two, ast.FunctionDef):
                lines = tree.files[path].splitlines(keepends=True)
                start = min([one.lineno, *(d.lineno for d in one.decorator_list)]) - 1
                middle = min([two.lineno, *(d.lineno for d in two.decorator_list)]) - 1
                lines[start : two.end_lineno] = [
                    *lines[middle : two.end_lineno], "\n", "\n", *lines[start : one.end_lineno]
                ]  # fmt: skip
                yield Mutation({path: "".join(lines)}, path, start + 1, f"{two.name} first")


@neutral
def keyword_for_position(tree: Tree) -> Iterator[Mutation]:
    """The arguments of an own function are given by keyword."""
    for path, node, target in _own_calls(tree):
        names = [one.arg for one in target.args.args]
        plain = not any(isinstance(one, ast.Starred) for one in node.args)
        if node.args and plain and len(node.args) <= len(names) and not _in_text(tree, path, node):
            text = tree.files[path]
            parts = [tree.text(path, one) for one in node.args]
            given = [f"{name}={part}" for name, part in zip(names, parts, strict=False)]
            start, end = extent(text, node.args[0])[0], extent(text, node.args[-1])[1]
            yield tree.cut(
                path, start, end, ", ".join(given), f"{target.name} by keyword", node.lineno
            )


@neutral
def annotated(tree: Tree) -> Iterator[Mutation]:
    """A variable is annotated."""
    for path, _function, statement, _source in _assignments(tree):
        target = statement.targets[0]
        if isinstance(target, ast.Name) and not _bound_again(_function, target.id):
            _, end = extent(tree.files[path], target)
            yield tree.cut(path, end, end, ": object", "annotated", statement.lineno)


def _bound_again(function: ast.FunctionDef, name: str) -> bool:
    declared = any(
        isinstance(one, ast.Global | ast.Nonlocal) and name in one.names
        for one in ast.walk(function)
    )
    return declared or name in {one.arg for one in function.args.args}


@neutral
def function_never_called(tree: Tree) -> Iterator[Mutation]:
    """A function that nobody calls would fail."""
    for path, module in tree.modules.items():
        for node in module.body:
            if isinstance(node, ast.FunctionDef) and not node.decorator_list:
                new = "def _unused(cfg):\n    return cfg.nothing.at_all + int('x') / 0\n\n"
                yield tree.inserted(path, node.lineno, new, "def _unused")


@neutral
def package_marked(tree: Tree) -> Iterator[Mutation]:
    """src/ has an empty `__init__.py`."""
    yield Mutation({"src/__init__.py": ""}, "src/__init__.py", None, "src/__init__.py")


@neutral
def exit_with_zero(tree: Tree) -> Iterator[Mutation]:
    """A script ends by `sys.exit(main())` or `raise SystemExit(0)`."""
    for path, text in tree.files.items():
        if path.endswith(".py") and text.rstrip().endswith('":\n    main()'):
            stem = text.rstrip().removesuffix("main()")
            for new in ("raise SystemExit(main())", "main()\n    raise SystemExit(0)"):
                yield Mutation({path: f"{stem}{new}\n"}, path, text.count("\n"), new)
