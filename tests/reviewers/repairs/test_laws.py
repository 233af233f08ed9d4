# ruff: noqa: E501  a line of code is clearest whole
"""Guards what holds for every repair of every rule: nothing outside its edits changes, git takes
its patch, it is made once, hostile files stop nothing, and what no repair may do is refused.
"""

import ast
import subprocess
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from reviewers.bundles import open_bundle
from reviewers.facts import Facts
from reviewers.records import SourceFile, Submission
from reviewers.repairs import Plan, Proposal, planned, registered
from reviewers.repairs.edits import CannotEdit, Edit, PythonEdits, edited
from reviewers.repairs.patch import patch
from reviewers.repairs.proof import Proven, Unproven, prove, reviewed
from reviewers.repairs.safety import objection
from reviewers.rules import find_rule
from reviewers.settings import sample_bundles
from tests.builders import make_submission, submission_from_example, with_one_run, write_folder
from tests.cases import cases
from tests.shared_data import EVERYTHING

_RULES = tuple(registered())[:: 1 if EVERYTHING else 4]
_SAMPLES = sorted(
    path.name for path in sample_bundles().iterdir() if path.is_dir() or path.suffix == ".txt"
)
_SAMPLES = _SAMPLES[:: 1 if EVERYTHING else 3]


def bad(rule: str) -> Submission:
    return submission_from_example(find_rule(rule).bad)[0]


def check_laws(plan: Plan, folder: Path) -> None:
    version = plan.first.submission
    made: dict[str, set[Edit]] = defaultdict(set)
    for repair in plan.repairs:  # several may be proven by one review
        made[repair.proof.after.submission.id] |= {*repair.proof.proposal.edits}
    for number, repair in enumerate(plan.repairs):
        assert repair.proof.on == version
        for proof in (repair.proof, *repair.others):
            is_answer = any(each.proof.proposal.asks for each in plan.repairs)
            assert not objection(proof.before.facts, proof.after.facts, is_answer)
            edits = made[proof.after.submission.id] if proof is repair.proof else set()
            assert_same_outside(proof, edits | {*proof.proposal.edits})
        after = repair.proof.made
        assert_git_takes(patch(version, after), version, after, folder / str(number))
        version = after
    assert version == plan.last.submission
    again = planned(version)
    assert [each.intent for each in again.repairs] == []


def assert_same_outside(proof: Proven, made: set[Edit]) -> None:
    """The pieces between the edits are there afterwards, as bytes and in their order."""
    before, after = proof.before.submission.by_path, proof.after.submission.by_path
    edits = sorted(made)
    edited = {edit.path for edit in edits}
    assert edited, proof.proposal.intent
    assert {path for path in after if before.get(path) != after[path]} <= edited
    assert before.keys() <= after.keys()
    for path in edited & before.keys():
        rest = after[path].data
        mark = b"\xef\xbb\xbf"
        assert before[path].data.startswith(mark) == rest.startswith(mark)
        rest, at = rest.removeprefix(mark), 0
        for edit in (one for one in edits if one.path == path):
            kept = before[path].text[at : edit.start].encode()
            assert rest.startswith(kept)
            rest, at = rest[len(kept) :], edit.end
            written = next(
                text
                for text in (edit.text.encode(), edit.text.replace("\n", "\r\n").encode())
                if rest.startswith(text)
            )
            rest = rest[len(written) :]
        assert rest == before[path].text[at:].encode()


def assert_git_takes(text: str, before: Submission, after: Submission, folder: Path) -> None:
    """`git apply` makes exactly the version after of the version before."""
    write_folder(folder, before)
    (folder / "repair.patch").write_bytes(text.encode("utf-8", "surrogateescape"))
    for words in (["--check"], []):
        done = subprocess.run(
            ["git", "apply", "--whitespace=nowarn", *words, "repair.patch"],
            cwd=folder,
            capture_output=True,
            text=True,
            env={"PATH": "/usr/bin:/bin", "GIT_CEILING_DIRECTORIES": str(folder.parent)},
        )
        assert not done.returncode, done.stderr
    for path, file in after.by_path.items():
        assert (folder / path).read_bytes() == file.data


@pytest.mark.parametrize("rule", _RULES)
def test_repairs_of_a_rules_own_example_keep_the_laws(rule: str, tmp_path: Path) -> None:
    plan = planned(bad(rule))
    check_laws(plan, tmp_path)


@pytest.mark.parametrize("name", _SAMPLES)
def test_repairs_of_a_sample_keep_the_laws(name: str, tmp_path: Path) -> None:
    check_laws(planned(open_bundle(sample_bundles() / name)), tmp_path)


