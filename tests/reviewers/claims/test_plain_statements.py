"""Guards the checks on plain statements about code: what calls, sets, returns, passes and converts
what, and what never does.
"""

import pytest

from reviewers.records import Check
from tests.reviewers.claims.asking import claim, claims

CONFIRMED, REFUTED, UNVERIFIED = Check.CONFIRMED, Check.REFUTED, Check.UNVERIFIED

_MODEL = """import copy

import numpy as np
from torch import nn

LIMIT = 3


class Base(nn.Module):
    def __init__(self, width: int, seed: int) -> None:
        super().__init__()
        self.width = width
        self.seen = []
        self.history = []

    def score(self, rows, weights=None):
        total = float(rows.sum())
        return total, len(rows)

    def labels(self, batch):
        return {"ids": batch["ids"], "text": str(batch["label"])}

    def note(self, value):
        self.history.append(value)


class Wide(Base):
    def forward(self, rows, mask=None, unused_flag=False):
        scored = self.score(rows, weights=mask)
        if self.width > LIMIT:
            rows = np.clip(rows, 0, 1)
        return scored


def build(cfg, kind):
    if kind == "wide":
        model = Wide(cfg.model.width, seed=7)
    else:
        raise ValueError(kind)
    section = cfg.training
    model.rate = section.get("rate", 0.1)
    return model


def objective(trial, model):
    model.train()
    return trial.suggest_float("rate", 0.1, 0.2)


def careful(trial, model):
    model = copy.deepcopy(model)
    return model
"""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("`Base.score` returns (total, len(rows)).", 18, id="returns-a-tuple"),
        pytest.param("`Wide.forward` expects (rows, mask).", 28, id="takes"),
        pytest.param("Wide.forward passes `mask` to `self.score`.", 29, id="passes"),
        pytest.param("`mask` is passed to `score()` in Wide.forward.", 29, id="is-passed"),
        pytest.param("`Base.labels` converts labels to `str`.", 21, id="converts"),
        pytest.param("`build` calls Wide(cfg.model.width, …).", 37, id="calls-with-a-gap"),
        pytest.param(
            "In model.py `build` reads `cfg.training.rate`.", 41, id="reads-through-a-variable"
        ),
        pytest.param("In model.py `build` raises ValueError.", 39, id="raises"),
        pytest.param("`Wide` inherits from `Base`.", 27, id="inherits"),
        pytest.param(
            "Wide.forward calls `np.clip` when `self.width` is above `LIMIT`.",
            None,
            id="a-word-is-left",
        ),
        pytest.param(
            "`build` instantiates `Wide` when `kind` is 'wide'.", 37, id="under-a-condition"
        ),
        pytest.param("`build` sets seed=7.", 37, id="sets-an-argument"),
    ],
)
def test_a_relation_that_the_code_has_confirms(text: str, line: int | None) -> None:
    found = claim(text, {"src/model.py": _MODEL})
    if line is None:
        assert found.check.result is UNVERIFIED
        return
    assert found.check.result is CONFIRMED, found.check.evidence
    assert found.span is not None
    assert found.span.line is not None
    assert found.span.line - 1 <= line <= (found.span.end_line or found.span.line) + 1


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("`Base.score` returns (total, rows).", id="another-tuple"),
        pytest.param("`Base.score` returns only `total`.", id="only"),
        pytest.param("`Wide.forward` expects (mask, rows).", id="order"),
        pytest.param("`Wide.forward` expects (rows, weights).", id="another-parameter"),
        pytest.param("Wide.forward passes `rows` to `np.log`.", id="another-callee"),
        pytest.param("`Base.labels` converts `ids` to `str`.", id="another-value"),
        pytest.param("`build` sets seed=8.", id="another-number"),
        pytest.param(
            "`build` instantiates `Wide` when `kind` is 'narrow'.", id="another-condition"
        ),
        pytest.param("`build` always instantiates `Wide`.", id="always"),
        pytest.param("`build` instantiates `Wide` twice.", id="twice"),
        pytest.param("`build` incorrectly passes `seed` to `Wide`.", id="judged"),
        pytest.param("`build` calls `Wide` before `cfg.training` is read.", id="order-in-time"),
        pytest.param("`Base` inherits from `Wide`.", id="wrong-way-round"),
        pytest.param("`build` may call `Wide`.", id="hedged"),
        pytest.param("`build` calls Wide(cfg.model.depth).", id="another-argument"),
        pytest.param("`Base.note` returns `value`.", id="no-return"),
        pytest.param("`weight_decay` in model.py calls `np.clip`.", id="unknown-caller"),
        pytest.param("`Wide.forward` and `decay_rate` call `self.score`.", id="one-unknown-caller"),
        pytest.param("`Wide.forward` and `Base.note` call `self.score`.", id="one-caller-does-not"),
        pytest.param("`Wide` is instantiated with `LIMIT`.", id="not-in-the-call"),
        pytest.param("Both model.py and seed read `cfg.model.width`.", id="a-word-as-subject"),
        pytest.param("`build` passes `cfg.model.width` to `Wide` in train.py.", id="another-file"),
        pytest.param("`score` calls `Wide`, which expects (rows, mask).", id="half-of-it"),
    ],
)
def test_a_relation_that_the_code_has_not_is_never_confirmed(text: str) -> None:
    assert claim(text, {"src/model.py": _MODEL}).check.result is not CONFIRMED


