"""Guards the signs of the desk: each meaning has one shape and each shape one meaning, and no sign
is left to a font.
"""

import re
from pathlib import Path

from dashboard.attempt_comparison import FindingFate
from dashboard.parts.finding_fates import fate_counts

DASHBOARD = Path(__file__).parents[2] / "dashboard"
PARTS = DASHBOARD / "parts"
SIGNS = (PARTS / "signs.js").read_text("utf-8")
SHAPES = dict(re.findall(r"^  (\w+): (\[.+\]),$", SIGNS, re.MULTILINE))
GLYPH = re.compile(
    "[\u00d7\u2020-\u2022\u2039\u203a\u2190-\u21ff\u2300-\u23ff\u2460-\u27ff\u2900-\u2bff"
    "\U0001f000-\U0001faff]"
)
# Caps of keys show what is printed on them, and from one share to another leads an arrow.
ARROWS = {
    "keys.py": r'"[↑↓←→]"',
    "inbox_table.js": '"→"',
    "inbox_deciding.js": '"[↑↓]"',
    "decision_form.js": '"↑"',
    "answers.py": "} → {",
}


def written() -> list[Path]:
    return sorted(path for path in DASHBOARD.rglob("*.*") if path.suffix in {".js", ".py", ".css"})


def test_no_sign_is_left_to_a_font() -> None:
    found = []
    for path in written():
        text = re.sub(ARROWS.get(path.name, "$^"), "", path.read_text("utf-8"))
        shown = (line.strip() for line in text.splitlines())
        found += [
            f"{path.name}: {line}"
            for line in shown
            if GLYPH.search(line) and not line.startswith(("//", "#", "/*"))
        ]
    assert found == []


def test_each_meaning_has_one_shape_and_each_shape_one_meaning() -> None:
    declared = SIGNS.partition("const SIGNS = {\n")[2].partition("\n}\n")[0]
    lines = [line for line in declared.splitlines() if not line.lstrip().startswith("//")]
    assert len(SHAPES) == len(lines) > 15
    assert len(set(SHAPES.values())) == len(SHAPES)
    others = "".join(
        path.read_text("utf-8") for path in written() if path.name not in {"signs.js", "signs.css"}
    )
    assert [name for name in SHAPES if f'"{name}"' not in others] == []
    # No other script draws a mark, a verdict's pill or a shape, but for the curve of blockers.
    assert "reviewer-mark" not in re.sub(r"\.reviewer-mark", "", others)
    assert "verdict pill" not in others
    assert others.count("createElementNS") == 1


def test_fates_are_words_and_the_same_ones_everywhere() -> None:
    drawn = re.findall(r'(\w+): "([a-z ]+)"', (PARTS / "finding_fates.js").read_text("utf-8"))
    counted = fate_counts(dict.fromkeys(FindingFate, 1))
    assert [[fate, words, 1] for fate, words in drawn] == counted
