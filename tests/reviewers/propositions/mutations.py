"""False readings by construction: a sound submission is changed in places of which it is known what
is so before and after, and what is true of it is changed in one argument, the polarity or a
quantifier, so that it is false.

    python -m tests.reviewers.propositions.mutations [NUMBER [SEED]]

says of so many of them (500 by default) how many are confirmed, and how many refuted.
"""

import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reviewers.facts import Facts
from reviewers.propositions import Mark, World, evaluate, mark, parse
from reviewers.rules import run_rules
from tests.builders import SOUND_FILES, SOUND_RUNS, make_submission
from tests.reviewers.propositions.changes import INVENTED

Reading = Mapping[str, Any]
TRAIN, EVALUATE, PREPARE, MAIN = (
    f"src/{name}.py" for name in ("train", "evaluate", "preprocess", "main")
)
_EACH = 40  # readings asked of one submission


@dataclass(frozen=True)
class Switch:
    """A place of the sound submission that can be written in another way.

    Attributes:
        was: what is so only as the place stands.
        becomes: what is so only as it is written then.
    """

    path: str
    old: str
    new: str
    was: tuple[Reading, ...]
    becomes: tuple[Reading, ...] = ()


def _p(predicate: str, **arguments: Any) -> Reading:
    return {"p": predicate, **arguments}


def _calls(scope: str, callee: str, **given: Any) -> Reading:
    return _p("calls", scope=scope, callee=callee, **({"with": given} if given else {}))


def _of(predicate: str, scope: str, name: str, *values: Any) -> tuple[Reading, ...]:
    return tuple(_p(predicate, scope=scope, **{name: value}) for value in values)


def _fails(error: str, **where: Any) -> Reading:
    return _p("fails", command="train", error=error, **where)


