"""Claims that a setting, a study, a cache directory or a key=value word goes unused, where the code
shows the use.
"""

import ast
import re
from collections.abc import Iterator

from reviewers.claims.checks.base import Answer, Case, check, checks, code, confirmed, join, remark
from reviewers.facts.python_file import Call, PythonFile
from reviewers.records import Span

_EVALUATE = "src/evaluate.py"
_FEW_WORDS = 14
_UNUSED = re.compile(
    r"\b(?:ignored|unused|(?:never|not) (?:actually"
    r" )?(?:used|read|applied|honou?red|consumed|referenced|accessed|passed))\b"
)
_ONLY_SOME = re.compile(
    r"\b(?:when|if|unless|for|during|because|only|correctly|properly|fully|after|before|anymore|again|baselines?|"
    r"proposed|comparative|objective|some|wandb|"
    r"evaluate\.py|evaluation)\b"
)
_KEY = re.compile(r"(?:cfg\.|config\.)?([a-z_]\w*(?:\.[a-z_]\w*)*)")


@check("read_after_all")
def read_after_all(case: Case) -> Answer:
    """ "`training.batch_size` is ignored" is false where a call or a calculation takes
    `cfg.training.batch_size`.
    """
    if (
        not _UNUSED.search(case.said)
        or case.claim.hedged
        or _ONLY_SOME.search(case.said)
        or len(case.said.split()) > _FEW_WORDS
    ):
        return None
    if any(not path.endswith((".yaml", ".yml")) for path in case.claim.own.files) and not any(
        path in case.facts.python for path in case.claim.own.files
    ):
        return None
    names = [
        match[1]
        for text in dict.fromkeys((*case.claim.own.quotes, *case.claim.own.names))
        if (match := _KEY.fullmatch(text))
    ]
    full = list(dict.fromkeys(path for name in names for path in _paths(case, name)))
    if len(full) != 1 or len({name.rpartition(".")[2] for name in names}) != 1:
        return None
    files = [path for path in case.claim.own.files if path in case.facts.python] or [
        path for path in case.facts.python if path != _EVALUATE
    ]
    whole = re.compile(rf"(?:\w*cfg|\w*config)\.{re.escape(full[0])}")
    for path in files:
        for node in case.facts.python[path].nodes:
            if not isinstance(node, ast.Attribute) or not whole.fullmatch(ast.unparse(node)):
                continue
            if _takes_part(
                case.facts.python[path],
                node,
                by_its_name=re.search(r"\bignored\b|honou?red|applied", case.said) is not None,
            ):
                told = code(case.facts.code(Span(path, node.lineno)).strip(), 100)
                return remark(f"{path}:{node.lineno} uses it: {told}", Span(path, node.lineno))
    return None


def _paths(case: Case, name: str) -> Iterator[str]:
    """The full paths, search spaces left out, of the one key that a name means."""
    for path in case.search.config.values:
        for known in case.search.config.paths(path):
            if (
                (known == name or known.endswith(f".{name}"))
                and "search_space" not in known
                and "." in known
            ):
                yield known


def _takes_part(file: PythonFile, node: ast.Attribute, by_its_name: bool) -> bool:
    """Whether a value goes into a call, a condition or a loop; where that may not be enough, as the
    argument of its own name.
    """
    if by_its_name:
        parent = file.parents.get(node)
        return isinstance(parent, ast.keyword) and parent.arg == node.attr
    for above in file.ancestors(node):
        if isinstance(above, ast.stmt):
            return isinstance(above, ast.For | ast.While | ast.If)
        if isinstance(above, ast.Call):
            return not (
                isinstance(above.func, ast.Name) and above.func.id in ("print", "str", "repr")
            )
    return False


_NO_OPTUNA = re.compile(
    r"^\W*optuna (?:is|are) (?:never|not) (?:actually )?(?:used|called|invoked|imported|employed|"
    r"run)\b(?: (?:anywhere|at all|in (?:the )?\S+))*|"
    r"\b(?:never|not|n't) (?:uses?|calls?|invokes?|imports?|runs?) optuna\b(?!\.)"
)
_NO_SPACE = re.compile(
    r"\bsearch[- _]?spaces?\b[^.;]*\b(?:ignored|never (?:used|read)|not (?:used|read)|unused)\b"
)


