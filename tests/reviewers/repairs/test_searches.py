"""Guards which key is meant by a name that leads nowhere: in search spaces, interpolations, rows of
data sets, and sections that a function is given.
"""

from collections.abc import Sequence

import pytest

from reviewers.repairs import Repair
from reviewers.repairs.meant_keys import meant
from tests.builders import ONE_RUN, changed
from tests.reviewers.repairs.planning import repaired

_RUN = next(iter(ONE_RUN))
_TEXT = ONE_RUN[_RUN]
_TRAIN = "src/train.py"
_DATA = "src/preprocess.py"
_PATHS = (
    "training.epochs",
    "training.learning_rate",
    "training.warmup_steps",
    "training.eval_steps",
    "model.width",
    "loss.lambda_q",
    "optuna.epochs",
    "mode",
)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("width", ["model.width"]),
        ("run.model.width", ["model.width"]),
        ("training.lr", ["training.learning_rate"]),
        ("training.learningRate", ["training.learning_rate"]),
        ("training.num_epochs", ["training.epochs"]),
        ("training.epohcs", ["training.epochs"]),
        ("train.epochs", ["training.epochs"]),
        ("optimizer.learning_rate", ["training.learning_rate"]),
        ("run.mode", ["mode"]),
        ("epochs", ["training.epochs", "optuna.epochs"]),
        ("training.steps", ["training.warmup_steps", "training.eval_steps"]),
        ("loss.lambda_f", []),
        ("training.dropout", []),
    ],
)
def test_the_nearest_keys_are_meant(path: str, found: Sequence[str]) -> None:
    assert list(meant(path, _PATHS)) == found


def _answers(repairs: Sequence[Repair]) -> list[str]:
    first = repairs[0]
    return [each.proposal.choice for each in (first.proof, *first.others)]


def _run(*changes: tuple[str, str]) -> dict[str, str]:
    text = _TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return {_RUN: text}


def test_a_reference_that_may_mean_two_keys_is_a_question() -> None:
    runs = _run(
        ("  epochs: 5\n", "  epochs: 5\n  patience: ${epochs}\n"),
        ("optuna:\n", "optuna:\n  epochs: 2\n"),
    )
    train = changed(
        _TRAIN, ("    accuracy = 0.0\n", "    accuracy = 0.0 * cfg.training.patience\n")
    )
    version, repairs = repaired("HY11", train, runs)
    assert _answers(repairs) == ["training.epochs", "optuna.epochs"]
    assert "patience: ${training.epochs}" in version.runs[0].file.text


@pytest.mark.parametrize(
    ("asked", "answers"),
    [
        ("${add:${training.epochs},1}", [""]),
        ("${eval:'${training.epochs} * 2'}", [""]),
        ("${div:${training.epochs},2}", ["lambda a, b: a / b", "lambda a, b: a // b"]),
        ("${frobnicate:${training.epochs}}", []),
    ],
)
def test_a_resolver_is_registered_where_its_name_says_what_it_gives(
    asked: str, answers: Sequence[str]
) -> None:
    runs = _run(("  epochs: 5\n", f"  epochs: 5\n  patience: {asked}\n"))
    train = changed(
        _TRAIN, ("    accuracy = 0.0\n", "    accuracy = 0.0 * cfg.training.patience\n")
    )
    version, repairs = repaired("HY11", train, runs)
    assert (_answers(repairs) if repairs else []) == answers
    assert ("register_new_resolver" in version.by_path[_TRAIN].text) == bool(answers)
    assert version.runs[0].file.text == runs[_RUN]


def test_a_bound_that_the_code_reads_elsewhere_is_not_called_otherwise() -> None:
    runs = _run(("      low: ", "      min: "))
    read = ("    study = optuna", "    print(space.min)\n    study = optuna")
    _, repairs = repaired("HY02", changed(_TRAIN, read), runs)
    assert repairs == ()
    version, repairs = repaired("HY02", {}, runs)
    assert "space.min, space.high" in version.by_path[_TRAIN].text
    assert ["min" in each.proposal.intent for each in repairs[0].others] == [True], [
        each.proposal.intent for each in (repairs[0].proof, *repairs[0].others)
    ]


def _searching(write: str) -> dict[str, str]:
    """The sound submission where what the trials suggest is written by its name."""
    return changed(
        _TRAIN,
        ("    space = cfg.optuna.search_space.learning_rate\n\n", ""),
        (
            '        return fit(cfg, trial.suggest_float("learning_rate", space.low, space.high,'
            " log=True), tracked=False)\n",
            "        for name, space in cfg.optuna.search_space.items():\n"
            "            value = trial.suggest_float(name, space.low, space.high)\n"
            f"            {write}\n"
            "        return fit(cfg, cfg.training.learning_rate, tracked=False)\n",
        ),
        ('study.best_params["learning_rate"]', "cfg.training.learning_rate"),
    )


_WRITE = "OmegaConf.update(cfg, name, value)"