@pytest.mark.parametrize(
    ("text", "result"),
    [
        pytest.param(
            "`Wide.forward` ignores the `unused_flag` parameter.", CONFIRMED, id="parameter"
        ),
        pytest.param(
            "The `weights` argument is never used in `Base.score`.", CONFIRMED, id="argument"
        ),
        pytest.param("`mask` is never used in `Wide.forward`.", UNVERIFIED, id="used-after-all"),
        pytest.param("model.py never calls `softmax()`.", CONFIRMED, id="never-calls"),
        pytest.param(
            "`Wide.forward` never calls `self.score()`.", UNVERIFIED, id="calls-after-all"
        ),
        pytest.param(
            "`Wide.forward` never calls `np.clip` for masked rows.", UNVERIFIED, id="a-word-is-left"
        ),
        pytest.param("`Base.note` does not use `width`.", UNVERIFIED, id="elsewhere-in-the-file"),
        pytest.param("`Base.seen` is never populated.", CONFIRMED, id="never-filled"),
        pytest.param("`self.history` is never populated.", UNVERIFIED, id="filled-after-all"),
        pytest.param("`seed` is always 7.", CONFIRMED, id="always"),
        pytest.param("`seed` is hard-coded to 9.", UNVERIFIED, id="another-value"),
        pytest.param("`objective` re-uses the same model for every trial.", CONFIRMED, id="reused"),
        pytest.param("`careful` re-uses the same model for every trial.", UNVERIFIED, id="copied"),
        pytest.param("model.py sets `cfg.scheduler.warmup`.", UNVERIFIED, id="named-nowhere"),
        pytest.param("model.py does not add a legend.", CONFIRMED, id="thing-not-there"),
        pytest.param(
            "model.py does not use gradient clipping.", UNVERIFIED, id="a-name-speaks-of-it"
        ),
    ],
)
def test_an_absence_is_decided_by_the_whole_place(text: str, result: Check) -> None:
    assert claim(text, {"src/model.py": _MODEL}).check.result is result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        pytest.param("All run configs set training.epochs=5.", UNVERIFIED, id="a-word-too-many"),
        pytest.param("The run configs set training.epochs=5.", CONFIRMED, id="every-run"),
        pytest.param("The run configs set `training.epochs: 50`.", UNVERIFIED, id="another-value"),
        pytest.param("`training.epochs` is set to 5 in the run configs.", CONFIRMED, id="passive"),
        pytest.param("The run configs set training.depth=5.", UNVERIFIED, id="no-such-key"),
        pytest.param(
            "config/config.yaml declares the group as `- run: null`.",
            UNVERIFIED,
            id="an-entry-of-a-list",
        ),
    ],
)
def test_the_files_say_which_value_a_key_has(text: str, result: Check) -> None:
    assert claim(text).check.result is result


_TEE = """import subprocess
import sys


def tee(stream, log):
    for line in stream:
        sys.stdout.buffer.write(line)


def launch(command):
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        tee(child.stdout, None)
        tee(child.stderr, None)
"""  # noqa: E501