@check("optuna_used")
def optuna_used(case: Case) -> Answer:
    """Optuna is used where a study is made and optimised; a search space is unused where no file
    has the word.
    """
    files = {path: file for path, file in case.facts.python.items() if path != _EVALUATE}
    if case.claim.hedged or any(file.tree is None for file in files.values()):
        return None
    if (
        _NO_OPTUNA.search(case.said.replace("`", ""))
        and not _ONLY_SOME.search(case.said)
        and "src/train.py" in files
    ):
        made = next(
            (
                (path, call.line)
                for path, file in files.items()
                for call in file.calls_of("optuna.create_study")
            ),
            None,
        )
        run = any(
            isinstance(call.node.func, ast.Attribute) and call.node.func.attr == "optimize"
            for file in files.values()
            for call in file.calls
        )
        if made and run:
            return remark(
                f"{made[0]}:{made[1]} makes an Optuna study, and it is optimised", Span(*made)
            )
        if not any(
            item.module.partition(".")[0] == "optuna"
            for file in files.values()
            for item in file.imports
        ):
            return confirmed(f"None of {join(list(files))} imports optuna", Span("src/train.py"))
    if (
        _NO_SPACE.search(case.said)
        and not _ONLY_SOME.search(case.said)
        and not any(True for _ in case.decided_by("search-space-path"))
    ):
        read = next(
            (
                (path, node.lineno)
                for path, file in files.items()
                for node in file.nodes
                if isinstance(node, ast.Attribute) and node.attr == "search_space"
            ),
            None,
        )
        suggests = any(
            isinstance(call.node.func, ast.Attribute) and call.node.func.attr.startswith("suggest_")
            for file in files.values()
            for call in file.calls
        )
        if read and suggests and len(case.said.split()) < _FEW_WORDS:
            return remark(
                f"{read[0]}:{read[1]} reads the search space:"
                f" {code(case.facts.code(Span(*read)).strip(), 90)}",
                Span(*read),
            )
    if _NO_SPACE.search(case.said) and not any(
        "search_space" in name for file in files.values() for name in _words(file)
    ):
        with_space = next(
            (
                path
                for path in case.search.config.runs
                if any("search_space" in key for key in case.search.config.paths(path))
            ),
            None,
        )
        if with_space:
            span = case.search.config.line(with_space, "search_space") or Span(with_space)
            return confirmed(
                f"{span} defines a search space, and no Python file reads `search_space`", span
            )
    return None


def _words(file: PythonFile) -> Iterator[str]:
    for node in file.nodes:
        for field in ("id", "attr", "arg", "name", "module"):
            if isinstance(name := getattr(node, field, None), str):
                yield name
    yield from (literal.value for literal in file.strings if not literal.is_docstring)


@check("config_key_late")
def config_key_late(case: Case) -> Answer:
    """What `config_key` says to claims of other kinds that speak of the configuration."""
    if not re.search(r"\bconfig|\bya?mls?\b|\bcfg\b", case.said) or re.search(
        r"\bwandb\b|\bmetrics?\b|\bsummary\b", case.said
    ):
        return None
    return checks()["config_key"](case)


_LOADERS = re.compile(r"(?:^|\.)(?:load_dataset|from_pretrained)$")
_NO_CACHE = re.compile(
    r"\b(?:without|no|lacks?|missing|omits?|not (?:pass|set|use|specify|given?|have)\w*|n't"
    r" (?:pass|set|use|"
    r"specify))\b[^.;]{0,25}\bcache_?\s?dir|"
    r"\bcache_dir\b[^.;]{0,20}\b(?:missing|absent|omitted|not (?:set|passed|given|used|specified))|"
    r"\b(?:never|not|n't)\b[^.;]{0,30}\b(?:cached|stored|saved|placed|downloaded|use)\b[^.;]{0,30}\.cache"
)


@check("cached_after_all")
def cached_after_all(case: Case) -> Answer:
    """Data and models are cached where every call that loads them is given a cache directory that
    is `.cache`.
    """
    if (
        not _NO_CACHE.search(case.said)
        or case.claim.hedged
        or next(case.decided_by("cache-directory"), None) is not None
    ):
        return None
    if re.search(
        r"\bwandb\b|\btorchvision\b|\ball\b|\bevery\b|\bsome\b|\buniform|\bguarante|\bconsistent",
        case.said,
    ):
        return None
    asked = [path for path in case.claim.own.files if path in case.facts.python]
    calls = [
        (path, call)
        for path, file in case.facts.python.items()
        if not asked or path in asked
        for call in file.calls
        if call.name and _LOADERS.search(call.name)
    ]
    if "load_dataset" in case.said or re.search(r"\bdata-?sets?\b", case.said):
        calls = [(path, call) for path, call in calls if (call.name or "").endswith("load_dataset")]
    if not calls or not all(_is_cached(case.facts.python[path], call) for path, call in calls):
        return None
    path, call = calls[0]
    return remark(
        f"{path}:{call.line} gives {code((call.name or '').rpartition('.')[2])} a cache directory"
        " under `.cache`",
        Span(path, call.line),
    )


