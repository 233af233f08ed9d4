"""Guards what happened to each finding between two attempts: nothing twice, nothing lost, the same
from both ends.
"""

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewers.matching.attempts import FindingState, How, carried_rulings, match
from reviewers.matching.traces import Side
from reviewers.records import (
    Check,
    FactCheck,
    Finding,
    Found,
    Misreading,
    Place,
    Ruling,
    Severity,
    Span,
)
from tests.reviewers.attempts.making import make_side, make_submission

TRAIN = """\
import torch


def prepare(cfg):
    loader = make_loader(cfg.batch_size)
    return loader


def train(cfg):
    model = build(cfg.width)
    for batch in prepare(cfg):
        loss = model(batch).sum()
        loss.backward()
    return model
"""
MOVED = TRAIN.replace("import torch\n", "import os\nimport torch\n\nLIMIT = 3\n")
RENAMED = TRAIN.replace("train(", "fit(")
PATH = "src/train.py"


def line_of(text: str, code: str) -> int:
    return next(number for number, line in enumerate(text.split("\n"), 1) if code in line)


def side(text: str, *marked: tuple[str, str, str], path: str = PATH, claims: bool = False) -> Side:
    """A side of one file with a finding for each (rule or kind, code on its line, message)."""
    return make_side(
        {path: text},
        [(says, path, line_of(text, code), message) for says, code, message in marked],
        claims,
    )


def also(side: Side, *lines: int) -> Side:
    """The side with further places of its only finding."""
    (finding,) = side.findings
    places = tuple(Place(Span(PATH, line), Found.AGAIN) for line in lines)
    return Side(side.submission, (replace(finding, places=places),))


BACKWARD = ("MO01", "loss.backward", "this backward pass ends in RuntimeError")
UNPARSED = side(
    TRAIN, ("syntax", "loss.backward", "this line is no valid Python at all"), claims=True
)
REFUTED = FactCheck(Check.REFUTED, "it parses", misreading=Misreading.MISREAD_CODE)


def unread(*names: str) -> Side:
    listed = ", ".join(f"`{name}`" for name in names)
    return make_side({PATH: TRAIN}, [("RC01", PATH, None, f"{listed} are read by nothing")])


def too_early(text: str, name: str) -> Side:
    message = f"the value `{name}` is read in train.py before it is set"
    return side(text, ("undefined-name", "for batch", message), claims=True)


KNOWN = {
    "other lines above it": (
        side(TRAIN, BACKWARD),
        side(MOVED, BACKWARD),
        (FindingState.UNCHANGED, How.SAME),
    ),
    "the same code in another definition": (
        side(TRAIN, BACKWARD),
        side(TRAIN.replace("def train(cfg):", "def main(cfg):\n    manual_seed(0)"), BACKWARD),
        (FindingState.MOVED, How.CODE),
    ),
    "a renamed definition": (
        side(TRAIN, ("MO02", "def train", "`train` returns a model")),
        side(RENAMED, ("MO02", "def fit", "`fit` returns a model")),
        (FindingState.MOVED, How.RENAMED),
    ),
    "another file": (
        side(TRAIN, BACKWARD),
        side(TRAIN, BACKWARD, path="src/model.py"),
        (FindingState.MOVED, How.FILE),
    ),
    "the same message but for numbers": (
        side(TRAIN, ("MO01", "loss.backward", "stops in epoch 1")),
        side(
            TRAIN.replace("loss.backward()", "scaled(loss).backward()"),
            ("MO01", ".backward", "stops in epoch 3"),
        ),
        (FindingState.UNCHANGED, How.MESSAGE),
    ),
    "the line that stands for it": (
        side(TRAIN, ("MO01", "loss = model", "`model(batch).sum()` sums over the batch as well")),
        side(
            TRAIN.replace("model(batch).sum()", "model(batch.data).sum()"),
            ("MO01", "loss = model", "`model(batch.data).sum()` sums over the batch as well"),
        ),
        (FindingState.UNCHANGED, How.LINE),
    ),
    "a list that overlaps": (
        unread("width", "depth", "seed"),
        unread("depth", "rate", "decay"),
        (FindingState.UNCHANGED, How.WORDING),
    ),
    "one finding that tells all its places": (
        also(side(TRAIN, ("HY04", "cfg.width", "`width` is not there")), 5),
        also(
            side(MOVED, ("HY04", "cfg.batch_size", "`batch_size` is not there")),
            line_of(MOVED, "cfg.width"),
        ),
        (FindingState.MOVED, How.AMONG),
    ),
    "a claim of the same kind and place in other words": (
        side(
            TRAIN,
            (
                "gradient-flow",
                "loss.backward",
                "`loss.backward` is called without `zero_grad` before",
            ),
            claims=True,
        ),
        side(
            MOVED,
            ("gradient-flow", "for batch", "before `loss.backward` there is no `zero_grad` called"),
            claims=True,
        ),
        (FindingState.UNCHANGED, How.WORDING),
    ),
    "a refuted claim that is made again": (
        Side(
            UNPARSED.submission,
            tuple(replace(finding, check=REFUTED) for finding in UNPARSED.findings),
        ),
        UNPARSED,
        (FindingState.UNCHANGED, How.SAME),
    ),
}
LAYERS = TRAIN + "\nlayer_1 = build(1)\nlayer_2 = build(2)\n"
NEW = {
    "another key": (
        side(LAYERS, ("HY02", "cfg.width", "`model.width` is not there")),
        side(LAYERS, ("HY02", "cfg.batch_size", "`data.batch_size` is not there")),
    ),
    "another rule": (
        side(LAYERS, ("MO01", "loss.backward", "stops here")),
        side(LAYERS, ("MO07", "loss.backward", "stops here")),
    ),
    "names that differ in a digit": (
        side(LAYERS, ("MO01", "layer_1", "`layer_1` is never used")),
        side(LAYERS, ("MO01", "layer_2", "`layer_2` is never used")),
    ),
    "a claim in equal words about another name": (
        too_early(TRAIN, "learning_rate"),
        too_early(MOVED, "batch_size"),
    ),
}