_CONFIG, _PROJECT = "config/config.yaml", "pyproject.toml"
# Of files of different processes, none does what the other does.
_ELSEWHERE = {TRAIN: EVALUATE, PREPARE: EVALUATE, EVALUATE: TRAIN, MAIN: EVALUATE}
_COMPARED = f"{EVALUATE}::main"
_TRIAL = {"file": TRAIN, "mode": "trial"}
_DRAWN = '    axes.imshow(np.array([[accuracy, 1 - accuracy], [1 - accuracy, accuracy]]))\n    axes.set_title("confusion matrix")\n'  # noqa: E501
SWITCHES: Sequence[Switch] = (
    Switch(
        TRAIN,
        "torch.optim.AdamW(",
        "torch.optim.SGD(",
        (_calls(TRAIN, "torch.optim.AdamW"), _calls("code", "AdamW")),
        (_calls(TRAIN, "torch.optim.SGD"), _p("uses", scope=TRAIN, name="SGD")),
    ),
    Switch(
        TRAIN,
        '"train_loss": loss.item(), ',
        "",
        _of("logs", TRAIN, "key", "train_loss"),
    ),
    Switch(
        TRAIN,
        '{"accuracy": accuracy, "epoch": epoch}',
        '{"val_f1": accuracy, "epoch": epoch}',
        _of("logs", TRAIN, "key", "accuracy"),
        _of("logs", TRAIN, "key", "val_f1"),
    ),
    Switch(
        TRAIN,
        "    with torch.no_grad():\n",
        "    if loader:\n",
        (
            _p(
                "within",
                scope=f"{TRAIN}::evaluate",
                thing="model(features)",
                context="torch.no_grad",
            ),
            _calls(TRAIN, "torch.no_grad"),
        ),
    ),
    Switch(
        TRAIN,
        'cfg.wandb.mode = "disabled"',
        'cfg.wandb.mode = "offline"',
        (_p("sets", scope=_TRIAL, target="cfg.wandb.mode", value="disabled"),),
        (_p("sets", scope=_TRIAL, target="cfg.wandb.mode", value="offline"),),
    ),
    Switch(
        TRAIN,
        "cfg.training.limit_batches = 2",
        "cfg.training.limit_batches = 7",
        (_p("limits", scope="code", what="batches", mode="trial", to=2),),
        (_p("limits", scope="code", what="batches", mode="trial", to=7),),
    ),
    Switch(
        TRAIN,
        'wandb.summary["final_accuracy"]',
        'wandb.summary["top_score"]',
        (_p("logs", scope=TRAIN, key="final_accuracy", to="summary"),),
        (_p("logs", scope=TRAIN, key="top_score", to="summary"),),
    ),
    Switch(TRAIN, "    wandb.finish()\n", "", (_calls(TRAIN, "wandb.finish"),)),
    Switch(
        TRAIN,
        "id=cfg.run_id",
        "id=cfg.run",
        _of("reads_key", TRAIN, "key", "run_id"),
    ),
    Switch(
        TRAIN,
        "cfg.optuna.search_space.learning_rate",
        "cfg.optuna.search_space.rate",
        _of("reads_key", TRAIN, "key", "optuna.search_space.learning_rate"),
    ),
    Switch(
        TRAIN,
        'direction="maximize"',
        'direction="minimize"',
        (_calls(TRAIN, "optuna.create_study", direction="maximize"),),
        (_calls(TRAIN, "optuna.create_study", direction="minimize"),),
    ),
    Switch(
        TRAIN,
        "n_trials=cfg.optuna.n_trials",
        "n_trials=12",
        (),
        (_calls(TRAIN, "*.optimize", n_trials=12),),
    ),
    Switch(
        TRAIN,
        "        model.train()\n",
        "        torch.manual_seed(epoch)\n",
        (_calls(TRAIN, "*.train"),),
        (_calls(TRAIN, "torch.manual_seed"), _p("does", scope=TRAIN, activity="seeding")),
    ),
    Switch(
        TRAIN,
        "    return accuracy\n",
        '    torch.save(model.state_dict(), "weights.pt")\n    return accuracy\n',
        (),
        (_p("writes", scope=TRAIN, file="weights.pt"), _calls(TRAIN, "torch.save")),
    ),
    Switch(
        TRAIN,
        "            if tracked:\n                wandb.log(",
        "            if epoch:\n                wandb.log(",
        (),
        (
            _p(
                "guarded",
                scope=f"{TRAIN}::fit",
                thing="wandb.log({'train_loss': loss.item(), 'epoch': epoch})",
                by="epoch",
            ),
        ),
    ),
    Switch(
        TRAIN,
        "    accuracy = 0.0\n    for epoch",
        "    accuracy = 0.0\n    past_losses = []\n    for epoch",
        (),
        (_p("sets", scope=TRAIN, target="past_losses"),),
    ),
    Switch(
        PREPARE,
        "raise RuntimeError(",
        "raise LookupError(",
        _of("raises", PREPARE, "error", "RuntimeError"),
        _of("raises", PREPARE, "error", "LookupError"),
    ),
    Switch(
        PREPARE,
        ", cache_dir=CACHE_DIR",
        "",
        (_calls(PREPARE, "load_dataset", cache_dir=".cache/"),),
    ),
    Switch(
        PREPARE,
        "(OSError, ValueError)",
        "KeyError",
        (_p("handles", scope=PREPARE, thing="load_dataset", error="OSError"),),
        (_p("handles", scope=PREPARE, thing="load_dataset", error="KeyError"),),
    ),
    Switch(
        PREPARE,
        "batch_size=cfg.training.batch_size",
        "batch_size=48",
        _of("reads_key", PREPARE, "key", "training.batch_size"),
        (_calls(PREPARE, "DataLoader", batch_size=48),),
    ),
    Switch(
        PREPARE,
        "encode(",
        "embed(",
        (_p("defines", scope=PREPARE, name="encode"), _calls(PREPARE, "encode")),
        (_p("defines", scope=PREPARE, name="embed"), _calls(PREPARE, "embed")),
    ),
    Switch(
        PREPARE,
        "return loaders[0], loaders[1]",
        "return [loaders[0], loaders[1]]",
        (_p("returns", scope=f"{PREPARE}::build_loaders", kind="tuple"),),
        (_p("returns", scope=f"{PREPARE}::build_loaders", kind="list"),),
    ),
    Switch(
        EVALUATE,
        "_learning_curve.pdf",
        "_progress.pdf",
        _of("writes", EVALUATE, "file", "*_learning_curve.pdf"),
        _of("writes", EVALUATE, "file", "*_progress.pdf"),
    ),
    Switch(
        EVALUATE,
        '"metrics.json"',
        '"scores.json"',
        _of("writes", EVALUATE, "file", "metrics.json"),
        _of("writes", EVALUATE, "file", "scores.json"),
    ),
    Switch(
        EVALUATE,
        "aggregated_metrics.json",
        "summary_of_all.json",
        _of("writes", EVALUATE, "file", "aggregated_metrics.json"),
        _of("writes", EVALUATE, "file", "summary_of_all.json"),
    ),
    Switch(
        EVALUATE,
        'axes.bar(list(final), list(final.values()), label="final accuracy")',
        "axes.boxplot(list(curves.values()))",
        _of("draws", EVALUATE, "figure", "bar"),
        _of("draws", EVALUATE, "figure", "box"),
    ),
    Switch(
        EVALUATE,
        _DRAWN,
        "    axes.violinplot([accuracy, 1 - accuracy])\n",
        _of("draws", EVALUATE, "figure", "confusion_matrix", "heatmap"),
        _of("draws", EVALUATE, "figure", "violin"),
    ),
    Switch(
        EVALUATE,
        "        axes.plot(values, label=label)\n",
        "        axes.hist(values, label=label)\n",
        _of("draws", EVALUATE, "figure", "line", "learning_curve"),
        _of("draws", EVALUATE, "figure", "histogram"),
    ),
    Switch(
        EVALUATE,
        "equal_var=False",
        "equal_var=True",
        (_calls(EVALUATE, "ttest_ind", equal_var=False),),
        (_calls(EVALUATE, "ttest_ind", equal_var=True),),
    ),
    Switch(
        EVALUATE,
        "wandb.Api()",
        "wandb.Api(timeout=60)",
        (),
        (_calls(EVALUATE, "wandb.Api", timeout=60),),
    ),
    Switch(
        EVALUATE,
        "comparison_metrics_table.csv",
        "comparison_metrics_table.txt",
        _of("writes", EVALUATE, "file", "*.csv"),
        _of("writes", EVALUATE, "file", "*.txt"),
    ),
    Switch(
        EVALUATE,
        '"gap": (final[proposed] - final[baseline]) / final[baseline] * 100',
        '"gap": 0.0',
        (),
        (_p("sets", scope=EVALUATE, target="gap", value=0.0),),
    ),
    Switch(
        EVALUATE,
        '        "primary_metric": PRIMARY_METRIC,\n',
        '        "primary_metric": run_ids,\n',
        (_p("derives_from", scope=_COMPARED, value="aggregated", source="PRIMARY_METRIC"),),
        (_p("derives_from", scope=_COMPARED, value="aggregated", source="run_ids[0]"),),
    ),
    Switch(
        EVALUATE,
        '    words = dict(word.split("=", 1) for word in sys.argv[1:])\n',
        "    import argparse\n    parser = argparse.ArgumentParser()\n"
        '    parser.add_argument("results_dir")\n    parser.add_argument("run_ids")\n'
        "    words = vars(parser.parse_args())\n",
        (),
        (
            _p("command_line", file=EVALUATE, style="positional"),
            _p("imports", scope=EVALUATE, name="argparse"),
        ),
    ),
    Switch(
        MAIN,
        '        f"mode={cfg.mode}",\n',
        "",
        (_p("passes", scope=MAIN, key="mode"),),
    ),
    Switch(
        MAIN,
        "check=True",
        "check=False",
        (_calls(MAIN, "subprocess.run", check=True),),
        (_calls(MAIN, "subprocess.run", check=False),),
    ),
    Switch(
        _CONFIG,
        "project: gated-mlp",
        "project: other-project",
        (_p("has_key", where=_CONFIG, key="wandb.project", value="gated-mlp"),),
        (_p("has_key", where=_CONFIG, key="wandb.project", value="other-project"),),
    ),
    Switch(
        _CONFIG,
        "  limit_batches: null\n",
        "  warmup: 3\n",
        (_p("has_key", where=_CONFIG, key="training.limit_batches"),),
        (_p("has_key", where=_CONFIG, key="training.warmup"),),
    ),
    Switch(
        _PROJECT,
        '    "scipy>=1.13",\n',
        "",
        (_p("declares", package="scipy"),),
    ),
    Switch(
        _PROJECT,
        '    "numpy>=1.26",\n',
        '    "numpy>=1.26",\n    "pandas>=2.2",\n',
        (),
        (_p("declares", package="pandas"),),
    ),
    Switch(
        TRAIN,
        "from src.preprocess import build_loaders",
        "from src.loading import build_loaders",
        (_p("imports", scope=TRAIN, name="src.preprocess"),),
        (_fails("ModuleNotFoundError"), _fails("ImportError", at={"file": TRAIN})),
    ),
    Switch(
        TRAIN,
        "    study = optuna.create_study(",
        "    print(budget)\n    study = optuna.create_study(",
        (),
        (_fails("NameError"),),
    ),
    Switch(
        TRAIN,
        "model = build_model(cfg)\n",
        "model = build_model(cfg, cfg.model.nothing)\n",
        (),
        (_fails("AttributeError", at={"file": TRAIN, "expression": "cfg.model.nothing"}),),
    ),
)
ALWAYS: tuple[tuple[Reading, Reading], ...] = (
    (_p("library_has", name="wandb.Api"), _p("library_has", name="wandb.ApiClient")),
    (
        _p("accepts", callee="optuna.create_study", argument="direction"),
        _p("accepts", callee="optuna.create_study", argument="directive"),
    ),
    (_p("exists", file="src/model.py"), _p("exists", file="src/models.py")),
    (_p("parses", file=TRAIN), _p("empty", file=TRAIN)),
    (_p("contains", scope=EVALUATE, text="api = wandb.Api("), _p("empty", file=EVALUATE)),
    (_p("defines", scope=TRAIN, name="fit"), _p("defines", scope=TRAIN, name="fit_all")),
)
"""What is so of each, with what is not so of any."""