@pytest.mark.parametrize(
    ("text", "code", "result"),
    [
        pytest.param(
            "main.py drains stdout and stderr sequentially, which may dead-lock.",
            _TEE,
            CONFIRMED,
            id="one-by-one",
        ),
        pytest.param(
            "main.py may dead-lock on the subprocess pipes.",
            _TEE.replace("stderr=subprocess.PIPE", "stderr=subprocess.STDOUT"),
            UNVERIFIED,
            id="one-pipe",
        ),
        pytest.param(
            "main.py reads stdout fully before stderr.",
            _TEE.replace(
                "        tee(child.stdout, None)\n        tee(child.stderr, None)",
                "        child.communicate()",
            ),
            UNVERIFIED,
            id="both-at-once",
        ),
        pytest.param(
            "`tee` in main.py writes to sys.stdout.buffer, expecting bytes ⇒ TypeError.",
            _TEE,
            CONFIRMED,
            id="text",
        ),
        pytest.param(
            "`tee` in main.py writes to sys.stdout.buffer, expecting bytes ⇒ TypeError.",
            _TEE.replace(", text=True", ""),
            UNVERIFIED,
            id="bytes",
        ),
    ],
)
def test_how_a_child_is_read_can_be_seen(text: str, code: str, result: Check) -> None:
    assert claim(text, {"src/main.py": code}).check.result is result


@pytest.mark.parametrize(
    ("text", "code", "result"),
    [
        pytest.param(
            "There is a stray dot in preprocess.py.", "x = 1.\ny = (2).\n", CONFIRMED, id="stray"
        ),
        pytest.param(
            "src/preprocess.py is truncated.",
            "def load():\n    return (1,\n",
            CONFIRMED,
            id="cut-off",
        ),
        pytest.param(
            "src/preprocess.py is truncated.",
            "def load():\n    return 1\n",
            UNVERIFIED,
            id="parses",
        ),
        pytest.param(
            "src/preprocess.py is truncated.",
            "x = = 1\n" + "y = 1\n" * 9,
            UNVERIFIED,
            id="broken-elsewhere",
        ),
    ],
)
def test_a_broken_file_shows_how_it_is_broken(text: str, code: str, result: Check) -> None:
    assert claim(text, {"src/preprocess.py": code}).check.result is result


_HIDDEN = """from scipy import stats


def compare(runs):
    for stats in runs.values():
        print(stats["name"])
    return stats.ttest_ind([1.0, 2.0], [2.0, 3.0])


def inner(runs):
    return [stats for stats in runs]
"""


def test_a_loop_variable_hides_an_import_of_its_name() -> None:
    said = (
        "In evaluate.py `stats` shadows the imported scipy.stats module, so `stats.ttest_ind`"
        " raises an AttributeError."
    )
    assert [each.check.result for each in claims(said, {"src/evaluate.py": _HIDDEN})] == [
        CONFIRMED,
        CONFIRMED,
    ]
    alone = _HIDDEN.replace("for stats in runs.values()", "for each in runs.values()").replace(
        'stats["name"]', 'each["name"]'
    )
    assert claim(said, {"src/evaluate.py": alone}).check.result is not CONFIRMED