@pytest.mark.parametrize(("before", "after", "wanted"), KNOWN.values(), ids=KNOWN)
def test_a_defect_is_known_again(
    before: Side, after: Side, wanted: tuple[FindingState, How]
) -> None:
    found = match(before, after)
    assert [(pair.state, pair.how) for pair in found.pairs] == [wanted]
    assert not found.fixed
    assert not found.new


@pytest.mark.parametrize(("before", "after"), NEW.values(), ids=NEW)
def test_another_defect_is_new_and_the_old_one_fixed(before: Side, after: Side) -> None:
    found = match(before, after)
    assert (len(found.pairs), len(found.fixed), len(found.new)) == (0, 1, 1)


def test_of_two_that_are_alike_only_the_nearer_one_is_paired() -> None:
    text = TRAIN + "\nfirst = scale(model(batch), 1.0)\nother = scale(model(batch, True), 1.0)\n"
    marks = [
        ("MO01", f"{name} = scale", f"`{name} = scale` overflows in half precision")
        for name in ("first", "other")
    ]
    before = side(text, *marks)
    after = side(
        text.replace("first = scale(model(batch)", "first = scale(model(batch.data)").replace(
            "other = ", "another = "
        ),
        ("MO01", "first = scale", "`first = scale(…)` overflows in half precision"),
    )
    for found in (match(before, after), match(after, before)):
        assert len(found.pairs) == 1
        assert found.pairs[0].before.message.startswith("`first")
        assert len(found.fixed) + len(found.new) == 1


def test_of_equal_findings_those_on_lines_that_stayed_are_paired() -> None:
    text = "start = 1\nstep()\nmiddle = 2\nstep()\nend = 3\nstep()\n"
    before = make_side({PATH: text}, [("MO01", PATH, line, "stops") for line in (2, 4, 6)])
    later = text.replace("start = 1\nstep()\n", "")
    found = match(
        before, make_side({PATH: later}, [("MO01", PATH, line, "stops") for line in (2, 4)])
    )
    assert [(pair.before.span, pair.after.span) for pair in found.pairs] == [
        (Span(PATH, 4), Span(PATH, 2)),
        (Span(PATH, 6), Span(PATH, 4)),
    ]
    assert [finding.span for finding in found.fixed] == [Span(PATH, 2)]


def test_a_ruling_follows_its_finding() -> None:
    before = side(
        TRAIN,
        BACKWARD,
        ("HY02", "cfg.width", "`width` is not there"),
        ("MO03", "import torch", "unused"),
    )
    after = side(MOVED, BACKWARD, ("MO03", "import torch", "unused"))
    was = {finding.rule: finding.id for finding in before.findings}
    now = {finding.rule: finding.id for finding in after.findings}
    rulings = {
        was["MO01"]: Ruling.DISMISS,
        was["HY02"]: Ruling.CONFIRM,
        was["MO03"]: Ruling.WITHDRAWN,
        "unknown": Ruling.CONFIRM,
    }
    assert carried_rulings(match(before, after), rulings) == {
        now["MO01"]: (Ruling.DISMISS, was["MO01"])
    }


def test_a_moved_function_takes_all_its_findings_along() -> None:
    text = TRAIN.split("\n\n\n")
    turned = "\n\n\n".join([text[0], text[2].rstrip("\n"), text[1]]) + "\n"
    marks = [
        ("MO01", code, f"about {code}")
        for code in ("make_loader", "build(", "for batch", "loss.backward", "return model")
    ]
    found = match(side(TRAIN, *marks), side(turned, *marks))
    assert {pair.how for pair in found.pairs} == {How.SAME}
    assert len(found.pairs) == len(marks)


