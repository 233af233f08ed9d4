"""Guards the rules on evaluate.py: how its command is read, where its runs, groups and files come
from, what it picks as best.
"""

from textwrap import dedent

import pytest

from reviewers.records import ResearchContext, Severity
from tests.cases import cases
from tests.reviewers.rules.asking import findings

RUNS = {
    "proposed-mlp": "run_id: proposed-mlp\n",
    "comparative-1-mlp": "run_id: comparative-1-mlp\n",
}
READS_PLAINLY = (
    'import wandb\n\ndef load(run_id):\n    return wandb.Api().run(f"lab/toy/{run_id}")\n'
)


def severities(
    rule: str, evaluate: str, train: str | None = None, metric: str | None = None, **files: str
) -> list[Severity]:
    given = {"src/evaluate.py": dedent(evaluate), **files} | (
        {"src/train.py": dedent(train)} if train else {}
    )
    fields = {"context": ResearchContext(primary_metric=metric)} if metric else {}
    return [finding.severity for finding in findings(rule, given, RUNS, **fields)]


@cases(
    "code",
    {
        "options": "p.add_argument('--results_dir', required=True)\np.add_argument('--run_ids')\n",
        "argv by place": "import json, sys\nids = json.loads(sys.argv[2])\n",
        "converted": "p.add_argument('run_ids', type=json.loads)\n",
        "required all the same": (
            "p.add_argument('--run_ids', required=True)\nargs, rest = p.parse_known_args()\n"
        ),
        "click": "import click\n\n@click.option('--run_ids')\ndef main(run_ids):\n    pass\n",
    },
)
def test_commands_that_do_not_take_key_value_words(code: str) -> None:
    assert severities("EV01", code) == [Severity.BLOCKER]


@cases(
    "code",
    {
        "split": "import sys\nw = dict(a.split('=', 1) for a in sys.argv[1:])\n",
        "partition": (
            "p.add_argument('words', nargs='*')\nfor a in p.parse_args().words:\n    k, _, v ="
            " a.partition('=')\n"
        ),
        "pattern": "import re\np.add_argument('run_ids')\nm = re.match(r'(\\w+)=(.*)', x)\n",
        "replaced": "p.add_argument('run_ids')\nx = x.replace('run_ids=', '')\n",
        "known": (
            "p.add_argument('--run_ids')\na, rest = p.parse_known_args()\nw = [r.split('=') for r"
            " in rest]\n"
        ),
    },
)
def test_commands_that_take_words_apart(code: str) -> None:
    assert severities("EV01", code) == []


@cases(
    ("train", "found"),
    {
        "name only": ("wandb.init(name=cfg.run.run_id)", [Severity.BLOCKER]),
        "suffix": ("wandb.init(id=f'{cfg.run_id}-seed{seed}')", [Severity.BLOCKER]),
        "added": ("wandb.init(id=cfg.run_id + '_final')", [Severity.BLOCKER]),
        "made up": ("wandb.init(id=wandb.util.generate_id())", [Severity.BLOCKER]),
        "changed": (
            "cfg.run.run_id = f'{cfg.run.run_id}-s{seed}'\nwandb.init(id=cfg.run.run_id)",
            [Severity.BLOCKER],
        ),
        "the run id": ("wandb.init(id=cfg.run.run_id)", []),
        "as text": ("wandb.init(id=f'{cfg.run.run_id}')", []),
        "disabled": ("wandb.init(mode='disabled')", []),
        "settings unknown": ("wandb.init(**settings)", []),
        "by environment": ("os.environ['WANDB_RUN_ID'] = cfg.run_id\nwandb.init()", []),
        "put together": ("wandb.init(id=f'{cfg.method}-{cfg.model}')", []),
    },
)
def test_the_id_of_the_run_must_be_the_one_asked_for(train: str, found: list[Severity]) -> None:
    assert (
        severities(
            "TR06",
            READS_PLAINLY,
            "import wandb\n\ndef main(cfg, seed):\n   "
            f" {train.replace(chr(10), chr(10) + '    ')}\n",
        )
        == found
    )


SEARCHED = """
import wandb
def fit(cfg):
    wandb.init(id=cfg.run_id)
def objective(trial, cfg):
    trial_cfg = copy.deepcopy(cfg)
    {off}
    trial_cfg.run_id = f"{{cfg.run_id}}-trial{{trial.number}}"
    return fit(trial_cfg)
"""