@dataclass(frozen=True)
class Variant:
    """The sound submission, some of its places written in the other way.

    Attributes:
        true, false: statements of which it is known.
    """

    files: Mapping[str, str]
    true: Sequence[Reading]
    false: Sequence[Reading]


def variant(source: random.Random) -> Variant:
    """A submission with one place in four changed."""
    files = dict(SOUND_FILES)
    true = [so for so, _ in ALWAYS]
    false = [not_so for _, not_so in ALWAYS]
    for switch in SWITCHES:
        is_changed = source.random() < 1 / 4 and switch.old in files[switch.path]
        if is_changed:
            files[switch.path] = files[switch.path].replace(switch.old, switch.new)
        true += switch.becomes if is_changed else switch.was
        false += switch.was if is_changed else switch.becomes
    return Variant(files, true, false)


def mutated(one: Variant, source: random.Random) -> Iterator[tuple[str, Reading]]:
    """False readings of a submission: what is true of it, changed in one place; the sort of the
    change first.
    """
    false = [*one.false, *({"not": reading} for reading in one.true)]
    for reading in source.sample(one.true, len(one.true)):
        yield "polarity", {"not": reading}
        if other := _ELSEWHERE.get(str(reading.get("scope"))):
            yield "scope", {**reading, "scope": other}
        others = [other for other in one.false if other["p"] == reading["p"]]
        if others:
            yield "argument", source.choice(others)
        if reading["p"] in ("logs", "writes", "reads_key", "declares", "draws"):
            name = next(name for name in ("key", "file", "package", "figure") if name in reading)
            if reading["p"] != "draws":
                made_up = {**reading, name: INVENTED}
                yield "invented", made_up
                holds = {**reading, name: "$key"}
                yield "every", {"every": "key", "in": [reading[name], INVENTED], "holds": holds}
            yield "only", {"only": {**reading, name: "?"}, "hole": name, "are": [INVENTED]}
        yield "part", {"all": [source.choice(false), reading]}
    yield from (("any", {"any": source.sample(false, 2)}) for _ in range(4))


