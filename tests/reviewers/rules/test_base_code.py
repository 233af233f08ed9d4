"""Guards what is said of code that is derived from base code: losses, and nothing of refactors."""

import time

import pytest

from reviewers.facts import Facts
from reviewers.records import Finding, Severity
from reviewers.rules import find_rule, run_rules
from tests.builders import contract, make_submission

FROM_BASE = contract("nine-modes", "[files]\nfrom_base = true\n")
BASE = {
    "src/main.py": """
import subprocess, sys

def main():
    subprocess.run([sys.executable, "-m", "src.train"], check=True)

if __name__ == "__main__":
    main()
""",
    "src/train.py": """
import argparse, json, random
from pathlib import Path
import matplotlib.pyplot as plt
import torch
import yaml
from src.model import build

def draw_curves(losses, folder):
    plt.plot(losses)
    plt.xlabel("epoch")
    plt.savefig(folder / "loss.pdf")
    plt.figure()
    plt.savefig(folder / "norm.pdf")

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config")
    parser.add_argument("--folder")
    args = parser.parse_args()
    cfg = yaml.safe_load(Path(args.config).read_text())
    random.seed(1)
    kind = cfg["model"].get("kind", "linear").lower()
    model = build(kind)
    optimizer = torch.optim.Adam(model.parameters())
    losses = []
    for batch in cfg["data"]:
        loss = model(batch).sum()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    draw_curves(losses, Path(args.folder))
    record = {"run": cfg["run"], "final_loss": losses[-1], "best_loss": min(losses)}
    (Path(args.folder) / "results.json").write_text(json.dumps(record))

if __name__ == "__main__":
    main()
""",
    "src/model.py": """
import torch.nn as nn

def build(kind):
    if kind == "linear":
        return nn.Linear(3, 3)
    if kind == "conv":
        return nn.Conv1d(3, 3, 1)
    raise ValueError(kind)
""",
}


def _found(*changes: tuple[str, str, str], **runs: str) -> list[Finding]:
    files = dict(BASE)
    for path, old, new in changes:
        assert old in files.get(path, old)
        files[path] = files.get(path, old).replace(old, new)
    base = make_submission(BASE, attempt=0)
    submission = make_submission(files, runs or None, base=base, contract=FROM_BASE)
    return list(find_rule("FS15")(Facts(submission)))


TRAIN, MODEL = "src/train.py", "src/model.py"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([(TRAIN, '    plt.savefig(folder / "norm.pdf")\n', "")], "no longer writes `norm.pdf`"),
        (
            [
                (TRAIN, 'savefig(folder / "loss.pdf")', "show()"),
                (TRAIN, 'savefig(folder / "norm.pdf")', "show()"),
            ],
            "no longer saves figures (`loss.pdf`, `norm.pdf`)",
        ),
        ([(TRAIN, ', "best_loss": min(losses)', "")], "no longer records `best_loss`"),
        (
            [(TRAIN, '    parser.add_argument("--folder")\n', ""), (TRAIN, "args.folder", "'x'")],
            "no longer takes `--folder`",
        ),
        ([(TRAIN, "random.seed(1)", "pass")], "no longer seeds random numbers"),
        ([(TRAIN, "loss.backward()", "pass")], "no longer trains by gradients"),
        (
            [(TRAIN, "    draw_curves(losses, Path(args.folder))\n", "")],
            "`draw_curves` is defined, and nothing calls it any more",
        ),
        ([("src/main.py", '"-m", "src.train"', '"--version"')], "no longer starts `src.train`"),
    ],
    ids=["figure", "figures", "metric", "option", "seed", "training", "call", "start"],
)
def test_a_loss_is_named_once_with_the_line_of_the_base(
    changes: list[tuple[str, str, str]], said: str
) -> None:
    (finding,) = _found(*changes)
    assert said in finding.message
    assert "the base code has `" in finding.message
    assert finding.severity is Severity.MINOR


def test_an_emptied_function_tells_of_all_that_it_did_in_one_finding() -> None:
    body = BASE[TRAIN].split("def draw_curves(losses, folder):\n")[1].split("\ndef main")[0]
    (finding,) = _found((TRAIN, body, "    return losses\n"))
    assert "`draw_curves` does nothing any more but `return losses`" in finding.message