@pytest.mark.parametrize(
    ("off", "found"),
    [
        ("trial_cfg.wandb.mode = 'disabled'", []),
        ("trial_cfg['wandb']['mode'] = 'disabled'", []),
        ("trial_cfg.optuna.n_trials = 0", [Severity.BLOCKER]),
        ("if cfg.mode == 'trial': trial_cfg.wandb.mode = 'disabled'", [Severity.BLOCKER]),
    ],
)
def test_the_trials_of_a_search_that_are_not_tracked_may_have_any_id(
    off: str, found: list[Severity]
) -> None:
    assert severities("TR06", READS_PLAINLY, SEARCHED.format(off=off)) == found


def test_runs_that_are_searched_by_name_need_no_id() -> None:
    evaluate = (
        'import wandb\n\ndef load(run_id):\n    return wandb.Api().runs("lab/toy",'
        ' filters={"display_name": run_id})[0]\n'
    )
    assert (
        severities(
            "TR06", evaluate, "import wandb\n\ndef main(cfg):\n    wandb.init(name=cfg.run_id)\n"
        )
        == []
    )


@cases(
    "code",
    {
        "itself": "t = ttest_rel(a, a)",
        "another name": ("b = a\n    t = ttest_ind(a, b)"),
        "repeated": "t = ttest_ind([x] * 5, a)",
        "filled": "t = ttest_ind(np.full(9, x), a)",
        "one number": (
            "t = ttest_ind(np.array([x]), np.array([y])) if 0 else mannwhitneyu([x], [y])"
        ),
    },
)
def test_tests_that_cannot_say_anything(code: str) -> None:
    head = (
        "import numpy as np\nfrom scipy.stats import mannwhitneyu, ttest_ind, ttest_rel\n\ndef"
        " main(a, x, y):\n    "
    )
    assert severities("EV16", head + code + "\n") == [Severity.MAJOR]


@cases(
    "code",
    {
        "two samples": "t = ttest_ind(a, y)",
        "many": "t = ttest_ind([*a], [v for v in y])",
        "filled later": "s = [x]\n    s.append(y)\n    t = ttest_ind(s, a)",
        "two halves": "t = ttest_ind(a[:5], a[5:])",
    },
)
def test_tests_of_real_samples_are_left_alone(code: str) -> None:
    head = "from scipy.stats import ttest_ind\n\ndef main(a, x, y):\n    "
    assert severities("EV16", head + code + "\n") == []


@pytest.mark.parametrize(
    ("metric", "gap", "wrong"),
    [
        ("Validation perplexity", "(best_proposed - best_baseline) / best_baseline * 100", True),
        ("Validation perplexity", "(best_baseline - best_proposed) / best_baseline * 100", False),
        ("Top-1 accuracy (%)", "100 * (best_baseline - best_proposed) / best_baseline", True),
        ("Top-1 accuracy (%)", "100 * (best_proposed - best_baseline) / best_baseline", False),
        ("Relative latency reduction", "(best_proposed - best_baseline) / best_baseline", False),
        (
            "Area under the curve of accuracy; latency ↑",
            "(best_proposed - best_baseline) / best_baseline",
            False,
        ),
        ("Wasserstein distance", "(best_proposed - best_baseline) / best_baseline", False),
    ],
)
def test_the_sign_of_the_gap_follows_the_metric(metric: str, gap: str, wrong: bool) -> None:
    code = f"def main(best_proposed, best_baseline):\n    gap = {gap}\n    return {{'gap': gap}}\n"
    assert bool(severities("EV28", code, metric=metric)) is wrong
    assert (
        severities("EV28", code.replace("    return", "    gap = -gap\n    return"), metric=metric)
        == []
    )


def test_rows_of_the_history_are_read_too() -> None:
    train = 'import wandb\n\ndef main():\n    wandb.init()\n    wandb.log({"loss": 1.0})\n'
    code = "def main(run):\n    return [row['val_loss'] for row in run.scan_history()]\n"
    assert severities("TR01", code, train) == [Severity.BLOCKER]


