"""Guards that text decoded wrongly once is repaired for reading, that sound text is not, and that
bytes never change.
"""

import json
from pathlib import Path

import pytest

from reviewers.bundles import open_bundle
from tests.reviewers.bundles.bundle_files import TREE, log_text, write_log, write_tree

SOUND = "Loss ℓ ≤ 0.6 × average; “light” wind — naïve café, Ω∈ℝ, 東京"
CODECS = ["mac-roman", "cp1252", "latin-1"]


def damaged(text: str, codec: str = "mac-roman") -> str:
    """The text as UTF-8 bytes that were decoded with another codec; what cp1252 lacks became a
    control character.
    """
    if codec == "cp1252":
        return "".join(
            bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in text.encode()
        )
    return text.encode().decode(codec)


@pytest.mark.parametrize("codec", CODECS)
def test_context_answer_and_files_are_repaired_and_bytes_stay(tmp_path: Path, codec: str) -> None:
    wrong = damaged(SOUND, codec)
    raw = json.dumps({"is_code_ready": False, "code_issue": wrong}, ensure_ascii=False)
    kite = open_bundle(
        write_log(
            tmp_path / "k.txt",
            log_text(
                hypothesis=f"method={wrong!r} primary_metric='m'",
                method=wrong,
                design=f"- Strategy: {wrong}",
                criteria=wrong,
                code={"train_py": f"# {wrong}\nx = 1\n", "main_py": "y = 2\n"},
                answer=raw,
            ),
        )
    )
    context = kite.context
    assert [
        context.hypothesis["method"],
        context.method,
        context.design["Strategy"],
        context.criteria,
    ] == [SOUND] * 4
    assert (kite.recorded[0].raw, kite.recorded[0].text) == (raw, SOUND)
    train = kite.by_path["src/train.py"]
    assert train.data.decode() == f"# {wrong}\nx = 1\n"
    assert train.reading == f"# {SOUND}\nx = 1\n"
    assert kite.by_path["src/main.py"].repaired is None


def test_a_short_line_is_repaired_by_what_the_other_lines_show(tmp_path: Path) -> None:
    lines = [
        f"a: 1  # {damaged('0.6 × average')}",
        f"b: 2  # {damaged('used for ≤4k')}",
        f"c: 3  # {damaged('ℓ∈ℝ, Ω — “x”')}",
    ]
    alone = open_bundle(write_tree(tmp_path / "alone", TREE | {"config/config.yaml": lines[0]}))
    assert alone.by_path["config/config.yaml"].repaired is None
    together = open_bundle(
        write_tree(tmp_path / "together", TREE | {"config/config.yaml": "\n".join(lines)})
    )
    assert together.by_path["config/config.yaml"].reading.splitlines() == [
        "a: 1  # 0.6 × average",
        "b: 2  # used for ≤4k",
        "c: 3  # ℓ∈ℝ, Ω — “x”",
    ]


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(f"# {SOUND}\n", id="sound text"),
        pytest.param('text = text.replace("â€™", "\'")\n', id="code that mends text itself"),
        pytest.param("PAIRS = {'â€œ': '\"', 'Ã©': 'e'}\n", id="a table that mends text"),
        pytest.param("re.sub(r'â€™|â€˜', '', text)\n", id="a pattern that mends text"),
        pytest.param('text.replace("â€™", "’")\n', id="with the sound letter beside it"),
        pytest.param("html = '&amp; &lt;b&gt; &eacute;'\n", id="HTML"),
        pytest.param("quotes = '“” ‘’ ﬁ ｆｕｌｌ'\n", id="quotes and ligatures"),
        pytest.param("# Ünïcödé ÀÉÎ àéî — ÑÓ ßÅ\n", id="accents"),
        pytest.param("# √ó in π\n", id="letters that could be meant"),
    ],
)
def test_sound_code_is_not_touched(tmp_path: Path, code: str) -> None:
    kite = open_bundle(write_tree(tmp_path / "k", TREE | {"src/train.py": code}))
    assert kite.by_path["src/train.py"].repaired is None
    assert kite.by_path["src/train.py"].reading == code


def test_a_repaired_file_has_as_many_lines_by_every_count(tmp_path: Path) -> None:
    code = damaged("# naïve “light” wind\n# one … two Å three\n# ℓ ≤ 4\n", "latin-1")
    file = open_bundle(write_tree(tmp_path / "k", TREE | {"src/train.py": code})).by_path[
        "src/train.py"
    ]
    assert file.repaired is not None
    assert file.repaired.count("\n") == file.text.count("\n")
    assert len(file.repaired.splitlines()) == len(file.text.splitlines())
    assert "# naïve “light” wind" in file.repaired


def test_text_damaged_twice_is_repaired_twice(tmp_path: Path) -> None:
    twice = damaged(damaged("wind — “light”", "cp1252"), "cp1252")
    kite = open_bundle(write_log(tmp_path / "k.txt", log_text(method=twice)))
    assert kite.context.method == "wind — “light”"


def test_repaired_context_is_not_repaired_again(tmp_path: Path) -> None:
    tree = TREE | {"context.json": json.dumps({"method": damaged(SOUND)})}
    once = open_bundle(write_tree(tmp_path / "k", tree))
    again = open_bundle(
        write_tree(
            tmp_path / "k2", TREE | {"context.json": json.dumps({"method": once.context.method})}
        )
    )
    assert once.context == again.context
    assert once.id == again.id