HOSTILE: Mapping[str, Callable[[bytes], bytes]] = {
    "NUL": lambda data: data.replace(b"\n", b"\0\n", 1),
    "mark": lambda data: b"\xef\xbb\xbf" + data,
    "two line ends": lambda data: data.replace(b"\n", b"\r\n"),
    "old line ends": lambda data: data.replace(b"\n", b"\r"),
    "mixed line ends": lambda data: data.replace(b"\n", b"\r\n", 7).replace(b"\n\n", b"\r\r", 1),
    "tabs": lambda data: data.replace(b"    ", b"\t"),
    "no line end": lambda data: data.rstrip(b"\n"),
    "long line": lambda data: data + b"\n# " + b"x" * 1_000_000 + b"\n",
    "long text": lambda data: b"x_ = '" + b"ab " * 40_000 + b"'\n" + data,
    "surrogates": lambda data: data.replace(b"\n", b" # \xed\xa0\x80\n", 3),
    "Latin 1": lambda data: data.replace(b"\n", b" # caf\xe9\n", 1),
    "declared Latin 1": lambda data: b"# -*- coding: latin-1 -*-\n# caf\xe9\n" + data,
    "form feeds": lambda data: data.replace(b"\n\n", b"\n\x0c\n", 4).replace(b", ", b",\x0c ", 3),
    "line separators": lambda data: data.replace(
        b"\n", b"  # \xe2\x80\xa8 x \xc2\x85 y \x1c z\n", 5
    ),
    "wide letters": lambda data: data.replace(b"\n", "  # 𝔞́𝔟 ﬁ 😀\n".encode(), 9),
    "nested": lambda data: data + b"\nx = " + b"(" * 150 + b"1" + b")" * 150 + b"\n",
    "too nested": lambda data: data + b"\nx = " + b"-" * 20_000 + b"1\n",
    "spaces at the end": lambda data: data + b"  \n\t\n",
    "backslash": lambda data: data.rstrip(b"\n") + b"\n\\\n",
    "one line": lambda data: b"; ".join(line.strip() for line in data.splitlines()),
    "empty": lambda data: b"",
    "half": lambda data: data[: len(data) // 2],
}


def changed_files(submission: Submission, form: str, endings: tuple[str, ...]) -> Submission:
    """The submission with its files of some endings in a hostile form."""

    def data(file: SourceFile) -> bytes:
        return HOSTILE[form](file.data) if file.path.endswith(endings) else file.data

    runs = {run.file.path: data(run.file) for run in submission.runs}
    files = {file.path: data(file) for file in submission.files if file.path not in runs}
    return make_submission(files, runs, contract=submission.contract)


# Each rule's example in some of the forms, so that each form meets several families.
_PYTHON, _OTHER = (".py",), (".yaml", ".toml")
_HOSTILE = [
    (rule, form, endings)
    for number, rule in enumerate(registered())
    for place, form in enumerate(HOSTILE)
    for shift, endings in enumerate((_PYTHON, _OTHER))
    if (number * 5 + place + 3 * shift) % (5 if EVERYTHING else 2 * len(HOSTILE)) == 0
]


@pytest.mark.parametrize(("rule", "form", "endings"), _HOSTILE)
def test_hostile_files_stop_no_plan_and_break_no_law(
    rule: str, form: str, endings: tuple[str, ...], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    check_laws(planned(changed_files(bad(rule), form, endings)), tmp_path)
    assert [one.getMessage() for one in caplog.records if "repair" in one.getMessage()] == []


_READ = (
    "    learning_rate = search(cfg) if cfg.optuna.n_trials > 0 else cfg.training.learning_rate\n"
)
_ABSENT = f"    steps = cfg.training.warmup\n{_READ}"
_RAISES = (
    '    if cfg.method == "proposed":\n'
    '        raise ValueError("the proposed method is not there")\n'
    f"{_READ}"
)


def _proofs(
    rule: str, path: str, defect: tuple[str, str], wrong: Sequence[tuple[str, str]]
) -> Proven | Unproven:
    """What the proof says of wrong edits of a sound submission with a defect."""
    sound = with_one_run().by_path
    text = sound[path].text.replace(*defect)
    assert text != sound[path].text
    before = reviewed(with_one_run({path: text}))
    finding = next(each for each in before.report.findings if each.rule == rule)
    edits = []
    for old, new in wrong:
        start = before.submission.by_path[path].text.index(old)
        edits.append(Edit(path, start, start + len(old), new))
    return prove(before, finding, Proposal("Be wrong", tuple(edits)))


TRAIN, RUN = "src/train.py", "config/runs/comparative-1-mlp-agnews.yaml"
_STEPS = "    steps = cfg.training.warmup\n"
WRONG: Mapping[str, Sequence[tuple[str, str]]] = {
    "an error is caught": [
        (_STEPS, "    try:\n        steps = cfg.training.warmup\n    except Exception:\n        steps = 0\n")
    ],
    "an error is suppressed": [
        ("from pathlib", "import contextlib\nfrom pathlib"),
        (_STEPS, "    with contextlib.suppress(Exception):\n        steps = cfg.training.warmup\n"),
    ],
    "an error is suppressed by another name": [
        ("from pathlib", "from contextlib import suppress as quiet\nfrom pathlib"),
        (_STEPS, "    with quiet(Exception):\n        steps = cfg.training.warmup\n"),
    ],
    "get with a default": [(_STEPS, '    steps = cfg.training.get("warmup", 0)\n')],
    "get by keyword": [(_STEPS, '    steps = cfg.training.get("warmup", default_value=0)\n')],
    "get and or": [(_STEPS, '    steps = cfg.training.get("warmup") or 0\n')],
    "getattr with a default": [(_STEPS, '    steps = getattr(cfg.training, "warmup", 0)\n')],
    "setdefault": [(_STEPS, '    steps = cfg.training.setdefault("warmup", 0)\n')],
    "select with a default": [
        (_STEPS, '    steps = OmegaConf.select(cfg, "training.warmup", default=0)\n')
    ],
    "a condition": [
        (_STEPS, '    steps = cfg.training.warmup if "warmup" in cfg.training else 0\n')
    ],
    "a guard": [(_STEPS, '    if "warmup" in cfg.training:\n        steps = cfg.training.warmup\n')],
    "hasattr": [
        (_STEPS, '    if hasattr(cfg.training, "warmup"):\n        steps = cfg.training.warmup\n')
    ],
    "a value that nobody chose": [(_STEPS, "    cfg.training.warmup = 0\n    steps = cfg.training.warmup\n")],
    "an early return": [(_STEPS, f"    return\n{_STEPS}")],
    "an early end": [(_STEPS, f"    raise SystemExit(0)\n{_STEPS}")],
    "an early exit": [("from pathlib", "import sys\nfrom pathlib"), (_STEPS, f"    sys.exit(0)\n{_STEPS}")],
    "a condition that never holds": [(_STEPS, "    if False:\n        steps = cfg.training.warmup\n")],
    "fewer epochs": [
        (_STEPS, ""),
        ("range(cfg.training.epochs)", "range(1)"),
    ],
    "fewer epochs by a bound": [
        (_STEPS, ""),
        ("range(cfg.training.epochs)", "range(min(cfg.training.epochs, 1))"),
    ],
    "fewer batches": [(_STEPS, ""), ("enumerate(train_loader)", "enumerate(list(train_loader)[:4])")],
    "no logging": [
        (_STEPS, ""),
        ('            if tracked:\n                wandb.log({"train_loss": loss.item(), "epoch": epoch})\n', ""),
    ],
    "logging under a condition that never holds": [
        (_STEPS, ""),
        ('            if tracked:\n                wandb.log({"train_loss"', '            if tracked and False:\n                wandb.log({"train_loss"'),
    ],
    "no summary": [(_STEPS, ""), ('    wandb.summary["final_accuracy"] = accuracy\n', "")],
    "no step": [(_STEPS, ""), ("            optimiser.step()\n", "")],
    "another number": [(_STEPS, ""), ("accuracy = 0.0", "accuracy = 1.0")],
    "a bare pass": [(_STEPS, "    pass\n"), ("            loss.backward()\n", "            pass\n")],
}  # fmt: skip


@cases("wrong", WRONG)
def test_no_silence_about_an_absent_key(wrong: Sequence[tuple[str, str]]) -> None:
    told = _proofs("HY02", TRAIN, (_READ, _ABSENT), wrong)
    assert isinstance(told, Unproven), "it was proven"


SILENT_RAISES: Mapping[str, Sequence[tuple[str, str]]] = {
    "the raise is deleted": [('        raise ValueError("the proposed method is not there")\n', "        pass\n")],
    "it warns": [('        raise ValueError("the proposed method is not there")\n', '        print("not there")\n')],
    "the whole check is deleted": [(_RAISES.removesuffix(_READ), "")],
    "the check is never reached": [('if cfg.method == "proposed":', 'if cfg.method == "none":')],
    "the check is turned": [('if cfg.method == "proposed":', 'if cfg.method != "proposed":')],
    "it is an assertion of nothing": [
        ('        raise ValueError("the proposed method is not there")\n', "        assert True\n")
    ],
}  # fmt: skip


@cases("wrong", SILENT_RAISES)
def test_no_check_is_deleted(wrong: Sequence[tuple[str, str]]) -> None:
    run = "config/runs/proposed-mlp-agnews.yaml"
    sound = make_submission().by_path
    text = sound[TRAIN].text.replace(_READ, _RAISES)
    before = reviewed(make_submission({TRAIN: text}, {run: sound[run].text}))
    finding = next(each for each in before.report.findings if each.rule == "RC08")
    edits = []
    for old, new in wrong:
        start = text.index(old)
        edits.append(Edit(TRAIN, start, start + len(old), new))
    assert isinstance(prove(before, finding, Proposal("Be wrong", tuple(edits))), Unproven)


WEAKER: Mapping[str, tuple[str, Sequence[tuple[str, str]]]] = {
    "fewer epochs": (RUN, [("epochs: 5", "epochs: 1")]),
    "no search": (RUN, [("n_trials: 5", "n_trials: 0")]),
    "a smaller model": (RUN, [("width: 512", "width: 8")]),
    "another data set": (RUN, [("fancyzhx/ag_news", "stanfordnlp/imdb")]),
    "a key less": (RUN, [("  learning_rate: 1.0e-3\n", "")]),
    "no limit is a limit": ("config/config.yaml", [("limit_batches: null", "limit_batches: 10")]),
    "a failure of the child is let pass": ("src/main.py", [(", check=True", "")]),
    "a failure of the child is let pass in words": ("src/main.py", [("check=True", "check=False")]),
    "fewer rows": (
        "src/preprocess.py",
        [("rows = data[split]", "rows = data[split].select(range(100))")],
    ),
    "part of a split": (
        "src/preprocess.py",
        [("load_dataset(cfg.dataset.name,", 'load_dataset(cfg.dataset.name, split="train[:1%]",')],
    ),
    "no figure": ("src/evaluate.py", [("    figure.savefig(path)\n", "")]),
    "no file": (
        "src/evaluate.py",
        [('    (comparison / "aggregated_metrics.json").write_text(json.dumps(aggregated))\n', "")],
    ),
    "a lax comparison": ("src/evaluate.py", [("strict=True", "strict=False")]),
    "a test less": (
        "src/evaluate.py",
        [
            (
                "    test = ttest_ind(curves[proposed], curves[baseline], equal_var=False)\n",
                '    test = type("T", (), {"statistic": 1.0, "pvalue": 0.01})\n',
            )
        ],
    ),
}  # fmt: skip


@cases(("path", "wrong"), WEAKER)
def test_no_experiment_is_weakened(path: str, wrong: Sequence[tuple[str, str]]) -> None:
    """Beside a right repair, which alone is proven."""
    struct = ("    OmegaConf.set_struct(cfg, False)\n", "")
    sound = make_submission().by_path
    text = sound[TRAIN].text.replace(*struct)
    before = reviewed(with_one_run({TRAIN: text}))
    finding = next(each for each in before.report.findings if each.rule == "HY01")
    at = text.index("    cfg = OmegaConf.merge(")
    right = Edit(TRAIN, at, at, struct[0])
    assert isinstance(prove(before, finding, Proposal("Be right", (right,))), Proven)
    edits = [right]
    for old, new in wrong:
        start = before.submission.by_path[path].text.index(old)
        edits.append(Edit(path, start, start + len(old), new))
    assert isinstance(prove(before, finding, Proposal("Be wrong", tuple(edits))), Unproven)


@cases(
    ("text", "after"),
    {
        "once": ('f"run={cfg.run.run_id}"', 'f"run={cfg.run}"'),
        "twice": ('f"{cfg.run.run_id}: {cfg.run.run_id!r}"', 'f"{cfg.run}: {cfg.run!r}"'),
        "beside a like one": (
            'f"{cfg.run.run_ids} {cfg.run.run_id}"',
            'f"{cfg.run.run_ids} {cfg.run}"',
        ),
        "over several lines": (
            '(f"α {x} "\n    f"{cfg.run.run_id:>9}")',
            '(f"α {x} "\n    f"{cfg.run:>9}")',
        ),
        "as a text too": ('f"cfg.run.run_id={cfg.run.run_id}"', ""),
        "in another form": ('f"{cfg . run . run_id}"', ""),
    },
)
def test_what_is_in_an_f_string_is_edited_at_its_place_or_not_at_all(text: str, after: str) -> None:
    code = PythonEdits(Facts(make_submission({TRAIN: f"a = {text}\n"})), TRAIN)
    wanted = [node for node in code.file.of(ast.Attribute) if ast.unparse(node) == "cfg.run.run_id"]
    if not after:
        with pytest.raises(CannotEdit):
            code.put(wanted[0], "cfg.run")
        return
    edits = sorted(code.put(node, "cfg.run") for node in wanted)
    made = edited(SourceFile(TRAIN, f"a = {text}\n".encode()), edits)
    assert made.decode() == f"a = {after}\n"