@pytest.mark.parametrize(
    ("name", "keys", "path"),
    [
        (
            "router_temperature_init",
            "core: {init: isotropic}\nrouter: {temperature_init: 4.0}\n",
            "router.temperature_init",
        ),
        ("lora_rank", "lora: {rank: 8}\nranks: {rank: [1, 2]}\n", "lora.rank"),
        ("beta_prior_alpha", "betas: [0.9, 0.999]\nlora: {alpha: 1.0}\n", ""),
        ("batch_scale", "loader: {scale: 1.0}\n", ""),
        ("batch_scale", "batch: {scale: linear}\n", ""),
    ],
)
def test_a_parameter_means_a_key_of_its_name_and_kind(name: str, keys: str, path: str) -> None:
    runs = _run(("    learning_rate:\n", f"    {name}:\n"), ("0e-4\n", "5\n"), ("0e-2\n", "9\n"))
    runs[_RUN] += keys
    version, repairs = repaired("RC04", _searching(_WRITE), runs)
    assert [each.proof.proposal.asks for each in repairs] == [""] * bool(path)
    assert f"\n    {path or name}:\n" in version.runs[0].file.text


@pytest.mark.parametrize(
    ("write", "renamed"),
    [
        (f"cfg.training.learning_rate = value\n            {_WRITE}", True),
        (
            f'if name == "learning_rate": cfg.training[name] = value\n            else: {_WRITE}',
            True,
        ),
        (f"if name in cfg.training: cfg.training[name] = value\n            else: {_WRITE}", False),
        (f'{_WRITE}\n            print(trial.params["router_scale"])', False),
        (f'{_WRITE}\n            print(name in ("router_scale", "scale"))', False),
    ],
)
def test_a_name_by_which_the_code_goes_stays(write: str, renamed: bool) -> None:
    space = "    router_scale: {type: uniform, low: 0.5, high: 2.0}\n    learning_rate:\n"
    runs = _run(("    learning_rate:\n", space), ("  width:", "  router: {scale: 1.0}\n  width:"))
    version, repairs = repaired("RC04", _searching(write), runs)
    text = version.runs[0].file.text
    assert bool(repairs) == renamed
    assert ("    model.router.scale: {type" in text) == renamed


_ROWS = """import hydra
from datasets import load_dataset


@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg):
    rows = load_dataset({named}, split="{split}", cache_dir=".cache/")
    return rows.map(lambda row: {{"it": row[{read}]}})


if __name__ == "__main__":
    main()
"""
_GSM = '"openai/gsm8k", "main"'


@pytest.mark.parametrize(
    ("named", "read", "answers", "after"),
    [
        (_GSM, '"prompt"', ["question", "answer"], 'row["question"]'),
        (_GSM, '"text"', ["question", "answer"], 'row["question"]'),
        (_GSM, '"en"', [], 'row["en"]'),
        ('"uoft-cs/cifar10"', '"image"', [""], 'row["img"]'),
        (
            '"microsoft/wiki_qa"',
            '"sentence"], "asked": row["question"',
            ["document_title", "answer"],
            'row["document_title"], "asked": row["question"]',
        ),
    ],
)
def test_the_column_of_another_data_set_is_a_question(
    named: str, read: str, answers: Sequence[str], after: str
) -> None:
    code = _ROWS.format(named=named, read=read, split="train")
    version, repairs = repaired("DA08", {_TRAIN: code})
    assert (_answers(repairs) if repairs else []) == answers
    assert after in version.by_path[_TRAIN].text


def test_a_split_has_the_name_that_the_data_set_gives_it() -> None:
    code = _ROWS.format(named='"nyu-mll/glue", "sst2"', read='"sentence"', split="val")
    version, repairs = repaired("DA05", {_TRAIN: code})
    assert [each.proof.proposal.asks for each in repairs] == [""]
    assert 'split="validation"' in version.by_path[_TRAIN].text


def _handing(signature: str, call: str) -> dict[str, str]:
    code = f"""
def shorten(model{signature}):
    return 2 if model.mode == "trial" else model.width


"""
    return changed(
        _TRAIN,
        ("def search(cfg", f"{code.lstrip()}def search(cfg"),
        ("    if cfg.mode ==", f"    print({call})\n    if cfg.mode =="),
    )


@pytest.mark.parametrize(
    ("signature", "call", "expected"),
    [
        ("", "shorten(cfg.model)", ("(model, mode):", "(cfg.model, mode=cfg.mode)")),
        (
            ", by=1",
            "shorten(cfg.model, by=2)",
            ("(model, by=1, *, mode):", "(cfg.model, by=2, mode=cfg.mode)"),
        ),
        (", **more", "shorten(cfg.model)", ()),
    ],
)  # fmt: skip
def test_a_key_of_the_whole_is_handed_to_a_function_of_a_section(
    signature: str, call: str, expected: Sequence[str]
) -> None:
    files = _handing(signature, call)
    version, repairs = repaired("HY02", files)
    text = version.by_path[_TRAIN].text
    assert [each in text for each in expected] == [True] * len(expected)
    assert 'mode == "trial" else model.width' in text
    assert bool(repairs) == bool(expected)