@pytest.mark.parametrize(
    ("text", "result"),
    [
        pytest.param("1. model.py: no EWC implementation.", CONFIRMED, id="named-nowhere"),
        pytest.param("1. The KD-Tree routing is missing.", CONFIRMED, id="with-a-hyphen"),
        pytest.param("1. The GatedMLP is missing.", UNVERIFIED, id="named-after-all"),
        pytest.param("1. Configuration keys are missing.", UNVERIFIED, id="no-name"),
    ],
)
def test_what_no_name_speaks_of_is_not_there(text: str, result: Check) -> None:
    assert claim(text).check.result is result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        pytest.param(
            "optimiser.zero_grad() is called before loss.backward() in `fit`.",
            CONFIRMED,
            id="before",
        ),
        pytest.param(
            "optimiser.zero_grad() is called after loss.backward() in `fit`.",
            UNVERIFIED,
            id="not-after",
        ),
        pytest.param(
            "optimiser.zero_grad() is called after the optimiser step.",
            UNVERIFIED,
            id="not-after-the-step",
        ),
        pytest.param(
            "wandb.log() is called after loss.backward() in `evaluate`.", UNVERIFIED, id="not-there"
        ),
        pytest.param("The code uses `torch.no_grad()` in fit.", UNVERIFIED, id="another-function"),
        pytest.param(
            'In trial mode train.py sets cfg.wandb.mode="disabled".', CONFIRMED, id="in-a-mode"
        ),
        pytest.param(
            'In full mode train.py sets cfg.wandb.mode="disabled".',
            UNVERIFIED,
            id="in-the-other-mode",
        ),
        pytest.param(
            "train.py calls wandb.init() unconditionally.", CONFIRMED, id="unconditionally"
        ),
        pytest.param(
            "`fit` unconditionally calls wandb.log().", UNVERIFIED, id="under-a-condition"
        ),
        pytest.param("`fit` returns accuracy.", CONFIRMED, id="a-plain-word"),
        pytest.param("`evaluate` returns accuracy.", UNVERIFIED, id="another-value"),
    ],
)
def test_where_and_when_something_happens_counts(text: str, result: Check) -> None:
    assert claim(text).check.result is result


_BUFFERS = """class Meter:
    def __init__(self):
        self._rows = []
        self._kept = []

    def mean(self):
        return sum(self._rows)

    def kept(self):
        return sum(self._kept)

    def keep(self, row):
        self._kept.append(row)
"""


@pytest.mark.parametrize(
    ("text", "result"),
    [
        pytest.param(
            "`Meter.mean` reads an internal list that is never populated.",
            CONFIRMED,
            id="never-filled",
        ),
        pytest.param(
            "`Meter.kept` reads an internal list that is never populated.", UNVERIFIED, id="filled"
        ),
    ],
)
def test_a_list_that_nothing_fills_is_seen(text: str, result: Check) -> None:
    assert claim(text, {"src/model.py": _BUFFERS}).check.result is result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        pytest.param("1. `src/__init__.py` is missing.", CONFIRMED, id="init"),
        pytest.param(
            "1. config/config.yaml is text embedded in code, not an actual file.",
            UNVERIFIED,
            id="embedded",
        ),
        pytest.param(
            "1. No config/runs/*.yaml files are included in the repository.",
            CONFIRMED,
            id="run-files",
        ),
        pytest.param(
            "1. config/runs/*.yaml files are absent, so Hydra crashes.",
            CONFIRMED,
            id="without-what-follows",
        ),
    ],
)
def test_a_file_is_there_or_not(text: str, result: Check) -> None:
    assert claims(text)[0].check.result is result


def test_a_network_that_gives_a_constant_is_seen_through_its_forward() -> None:
    code = (
        "import torch\n\n\nclass Plain(torch.nn.Module):\n    def forward(self, rows):\n       "
        " return torch.tensor({})\n"
    )
    said = "In model.py Plain simply returns zero energy."
    assert claim(said, {"src/model.py": code.format("0.0")}).check.result is CONFIRMED
    assert claim(said, {"src/model.py": code.format("0.5")}).check.result is not CONFIRMED


def test_nothing_follows_from_a_defect_that_is_not_there() -> None:
    found = claims(
        r"model.py has a syntax error: `-\u003e` is no arrow. This stops the program immediately."
    )
    assert [each.check.result for each in found] == [REFUTED, UNVERIFIED]


def test_an_annotation_that_stays_text_crashes_nothing() -> None:
    code = "def f(rows):\n    seen: Any = {}\n    return seen\n"
    found = claim(
        "preprocess.py never imports Any, so a NameError is raised.", {"src/preprocess.py": code}
    )
    assert found.check.result is UNVERIFIED
    assert "never evaluated" in found.check.evidence


def test_odd_text_never_stops_the_reading() -> None:
    odd = (
        "`f(` calls `((((`",
        "a" * 5000 + " calls `x`.",
        "`…` returns `...`",
        "f(" * 300 + " sets x",
        "`{**...,` is set to `\x00`",
    )
    for text in odd:
        claim(f"model.py: {text} and train.py uses it.")