@cases(
    ("second", "found"),
    {
        "another row": ("wandb.log({'acc': 1.0})", 1),
        "perhaps the same step": ("wandb.log({'acc': 1.0}, step=3)", 0),
        "together": ("wandb.log({'acc': 1.0, 'loss': 2.0})", 0),
        "not known": ("wandb.log({f'{s}': 1.0, 'acc': 3.0})", 0),
    },
)
def test_keys_must_share_a_row(second: str, found: int) -> None:
    train = (
        "import wandb\n\ndef main(s):\n    wandb.init()\n    wandb.log({'loss': 1.0})\n   "
        f" {second}\n"
    )
    assert (
        len(
            severities(
                "TR09", "def main(run):\n    return run.history(keys=['loss', 'acc'])\n", train
            )
        )
        == found
    )


@cases(
    ("code", "found"),
    {
        "at once": ("json.dump(dict(run.summary), f)", 1),
        "through a function": ("s = dict(run.summary)\n    save({'summary': s}, f)", 1),
        "the object itself": ("json.dump({'all': run.summary}, f)", 1),
        "plain": ("json.dump(dict(run.summary._json_dict), f)", 0),
        "told what to do": ("json.dump(dict(run.summary), f, default=str)", 0),
        "entries": ("s = dict(run.summary)\n    json.dump({'a': s['a'], 'b': s.get('b')}, f)", 0),
        "numbers only": (
            (
                "s = dict(run.summary)\n    json.dump({k: v for k, v in s.items() if isinstance(v,"
                " float)}, f)"
            ),
            0,
        ),
        "a comprehension": ("json.dump({k: v for k, v in run.summary.items()}, f)", 1),
        "its pairs": ("json.dump(dict(run.summary.items()), f)", 1),
        "spread": ("json.dump({**run.summary, 'a': 1}, f)", 1),
        "some of it": ("json.dump({k: v for k, v in run.summary.items() if k != '_wandb'}, f)", 0),
        "other values": ("json.dump({k: str(v) for k, v in run.summary.items()}, f)", 0),
        "cleaned": ("s = clean(dict(run.summary))\n    json.dump(s, f)", 0),
    },
)
def test_summaries_that_json_cannot_take(code: str, found: int) -> None:
    head = (
        "import json\n\ndef save(obj, f):\n    json.dump(obj, f)\n\ndef clean(d):\n    return {k:"
        " float(d[k]) for k in d}\n"
    )
    assert len(severities("EV31", f"{head}\ndef main(run, f):\n    {code}\n")) == found


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("p < 0.05", 1),
        ("bool(p < 0.05)", 0),
        ("'yes' if p < 0.05 else 'no'", 0),
        ("float(p) < 0.05", 0),
        ("np.array(a)", 1),
        ("np.array(a).tolist()", 0),
        ("np.mean(a)", 0),
        ("[float(x) for x in np.sort(a)]", 0),
        ("np.sum(np.array(a) > np.array(b))", 1),
        ("int(np.argmax(a))", 0),
        ("kept", 1),
        ("{'deep': listed}", 0),
        ("frame.dropna().values", 1),
        ("list(frame.values())", 0),
    ],
)
def test_numpy_values_that_json_cannot_take(value: str, found: int) -> None:
    head = (
        "import json\nimport numpy as np\nfrom scipy import stats\n\ndef main(a, b, f, frame):\n"
        "    t, p = stats.ttest_ind(a, b)\n    kept = {}\n    kept['x'] = np.sort(a)\n"
        "    listed = np.sort(a)\n    listed = listed.tolist()\n"
    )
    assert len(severities("EV32", f"{head}    json.dump({{'s': {value}}}, f)\n")) == found


HAND = """
import json
import sys

def main():
    words = {split}
    print(words[{key!r}], {ids})

if __name__ == "__main__":
    main()
"""
BY_HAND = {
    "pairs": ('dict(word.split("=", 1) for word in sys.argv[1:])', "results_dir", "", 0),
    "parted": (
        '{word.partition("=")[0]: word.partition("=")[2] for word in sys.argv[1:]}',
        "results_dir",
        "",
        0,
    ),
    "another key": ('dict(word.split("=", 1) for word in sys.argv[1:])', "out_dir", "", 1),
    "by position": (
        'dict(word.split("=", 1) for word in sys.argv[1:])',
        "results_dir",
        "json.loads(sys.argv[2])",
        1,
    ),
}


@pytest.mark.parametrize(("split", "key", "ids", "count"), BY_HAND.values(), ids=BY_HAND)
def test_words_taken_apart_by_hand_are_followed(split: str, key: str, ids: str, count: int) -> None:
    code = HAND.format(split=split, key=key, ids=ids or 'json.loads(words["run_ids"])')
    assert len(severities("EV01", code)) == count
