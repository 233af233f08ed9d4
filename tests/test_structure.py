"""Guards the shape of the codebase: the three broad excepts, one reader of the
environment, packaged data.
"""

import ast
import re
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted([*(ROOT / "reviewers").rglob("*.py"), *(ROOT / "dashboard").rglob("*.py")])
ASSETS = sorted([*(ROOT / "dashboard").rglob("*.js"), *(ROOT / "dashboard").rglob("*.css")])


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_every_module_says_what_it_is() -> None:
    texts = {name(path): path.read_text("utf-8").strip() for path in SOURCES}
    assert [
        each for each, text in texts.items() if text and not ast.get_docstring(ast.parse(text))
    ] == []


def test_errors_are_caught_broadly_at_the_named_boundaries_only() -> None:
    broad = re.compile(r"except\s*:|except\s+(Base)?Exception\b")
    assert {name(path) for path in SOURCES if broad.search(path.read_text("utf-8"))} == {
        "reviewers/jobs/worker.py",
        "reviewers/steps.py",
        "reviewers/rules/run.py",
        "reviewers/repairs/plan.py",
        "reviewers/batch/bundles.py",
        "reviewers/panel/checking.py",
    }


_PATTERNS = {
    "the splitter: where a statement begins and ends, and what it is for": {
        *(f"reviewers/claims/{name}.py" for name in ("blocks", "clauses", "quoting")),
        *(f"reviewers/claims/{name}.py" for name in ("roles", "split", "thoughts", "wording")),
    },
    "the lexicon: what the words of a claim are": {"reviewers/readers/words.py"},
    "names, and what they mean in the code": {
        "reviewers/readers/linking.py",
        "reviewers/readers/symbols.py",
    },
    "the desk's own sentences": {
        "reviewers/readers/canonical.py",
        "reviewers/propositions/show.py",
        "reviewers/propositions/vocabulary.py",
    },
    "what a model's reading may not change": {
        "reviewers/readers/validation.py",
        "reviewers/readers/variants.py",
    },
    "the form of answers and prompts": {
        *(f"reviewers/panel/{name}.py" for name in ("fencing", "reading_prompt", "reply")),
        *(f"reviewers/panel/{name}.py" for name in ("stated", "tokens")),
    },
    "arguments of propositions, and code": {
        "reviewers/propositions/links.py",
        *(
            f"reviewers/propositions/evaluators/{name}.py"
            for name in ("commands", "config", "files", "libraries", "outputs")
        ),
        *(f"reviewers/propositions/evaluators/{name}.py" for name in ("tracking", "types")),
    },
    "names in a text and its words, where nobody has read it": {
        "reviewers/matching/words.py",
    },
    "what is equal but for spacing and numbers": {"reviewers/matching/traces.py"},
}
"""Why a module that may see a claim has regular expressions."""


def _has_patterns(path: Path) -> bool:
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    imported = (
        {alias.name for alias in node.names} if isinstance(node, ast.Import) else {node.module}
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
    )
    return any({"re", "regex"} & names for names in imported)


def test_no_regular_expression_looks_at_a_claim_outside_the_splitter_and_the_lexicon() -> None:
    layers = ("claims", "matching", "readers", "propositions", "panel")
    looked_at = [path for path in SOURCES if path.relative_to(ROOT).parts[1] in layers]
    found = {name(path) for path in looked_at if _has_patterns(path)}
    assert found == set().union(*_PATTERNS.values())


def test_no_class_name_stands_in_two_modules() -> None:
    places = defaultdict[str, list[str]](list)
    for path in SOURCES:
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name(path))
    assert {each: paths for each, paths in places.items() if len(paths) > 1} == {}


def test_the_environment_is_read_in_settings_only() -> None:
    def reads_it(path: Path) -> bool:
        attributes = (
            node
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.Attribute)
        )
        return any(ast.unparse(node) in ("os.environ", "os.getenv") for node in attributes)

    assert {name(path) for path in SOURCES if reads_it(path)} == {"reviewers/settings.py"}


def test_no_markup_is_ever_made_from_text() -> None:
    markup = re.compile(
        r"unsafe_allow_html|unsafe_allow_javascript|st\.html\(|innerHTML|outerHTML|insertAdjacentHTML|document\.write"
    )
    assert [
        name(path) for path in [*SOURCES, *ASSETS] if markup.search(path.read_text("utf-8"))
    ] == []


_RUNNING = {
    "eval",
    "exec",
    "__import__",
    "importlib.import_module",
    "yaml.load",
    "yaml.unsafe_load",
    "yaml.full_load",
}
_LOADING = {"pickle", "marshal", "shelve", "dill", "runpy", "hydra.utils"}


def runs_something(path: Path) -> bool:
    """Whether a module calls or imports what can execute data."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in _RUNNING:
            return True
        imported = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        imported += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if _LOADING & set(imported):
            return True
    return False


def test_nothing_of_a_submission_can_be_executed() -> None:
    # Who builds the index imports the standard library's own modules.
    assert {name(path) for path in SOURCES if runs_something(path)} == {
        "reviewers/facts/third_party/building/standard.py"
    }


def test_the_wheel_brings_the_sample_bundles_along() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == [
        "reviewers",
        "dashboard",
        "sample_bundles",
    ]


def test_the_tree_of_errors_has_every_error_below_its_parent() -> None:
    tree = ast.parse((ROOT / "reviewers" / "errors.py").read_text("utf-8"))
    drawn, branch = list[tuple[str, str]](), list[str]()
    for depth, each in re.findall(r"(?m)^([│ ]*[├└]── )(\w+)", ast.get_docstring(tree) or ""):
        branch[len(depth) // 4 - 1 :] = [each]
        drawn.append((each, branch[-2] if len(branch) > 1 else "AreachairError"))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    wanted = [(each.name, ast.unparse(each.bases[0])) for each in classes[1:]]
    assert sorted(drawn) == sorted(wanted)