def _is_cached(file: PythonFile, call: Call) -> bool:
    value = call.keyword("cache_dir")
    if isinstance(value, ast.Name):
        given = [
            node.value
            for node in file.nodes
            if isinstance(node, ast.Assign)
            and any(isinstance(each, ast.Name) and each.id == value.id for each in node.targets)
        ]
        value = given[0] if len(given) == 1 else None
    return value is not None and any(
        isinstance(part, ast.Constant)
        and str(part.value).lstrip("./").startswith("cache")
        and ".cache" in str(part.value)
        for part in ast.walk(value)
    )


_OPTIONS = re.compile(r"--(?:results[_-]dir|run[_-]ids)\b")
_NO_WORDS = re.compile(
    r"\b(?:not|never|n't|cannot) (?:accept|support|parse|read|handle|understand|"
    r"take)s?\b[^.;]{0,40}\bkey ?[-=/]? ?value|\bkey ?[-=]? ?value\b[^.;]{0,30}\b(?:not|never)"
    r" (?:accepted|"
    r"supported|parsed|handled)"
)
_NO_PAIR = re.compile(
    r"\b(?:cannot|can not|not|never|n't) (?:be able to )?(?:parse|accept|handle|understand|read|"
    r"process)s?\b[^;]{0,30}\b(?:results_dir|run_ids)="
)
_OTHER_FORM = re.compile(
    r"\b(?:cli|interface|arguments?|command[- ]line|call)\b[^.;]*\b(?:(?:does|do) not"
    r" (?:match|follow|conform|"
    r"comply|correspond)|violat\w+|differs?|deviat\w+)\b[^.;]*"
    r"\b(?:documented|required|specified|specification|spec|mandated|key[- =]?value|contract)\b"
)
_ARGPARSE = re.compile(r"\bargparse\b")


@check("evaluation_words")
def evaluation_words(case: Case) -> Answer:
    """evaluate.py takes key=value words where it splits them or asks OmegaConf; options with dashes
    are no such words.
    """
    file = case.facts.python.get(_EVALUATE)
    if (
        case.claim.hedged
        or file is None
        or file.tree is None
        or any(path != _EVALUATE for path in case.claim.own.files if path.endswith(".py"))
    ):
        return None
    finding = next(case.decided_by("cli-contract"), None)
    options = [
        call
        for call in file.calls_of(".add_argument")
        if call.node.args
        and isinstance(call.node.args[0], ast.Constant)
        and _OPTIONS.fullmatch(str(call.node.args[0].value))
    ]
    if (
        _OPTIONS.search(case.said)
        and options
        and finding is not None
        and re.search(
            r"\bkey ?[-=]?"
            r" ?value\b|\brequired\b|\bdocumented\b|\bspecified\b|\binstead\b|\brather\b",
            case.said,
        )
    ):
        lines = [call.line for call in options]
        return confirmed(
            f"{_EVALUATE}:{lines[0]} names options with dashes, so the documented word"
            " `results_dir=…` is refused",
            Span(_EVALUATE, min(lines), max(lines)),
        )
    if finding is not None and (_OTHER_FORM.search(case.said) or _NO_PAIR.search(case.said)):
        return confirmed(finding.check.evidence, finding.span)
    if finding is not None or not case.claim.own.files:
        return None
    reader = next(iter(file.calls_of("omegaconf.OmegaConf.from_cli", "hydra.main")), None)
    splits = next(
        (
            call
            for call in file.calls
            if isinstance(call.node.func, ast.Attribute)
            and call.node.func.attr in ("split", "partition")
            and call.node.args
            and isinstance(call.node.args[0], ast.Constant)
            and call.node.args[0].value == "="
        ),
        None,
    )
    found = reader or splits
    if found is None:
        return None
    if (
        _NO_WORDS.search(case.said)
        or _NO_PAIR.search(case.said)
        or (
            _ARGPARSE.search(case.said)
            and "argparse" not in file.text
            and not case.denies
            and len(case.said.split()) < _FEW_WORDS
        )
    ):
        return remark(
            f"{_EVALUATE}:{found.line} takes key=value words:"
            f" {code(case.facts.code(Span(_EVALUATE, found.line)).strip(), 90)}",
            Span(_EVALUATE, found.line),
        )
    return None