LINES = st.sampled_from(
    [
        "x = 1", "step()", "def one():", "    y = 2", "    step()", "def two():", "class Three:",
        "", "broken (",
    ]
)  # fmt: skip
MARKS = st.tuples(
    st.sampled_from(["MO01", "HY02"]),
    st.sampled_from(["src/a.py", "src/b.py", "config/config.yaml", "gone.py"]),
    st.sampled_from([None, 1, 2, 3, 5, 8, 99]),
    st.sampled_from(
        [
            "`a.lr` is not there",
            "`a.rate` is not there",
            "stops in line 3",
            "stops in line 4",
            "",
            "`x` `y`",
        ]
    ),
)
FILES = st.fixed_dictionaries(
    {
        path: st.lists(LINES, max_size=9).map("\n".join)
        for path in ("src/a.py", "src/b.py", "config/config.yaml")
    }
)
SIDES = st.builds(make_side, FILES, st.lists(MARKS, max_size=10), st.booleans())


def ids(findings: tuple[Finding, ...]) -> Counter[str]:
    return Counter(finding.id for finding in findings)


@given(SIDES, SIDES, st.randoms(use_true_random=False))
def test_both_sides_are_parted_without_loss_in_whatever_order_they_come(
    before: Side, after: Side, rng: random.Random
) -> None:
    found = match(before, after)
    assert ids((*(pair.before for pair in found.pairs), *found.fixed)) == ids(before.findings)
    assert ids((*(pair.after for pair in found.pairs), *found.new)) == ids(after.findings)
    mixed = (
        Side(each.submission, tuple(rng.sample(each.findings, len(each.findings))))
        for each in (before, after)
    )
    assert match(*mixed) == found


@given(SIDES)
def test_a_side_against_itself_is_all_unchanged(one: Side) -> None:
    found = match(one, one)
    assert not found.fixed
    assert not found.new
    assert all(
        pair.state is FindingState.UNCHANGED and pair.before == pair.after for pair in found.pairs
    )


@given(SIDES, SIDES)
def test_the_other_way_round_what_was_new_is_fixed(before: Side, after: Side) -> None:
    forth, back = match(before, after), match(after, before)
    assert ids(forth.new) == ids(back.fixed)
    assert ids(forth.fixed) == ids(back.new)
    assert {(pair.before.id, pair.after.id, pair.state, pair.how) for pair in forth.pairs} == {
        (pair.after.id, pair.before.id, pair.state, pair.how) for pair in back.pairs
    }


FUNCTIONS = st.lists(
    st.sampled_from(["alpha", "beta", "gamma", "delta"]), min_size=2, max_size=4, unique=True
)


@given(
    FUNCTIONS,
    st.randoms(use_true_random=False),
    st.lists(st.integers(0, 2), min_size=1, max_size=3, unique=True),
)
def test_functions_in_another_order_keep_all_their_findings(
    names: list[str], rng: random.Random, lines: list[int]
) -> None:
    def written(order: list[str]) -> Side:
        text = "\n".join(f"def {name}(x):\n    first = x + 1\n    return first\n" for name in order)
        marks = [
            ("MO01", PATH, 4 * order.index(name) + 1 + line, "stops")
            for name in names
            for line in lines
        ]
        return make_side({PATH: text}, marks)

    found = match(written(names), written(rng.sample(names, len(names))))
    assert not found.new
    assert not found.fixed


def test_ten_thousand_findings_a_side_are_matched_within_seconds() -> None:
    rng = random.Random(3)
    words = ["".join(rng.choices("abcdefgh", k=6)) for _ in range(300)]
    text = "\n".join(f"value = compute({number})" for number in range(5000))

    def drawn(name: str) -> Side:
        findings = tuple(
            Finding(
                id=f"{rng.getrandbits(60):x}",
                rule="MO01",
                category="tensor-or-runtime",
                severity=Severity.MAJOR,
                message=" ".join(rng.choices(words, k=12)),
                span=Span(PATH, rng.randrange(1, 5000)),
                check=FactCheck(Check.CONFIRMED, name),
            )
            for _ in range(10_000)
        )
        return Side(make_submission({PATH: text, "name": name}), findings)

    found = match(drawn("before"), drawn("after"))
    assert len(found.pairs) + len(found.fixed) == len(found.pairs) + len(found.new) == 10_000


def test_what_is_no_longer_told_though_its_code_stands_there_is_marked() -> None:
    marks = [("MO01", "loss.backward", "stops"), ("MO02", "make_loader", "is slow")]
    later = side(
        TRAIN.replace("make_loader(cfg.batch_size)", "[]").replace("return model", "return None")
    )
    found = match(side(TRAIN, *marks), later)
    assert [finding.rule for finding in found.fixed] == ["MO01", "MO02"]
    assert [finding.rule for finding in found.standing] == ["MO01"]
