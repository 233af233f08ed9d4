"""Claims about where WandB's entity and project come from, and what evaluate.py calls its primary
metric.
"""

import ast
import re
from collections.abc import Iterator

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, remark
from reviewers.facts.python_file import PythonFile, template
from reviewers.records import Span

_EVALUATE = "src/evaluate.py"
_ACCOUNT = re.compile(r"\bentity\b|\bproject\b|\bcredentials?\b|\bwandb (?:settings|config\w*)\b")
_NOT_READ = re.compile(
    r"\b(?:not|never|n't|without|instead of|rather than) (?:\w+"
    r" )?(?:read|load|us|tak|fetch|retriev|get|pars)(?:s|es|e|ing)?\b"
    r"[^.;]*\b(?:entity|project|credentials?|config\.ya?ml|config/config\.ya?ml|global config\w*)"
)
_CONFIG = re.compile(r"\bconfig(?:/config)?\.ya?ml\b|\b(?:global|hydra|main) config")
_ENVIRONMENT = re.compile(
    r"\benvironment(?: variables?)?\b|\benv(?:ironment)?"
    r" vars?\b|\bos\.environ\b|\bgetenv\b|\bwandb_entity\b"
)
_USES = re.compile(
    r"\b(?:us(?:es|ing)|reads?|reading|rel(?:ies|ying)|hard-?cod\w+|takes?|taking|fall(?:s|ing)"
    r" back|depends?|instead)\b"
)
_LOADERS = (".load", ".safe_load", ".compose", "hydra.main", "hydra.compose")


@check("account_source")
def account_source(case: Case) -> Answer:
    """evaluate.py takes entity and project from config/config.yaml only where it names that file or
    runs under Hydra.
    """
    said = case.said
    if case.claim.hedged or not any(
        known.search(said) for known in (_ACCOUNT, _CONFIG, _ENVIRONMENT)
    ):
        return None
    for path, file in case.python()[
        :1
    ]:  # only where it says that it is about evaluate.py: training has an account, too
        if path != _EVALUATE or file.tree is None:
            return None
        variables = next(_environment(file), None)
        if (
            _ENVIRONMENT.search(said)
            and _USES.search(said)
            and not re.search(r"\b(?:not|never)\b|n't\b", said)
        ):
            return (
                confirmed(
                    f"{path}:{variables} takes it from the environment", Span(path, variables)
                )
                if variables
                else None
            )
        if not (
            _NOT_READ.search(said)
            or re.search(r"\binstead of (?:reading|loading|using|taking)\b", said)
        ):
            return None
        loaded = next(_loaded(file), None)
        if (
            loaded is None
            and "hydra" not in file.text
            and "results_dir" not in said
            and not _reads_file(file)
        ):
            line = variables or next(_written(file), None)
            if line is not None or not _ACCOUNT.search(said):
                shown = f"; entity and project stand on line {line}" if line else ""
                return confirmed(
                    f"{path} names no config.yaml and does not start Hydra{shown}", Span(path, line)
                )
        read = next(_read_of_config(file), None)
        if _ACCOUNT.search(said) is None and not re.search(
            r"\bread (?:the )?(?:src/)?config(?:/config)?\.ya?ml", said
        ):
            return None
        if (
            loaded
            and read
            and not variables
            and not next(_written(file), None)
            and not re.search(r"\bhard-?cod", said)
        ):
            return remark(
                f"{path}:{loaded} loads config/config.yaml, and line {read} reads the entity"
                " from it",
                Span(path, loaded),
            )
    return None


def _environment(file: PythonFile) -> Iterator[int]:
    """Where an environment variable that has to do with the account is asked for, not set."""
    for call in file.calls_of("os.environ.get", "os.getenv"):
        if call.node.args and re.search(r"ENTITY|PROJECT", template(call.node.args[0])):
            yield call.line
    for node in file.nodes:
        read = (
            isinstance(node, ast.Subscript)
            and isinstance(node.ctx, ast.Load)
            and file.resolve(node.value) == "os.environ"
        )
        if (
            read
            and isinstance(node, ast.Subscript)
            and re.search(r"ENTITY|PROJECT", template(node.slice))
        ):
            yield node.lineno


def _loaded(file: PythonFile) -> Iterator[int]:
    """Where config/config.yaml is named: as one path, or by its parts on one line."""
    for literal in file.strings:
        if not literal.is_docstring and re.search(r"(?:^|/)config/config\.ya?ml$", literal.value):
            yield literal.line
    parts: dict[int, set[str]] = {}
    for literal in file.strings:
        parts.setdefault(literal.line, set()).add(literal.value.strip("./"))
    yield from (
        line
        for line, texts in parts.items()
        if "config" in texts and {"config.yaml", "config.yml"} & texts
    )


def _reads_file(file: PythonFile) -> bool:
    """Whether the script names a config.yaml anywhere, or loads a YAML file that may be it."""
    named = any(
        re.search(r"config\.ya?ml|/config$", item.value)
        for item in file.strings
        if not item.is_docstring
    )
    return named or any(
        file.calls_of("omegaconf.OmegaConf.load", "yaml.safe_load", "yaml.load", *_LOADERS[2:])
    )


def _written(file: PythonFile) -> Iterator[int]:
    """Where the path of a run, or a keyword of the account, is a string with no value for entity
    and project.
    """
    for call in file.calls_of(".run", ".runs"):
        given = call.node.args[0] if call.node.args else call.keyword("path")
        if given is not None and re.match(r"[\w.-]+/[\w.-]+", template(given)):
            yield call.line
    for node in file.nodes:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            yield from (
                [node.lineno]
                if any(re.search(r"entity|project", name, re.IGNORECASE) for name in names)
                else []
            )


def _read_of_config(file: PythonFile) -> Iterator[int]:
    """Where `….wandb.entity`, `…["wandb"]["entity"]` or the entity of what was called wandb is
    read.
    """
    for node in file.nodes:
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Load):
            last = node.attr if isinstance(node, ast.Attribute) else template(node.slice)
            if last == "entity" and "environ" not in ast.unparse(node.value):
                yield node.lineno


_IS_PRIMARY = re.compile(
    r"\bprimary[ _-]metric(?: in \S+)? (?:is|=|equals|is set to|is hard-?coded (?:to|as)|defaults"
    r" to)\b"
)


@check("primary_is")
def primary_is(case: Case) -> Answer:
    """evaluate.py's primary metric is the key that a name or an entry with "primary" in it is set
    to.
    """
    file = case.facts.python.get(_EVALUATE)
    if file is None or not _IS_PRIMARY.search(case.said) or case.denies or case.claim.hedged:
        return None
    wanted = set(case.claim.own.quotes) | set(case.claim.own.names)
    for node in file.nodes:
        if (
            not isinstance(node, ast.Assign)
            or not isinstance(node.value, ast.Constant)
            or node.value.value not in wanted
        ):
            continue
        for target in node.targets:
            if "primary" in ast.unparse(target).casefold():
                span = Span(_EVALUATE, node.lineno)
                return confirmed(
                    f"{span} sets {code(ast.unparse(target))} to {code(str(node.value.value))}",
                    span,
                )
    return None