@pytest.mark.parametrize(
    "changes",
    [
        [(TRAIN, "draw_curves", "plot_curves"), (TRAIN, "losses", "history")],
        [
            (TRAIN, "from src.model import build", "from src.nets import build"),
            (MODEL, BASE[MODEL], ""),
            ("src/nets.py", "", BASE[MODEL]),
        ],
        [(TRAIN, "best_loss", "lowest_loss")],
        [(TRAIN, "norm.pdf", "gradient_norm.png")],
        [(TRAIN, "--folder", "--results-dir"), (TRAIN, "args.folder", "args.results_dir")],
        [(TRAIN, "random.seed(1)", "torch.manual_seed(1)")],
        [(TRAIN, "loss.backward()", "torch.autograd.grad(loss, [*model.parameters()])")],
        [
            (TRAIN, 'plt.savefig(folder / "norm.pdf")', 'save(folder, "norm")'),
            (
                TRAIN,
                "def main",
                'def save(at, to):\n    plt.savefig(at / f"{to}.pdf")\n\ndef main',
            ),
        ],
        [
            (
                TRAIN,
                "    draw_curves(losses, Path(args.folder))\n",
                "    plots.draw_curves(losses)\n",
            ),
            (TRAIN, "import argparse", "import src.plots as plots\nimport argparse"),
            (
                "src/plots.py",
                "",
                "from src.train import draw_curves as of\ndef draw_curves(x):\n    of(x, x)\n",
            ),
        ],
        [
            (TRAIN, '    parser.add_argument("--config")\n', ""),
            (TRAIN, '    parser.add_argument("--folder")\n', ""),
            (TRAIN, "args.config", "sys.argv[1]"),
            (TRAIN, "args.folder", "sys.argv[2]"),
        ],
        [(MODEL, "nn.Conv1d(3, 3, 1)", "(")],
    ],
    ids=[
        *("renamed", "moved", "key renamed", "figure renamed", "option renamed", "other seed"),
        *(
            "other gradient",
            "helper",
            "wrapped",
            "no parser",
            "does not parse",
        ),
    ],
)
def test_other_code_that_does_the_same_is_not_named(changes: list[tuple[str, str, str]]) -> None:
    assert _found(*changes) == []


@pytest.mark.parametrize(("remark", "count"), [("a placeholder", 0), ("for the paper", 1)])
def test_what_the_base_calls_a_placeholder_may_go(remark: str, count: int) -> None:
    model = f"{BASE[MODEL]}\ndef named(kind):\n    # {remark}\n    return kind.lower()\n"
    base = {MODEL: model, TRAIN: BASE[TRAIN].replace("build(kind)", "build(named(kind))")}
    base[TRAIN] = base[TRAIN].replace("import build", "import build, named")
    derived = {**BASE, MODEL: model}
    submission = make_submission(
        derived, base=make_submission({**BASE, **base}, attempt=0), contract=FROM_BASE
    )
    assert len(list(find_rule("FS15")(Facts(submission)))) == count


def test_without_the_clause_or_without_base_code_nothing_is_named() -> None:
    derived = {**BASE, TRAIN: BASE[TRAIN].replace("random.seed(1)", "pass")}
    base = make_submission(BASE, attempt=0)
    for submission in (
        make_submission(derived, base=base),
        make_submission(derived, contract=FROM_BASE),
    ):
        assert list(find_rule("FS15")(Facts(submission))) == []


def _many(name: str, count: int = 3_000) -> str:
    functions = (
        f"def {name}{n}(x, y=None):\n    z = x.a{n}\n    torch.save(z, 'k{n}.pt')\n"
        f"    if z == 'v{n}':\n        return {{'k{n}': z, 'v': y}}\n"
        for n in range(count)
    )
    calls = "".join(f"    {name}{n}({n})\n" for n in range(count))
    return (
        "import torch\n" + "".join(functions) + f"def main():\n{calls}"
        "if __name__ == '__main__':\n    main()\n"
    )


def test_three_thousand_lost_functions_end_in_time() -> None:
    derived = _many("g", 300).replace("torch.save", "torch.load").replace("'v", "'w")
    base = make_submission({"src/train.py": _many("f")}, attempt=0)
    submission = make_submission({"src/train.py": derived}, base=base, contract=FROM_BASE)
    facts = Facts(submission)
    before = time.process_time()
    with facts.steps.counted():
        assert list(find_rule("FS15")(facts))
    assert time.process_time() - before < 9  # 2 s on a quiet machine, without the derived code


def test_a_review_with_hostile_base_code_is_still_a_review() -> None:
    hostile = {
        "src/train.py": "def f(x):\n    return f(f)\nf = f\nx = x = f'{x}'\nopen(*[], mode=1)\n",
        "src/model.py": "kind = kind\nif kind == 'a':\n    d = {**{}}\n    d[d] = d.get()\n",
        "src/main.py": "\0 broken (",
    }
    base = make_submission(hostile, attempt=0)
    for files in (hostile, BASE, dict.fromkeys(hostile)):
        submission = make_submission(files, base=base, contract=FROM_BASE)
        assert run_rules(Facts(submission)).findings
