"""Every predicate: to add one, write its evaluator and one entry here."""

from collections.abc import Mapping
from typing import Any

from reviewers.propositions.evaluators import (
    activities,
    calls,
    commands,
    config,
    figures,
    files,
    names,
    opinions,
    packaging,
    tracking,
    values,
)
from reviewers.propositions.vocabulary import Evaluator, Lister, Predicate, vocabulary


def _one(
    evaluate: Evaluator,
    takes: str,
    sentence: str,
    category: str,
    values: Mapping[str, Lister] | None = None,
    **example: Any,
) -> Predicate:
    name = evaluate.__name__
    return Predicate(name, evaluate, takes, sentence, example, category, values)


# `for run` and `in mode` follow from the scope.
PREDICATES: Mapping[str, Predicate] = vocabulary(
    _one(
        files.exists,
        "file",
        "{file} (is|is not) in the submission",
        "structure",
        file="src/train.py",
    ),
    _one(files.empty, "file", "{file} (is|is not) empty", "structure", file="src/train.py"),
    _one(files.parses, "file", "{file} (parses|does not parse)", "syntax", file="src/train.py"),
    _one(
        files.contains,
        "scope text",
        "{scope} (contains|does not contain) the text {text}",
        "structure",
        scope="README.md",
        text="uv run",
    ),
    _one(
        names.defines,
        "scope name",
        "{scope} (defines|does not define) {name}",
        "structure",
        scope="src/model.py",
        name="Encoder.forward",
    ),
    _one(
        names.imports,
        "scope name",
        "{scope} (imports|does not import) {name}",
        "imports",
        scope="src/train.py",
        name="wandb",
    ),
    _one(
        names.bound,
        "scope name",
        "{name} (has|lacks) a value wherever {scope} uses it",
        "imports",
        scope="src/train.py",
        name="np",
    ),
    _one(
        names.uses,
        "scope name",
        "{scope} (uses|never uses) {name}",
        "structure",
        scope="src/train.py",
        name="set_seed",
    ),
    _one(
        names.raises,
        "scope error",
        "{scope} (raises|never raises) {error}",
        "implementation",
        scope="src/model.py",
        error="NotImplementedError",
    ),
    _one(
        calls.calls,
        "scope callee with? args? mentions?",
        "{scope} (calls|never calls) {callee}[ with {with}][ with {args}]"
        "[ where its arguments mention {mentions}]",
        "implementation",
        scope="src/evaluate.py",
        callee="wandb.Api",
    ),
    _one(
        commands.fails,
        "command error? at? run? mode? message? when?",
        "the command {command} (fails|does not fail)[ with {error}][ at {at}][ for run {run}]"
        "[ in mode {mode}][ saying {message}][ when {when}]",
        "runtime-error",
        command="train",
        error="AttributeError",
    ),
    _one(
        config.has_key,
        "where key value?",
        "{where} (has|does not have) the key {key}[ with the value {value}]",
        "config",
        where="config/config.yaml",
        key="training.lr",
    ),
    _one(
        config.reads_key,
        "scope key guarded?",
        "{scope} (reads|never reads) the configuration's {key}",
        "config",
        scope="src/train.py",
        key="training.lr",
    ),
    _one(
        commands.command_line,
        "file style",
        "{file} (reads|does not read) its command line as {style} words",
        "cli-contract",
        file="src/evaluate.py",
        style="positional",
    ),
    _one(
        tracking.logs,
        "scope key to?",
        "{scope} (logs|never logs) the metric {key}[ to the {to}]",
        "tracking",
        {"key": tracking.logged_keys},
        scope="src/train.py",
        key="val_loss",
    ),
    _one(
        tracking.reads_metric,
        "scope key",
        "{scope} (reads|never reads) the metric {key}",
        "tracking",
        scope="src/evaluate.py",
        key="val_loss",
    ),
    _one(
        packaging.declares,
        "package",
        "`pyproject.toml` (declares|does not declare) {package}",
        "packaging",
        {"package": packaging.declared},
        package="torch",
    ),
    _one(
        opinions.judgement,
        "text",
        "(|not )an opinion: {text}",
        "other",
        text="the design is weak",
    ),
    _one(
        activities.does,
        "scope activity",
        "{scope} (has|has no) {activity}",
        "implementation",
        scope="src/evaluate.py",
        activity="significance_test",
    ),
    _one(
        commands.passes,
        "scope key value?",
        "{scope} (passes|does not pass) {key}[ as {value}] to the process that it starts",
        "cli-contract",
        scope="src/main.py",
        key="wandb.mode",
        value="disabled",
    ),
    _one(
        values.sets,
        "scope target value?",
        "{scope} (sets|never sets) {target}[ to {value}]",
        "implementation",
        scope="src/train.py",
        target="cfg.wandb.mode",
        value="disabled",
    ),
    _one(
        values.returns,
        "scope kind",
        "{scope} (returns|does not return) {kind}",
        "implementation",
        scope="src/preprocess.py::load",
        kind="list",
    ),
    _one(
        figures.draws,
        "scope figure per?",
        "{scope} (draws|never draws) a {figure} figure[ per {per}]",
        "figures",
        scope="src/evaluate.py",
        figure="bar",
    ),
)