def run(number: int, seed: int = 0) -> tuple[Counter[tuple[str, Mark]], list[str]]:
    """Judge so many false readings; return how many of each sort have which mark, and those that
    are confirmed, or that are true and refuted.
    """
    source = random.Random(seed)
    counted: Counter[tuple[str, Mark]] = Counter()
    wrong: list[str] = []
    while sum(counted.values()) < number:
        made = variant(source)
        facts = Facts(make_submission(dict(made.files), SOUND_RUNS))
        dry_run = run_rules(facts).dry_run
        world = World(facts, dry_run.failures if dry_run else ())
        for reading in made.true:
            said = parse(reading)
            if mark(said, evaluate(said, world)) is Mark.REFUTED:
                wrong.append(f"true, refuted: {json.dumps(reading)}")
        asked = list(mutated(made, source))
        for sort, reading in source.sample(asked, min(_EACH, number - sum(counted.values()))):
            said = parse(reading)
            result = mark(said, evaluate(said, world))
            counted[sort, result] += 1
            if result is Mark.CONFIRMED:
                wrong.append(f"{sort}, confirmed: {json.dumps(reading)}")
    return counted, wrong


def refuted_share(counted: Counter[tuple[str, Mark]]) -> float:
    """The share of the false readings that are refuted, wholly or in a part."""
    refuted = sum(n for (_, one), n in counted.items() if one in (Mark.REFUTED, Mark.PARTLY))
    return refuted / sum(counted.values())


if __name__ == "__main__":
    asked_for = [int(word) for word in sys.argv[1:]]
    found, mistakes = run(*(asked_for or [500]))
    for (sort, result), number in sorted(found.items()):
        print(sort, result.value, number)
    print(f"{sum(found.values())} false readings, {refuted_share(found):.2f} refuted")
    print("\n".join(mistakes))
