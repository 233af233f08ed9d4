# ruff: noqa: E501  an odd word is clearest on one line
"""Mutates real bundles, and looks that nothing gets past the review: `python -m tests.fuzzing 3000
--seed 1`.

One input is one bundle, changed in some places by its number and the seed alone. It goes the whole
way: opened, reviewed by rules and by what it brings along, written as JSON, text and SARIF. What is
reported of an input is enough to make it again: `--only NUMBER`.
"""

import argparse
import json
import random
import re
import sys
import tempfile
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from reviewers import settings
from reviewers.batch import Reviewed
from reviewers.bundles import open_bundle, open_bundles
from reviewers.bundles.sarif import read_sarif
from reviewers.bundles.submission_json import submission_to_json
from reviewers.claims.check import check_claims
from reviewers.cli.review_text import reviewed_text
from reviewers.errors import AreachairError
from reviewers.exports.review_json import review_json
from reviewers.exports.sarif import sarif_log
from reviewers.panel.checking import known_of
from reviewers.panel.reply import check_answer, read_reply
from reviewers.panel.review import review_all
from reviewers.records import Review, SourceFile, Submission
from reviewers.store.submission import record_of

MOST_SECONDS = 10.0  # of processor time, for one input
_MOST_WORDS = 30_000  # characters of what a reviewer says
_CRASHED = "it stopped with"  # what a review says where a check of a claim raised an error
_AT = datetime(2026, 1, 1, tzinfo=UTC)

_YAML = (
    '!!int ""', '!!float ""', '!!int "-"', "!!timestamp x", "!!bool x", "!!null x", "!!binary x",
    "!!omap [a]", "!!set [a]", "!!pairs [1]", "!!merge x", "!!value =", "!!seq x", "!!map x",
    "!!str [a]", "!!python/name:os.x", "!x y", "0x" + "f" * 6_000, "9" * 5_000, "1:2:3", ".inf",
    ".nan", "-.inf", "2026-13-45", "2026-01-01", "~", "", "''", "[]", "{}", "{? a}", "- a", "<<",
    "&a [*a]", "*b", "&a [x, x]", "|", ">-", "${q}", "${oc.env:HOME}", "${run", "???", "? a : b",
    "[" * 70 + "]" * 70, "1e400", "0o8", "0b", "1_000", "on", "\\x", "%TAG", "!!", "a: b: c",
)  # fmt: skip
_TOML = (
    "2026-01-01", "2026-01-01T00:00:00Z", "07:32:00", "9" * 5_000, "0x" + "f" * 6_000, "inf",
    "nan", "[]", "{}", "[[]]", '""', "[1, [2]]", "{a = 1}", "true", "'''", "-0", "1e999",
    '["a>=' + "1" * 5_000 + '"]', "[" * 200 + "]" * 200, "{x = {y = {}}}", '["torch @ file:///x"]',
)  # fmt: skip
_PYTHON = (
    "range(10**30)", "10**10**10", "0x" + "f" * 6_000, "9" * 5_000, "[x for x in " * 12 + "[]" + "]" * 12,
    "{k: v for k, v in " * 6 + "{}.items()" + "}" * 6, "(" * 80 + ")" * 80, "lambda: " * 30 + "0", "f'{x!r:{y}}'",
    "*a", "**b", "a := 1", "yield", "await x", "int('9' * 5000)", "'a' * 10**9", "[0] * 10**9", "1e999",
    "float('nan')", "cfg[cfg]", "cfg.a.b.c.d", "not not not x", "-" * 90 + "1", "x[" * 40 + "0" + "]" * 40,
    "int(1e999)", "int('f' * 9, 16)", "str(x)[::0]", "range(1, 2, 0)", "{}[[]]", "dict([1])", "max()",
    "OmegaConf.merge(cfg, cfg, cfg)", "OmegaConf.create('a: !!int \"\"')", "OmegaConf.load(cfg)",
    "cfg.update(cfg)", "setattr(cfg, 'a', cfg)", "Path('/').parents[99]", "'{}'.format(*x)", "'%d' % 'a'",
    "x.y" * 30, "if x:", "else:", "class A(A): pass", "def f(f=f): return f(f)", "global x", "del cfg",
    "from . import *", "import src.main", "with x as y: pass", "match x:", "try:", "return", "...",
)  # fmt: skip
_TEXT = (
    "\0", "\x1a", "\x1b[31m", "\ufeff", "\u202e", "\u2028", "\x85", "\x0c", "\r", "\r\n", "\t", " " * 3_000,
    "𝔞", "ﬁ", "\u0301" * 50, "\ud800", "<script>", "`" * 40, "$(x)", "\\u003e", "{{", "}}", "'''", '"""',
    "a" * 5_000, "(" * 500, "src/" * 200, "line 99999999999999999999", "1" * 5_000, "- " * 300, "`a.b` " * 80,
)  # fmt: skip
_TOKEN = re.compile(r"\w+|[^\w\s]|\s+")
_WORDS_OF = {".yaml": _YAML, ".yml": _YAML, ".toml": _TOML, ".py": _PYTHON}


@dataclass(frozen=True, slots=True)
class Tried:
    """What happened to one input."""

    number: int
    kind: str
    seconds: float
    steps: int
    refused: bool
    stopped: tuple[str, ...]
    trouble: str | None


def sources(most_files: int | None = None) -> list[Path]:
    """The bundles that are mutated: those of the wheel, and the real logs where they are."""
    own = settings.sample_bundles()
    found = sorted(path for path in own.iterdir() if not path.name.endswith(".expected.toml"))
    shared = own.parent.parent / "shared"
    for folder in ("seeds", "logs"):
        if (shared / folder).is_dir():
            found += sorted((shared / folder).iterdir())[::6]
    return found[:most_files]


def tried(number: int, seed: int, bundles: Sequence[Path]) -> Tried:
    """Make one input and send it the whole way."""
    chance = random.Random(f"{seed} {number}")
    kind = list(_KINDS)[number % len(_KINDS)]
    start = time.process_time()
    reviewed: list[tuple[Submission, tuple[Review, ...]]] = []
    refused, trouble = False, None
    with tempfile.TemporaryDirectory(prefix="areachair-") as folder:
        try:
            reviewed.extend(_KINDS[kind](chance, chance.choice(bundles), Path(folder)))
        except AreachairError:
            refused = True
        except Exception:  # noqa: BLE001  what this script looks for
            trouble = traceback.format_exc()
    steps = 0
    stopped: list[str] = []
    for submission, reviews in reviewed:
        steps = max(steps, known_of(submission).facts.steps.taken)
        try:
            report = known_of(submission).report
            lines = report.partial
            stopped += lines
            said = [line for review in reviews for line in review.partial if _CRASHED in line]
            trouble = trouble or "; ".join((*report.crashed, *said)) or None
            trouble = trouble or _unshown(submission, reviews, lines)
        except Exception:  # noqa: BLE001  what this script looks for
            trouble = traceback.format_exc()
    seconds = time.process_time() - start
    if trouble is None and seconds > MOST_SECONDS:
        trouble = f"{seconds:.1f} s of processor time"
    return Tried(number, kind, seconds, steps, refused, tuple(stopped), trouble)


def _unshown(
    submission: Submission,
    reviews: tuple[Review, ...],
    lines: Sequence[str],
) -> str | None:
    """A rule that stopped, and of which an output says nothing."""
    text = reviewed_text(Reviewed(submission, reviews))
    outputs = {
        "JSON": json.dumps(review_json(submission, reviews)),
        "text": text,
        "SARIF": json.dumps(sarif_log([record_of(submission, reviews, _AT)])),
    }
    if any(review.reviewer == "rules" for review in reviews):
        for name, output in outputs.items():
            if lines and (json.dumps(lines[0])[1:-1] not in output and lines[0] not in output):
                return f"{lines[0]!r} is not shown in {name}"
    if lines and any(
        str(review.verdict) == "ready" and review.reviewer == "rules" for review in reviews
    ):
        return "ready, though it is partial"
    return None


_Reviewed = Iterator[tuple[Submission, tuple[Review, ...]]]


def _all_of(path: Path) -> _Reviewed:
    for submission in open_bundles(path):
        yield submission, review_all(submission)


def _log(chance: random.Random, source: Path, folder: Path) -> _Reviewed:
    """The bytes or words of a log."""
    path = folder / "log.txt"
    if source.is_dir():
        yield from _folder(chance, source, folder)
        return
    path.write_bytes(_changed_bytes(chance, source.read_bytes()))
    yield from _all_of(path)


def _folder(chance: random.Random, source: Path, folder: Path) -> _Reviewed:
    """Files of a folder."""
    root = folder / "bundle"
    for file in _mutated(chance, source):
        place = root / file.path
        if place.resolve().is_relative_to(root.resolve()):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.data)
    yield from _all_of(root)


def _archive(chance: random.Random, source: Path, folder: Path) -> _Reviewed:
    """The bytes of an archive, or the files in it."""
    path = folder / "bundle.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for file in _mutated(chance, source):
            archive.writestr(file.path, file.data)
    if chance.random() < 0.5:
        path.write_bytes(_changed_bytes(chance, path.read_bytes()))
    yield from _all_of(path)


def _json_line(chance: random.Random, source: Path, folder: Path) -> _Reviewed:
    """A line of an export, its values and its bytes."""
    value = submission_to_json(_opened(source))
    for _ in range(chance.randint(1, 3)):
        _change_value(chance, value)
    path = folder / "bundle.jsonl"
    text = json.dumps(value)
    data = text.encode()
    path.write_bytes(_changed_bytes(chance, data) if chance.random() < 0.5 else data)
    yield from _all_of(path)


def _submission(chance: random.Random, source: Path, folder: Path) -> _Reviewed:
    """Files and run configs, past the doors of the formats."""
    known = _opened(source)
    files = {file.path: file for file in _mutated(chance, source)}
    runs = tuple(
        replace(run, file=files[run.file.path]) if run.file.path in files else run
        for run in known.runs
    )
    own = tuple(files.get(file.path, file) for file in known.files)
    made = Submission(
        known.name, "fuzzed", own, runs, context=known.context, recorded=known.recorded
    )
    yield made, review_all(made)


def _words(chance: random.Random, source: Path, folder: Path) -> _Reviewed:
    """A reviewer's words, in free text and as the answer of a model."""
    known = _opened(source)
    said = known.recorded[0].text if known.recorded else None
    text = said or "1. `src/train.py` line 3: the name `x` is not defined.\n2. No tests."
    text = _changed_text(chance, text, _TEXT)[:_MOST_WORDS]
    mine = known_of(known)
    checked = [check_claims(text, mine.facts, mine.failures)]
    finding = {
        "message": text[:3_000],
        "file": "src/train.py",
        "line": chance.choice([1, -5, "9" * 5_000, None]),
    }
    answer = json.dumps({"verdict": "not_ready", "findings": [finding] * chance.randint(1, 3)})
    reply = read_reply(
        _changed_text(chance, answer, _TEXT) if chance.random() < 0.5 else answer, "findings"
    )
    checked.append(check_answer(reply, mine.facts, mine.failures))
    assert [line for report in checked for line in report.partial if _CRASHED in line] == []
    yield known, review_all(known)


def _sarif(chance: random.Random, source: Path, folder: Path) -> _Reviewed:
    """A SARIF log of another tool."""
    known = _opened(source)
    value = sarif_log([record_of(known, review_all(known), _AT)])
    for _ in range(chance.randint(1, 4)):
        _change_value(chance, value)
    text = json.dumps(value)
    text = _changed_text(chance, text, _TEXT) if chance.random() < 0.4 else text
    read_sarif(text.encode("utf-8", "replace"), "fuzzed.sarif")
    yield known, review_all(known)


_KINDS: dict[str, Callable[[random.Random, Path, Path], _Reviewed]] = {
    "submission": _submission,
    "log": _log,
    "files": _submission,
    "folder": _folder,
    "archive": _archive,
    "configs": _submission,
    "jsonl": _json_line,
    "words": _words,
    "sarif": _sarif,
}
_read: dict[Path, Submission] = {}


def _opened(source: Path) -> Submission:
    if source not in _read:
        _read[source] = open_bundle(source)
    return _read[source]


def _mutated(chance: random.Random, source: Path) -> list[SourceFile]:
    """Every file of a bundle, one to three of them changed."""
    files = dict(_opened(source).by_path)
    for path in chance.sample(sorted(files), min(len(files), chance.randint(1, 3))):
        old = files[path]
        words = next((w for end, w in _WORDS_OF.items() if path.endswith(end)), _TEXT)
        text = _changed_text(chance, old.text, words)
        data = text.encode("utf-8", "surrogatepass" if chance.random() < 0.1 else "replace")
        files[path] = SourceFile(
            path, _changed_bytes(chance, data) if chance.random() < 0.1 else data
        )
    return list(files.values())


def _changed_text(chance: random.Random, text: str, words: Sequence[str]) -> str:
    for _ in range(chance.randint(1, 4)):
        lines = text.split("\n")
        at = chance.randrange(len(lines))
        word = chance.choice(words if chance.random() < 0.8 else _TEXT)
        match chance.randrange(9):
            case 0:  # a value
                head, sign, _old = lines[at].partition("=" if "=" in lines[at] else ":")
                lines[at] = f"{head}{sign} {word}"
            case 1:  # a line of its own, as deep as the one before it
                lines.insert(at, re.match(r"\s*", lines[at])[0] + word)  # type: ignore[index]
            case 2:
                lines.insert(at, re.match(r"\s*", lines[at])[0] + f"zz: {word}")  # type: ignore[index]
            case 3:  # a token
                tokens = _TOKEN.findall(lines[at]) or [""]
                tokens[chance.randrange(len(tokens))] = word
                lines[at] = "".join(tokens)
            case 4:
                del lines[at : at + chance.randint(1, 5)]
            case 5:  # the same again, often
                lines[at:at] = lines[at : at + chance.randint(1, 8)] * chance.choice((2, 30))
            case 6:
                other = chance.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
            case 7:
                lines[at] = chance.choice(("    ", " ", "\t", "- ")) + lines[at]
            case 8:
                lines = lines[:at] if chance.random() < 0.3 else lines
        text = "\n".join(lines)[:2_000_000]
    return text


def _changed_bytes(chance: random.Random, data: bytes) -> bytes:
    made = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(made) + 1)
        match chance.randrange(6):
            case 0:
                made[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                del made[at : at + chance.randint(1, 200)]
            case 2:
                made[at:at] = chance.choice(_TEXT).encode("utf-8", "surrogatepass")
            case 3:
                made[at:at] = chance.choice(_YAML + _PYTHON + _TOML).encode()
            case 4:
                del made[at if chance.random() < 0.2 else len(made) :]
            case 5:
                made[at:at] = made[at : at + 300]
    return bytes(made)


def _change_value(chance: random.Random, value: object) -> None:
    """Change something somewhere within parsed JSON, in place."""
    odd = (None, True, -1, 10**30, 1.5, "", "x" * 500, [], {}, [[]], {"a": None}, *_TEXT)
    while True:
        keys: list[object] = []
        if isinstance(value, dict):
            keys = list(value)
        elif isinstance(value, list):
            keys = list(range(len(value)))
        if not keys:
            return
        key = chance.choice(keys)
        inner = value[key]  # type: ignore[index]
        if not isinstance(inner, dict | list) or not inner or chance.random() < 0.2:
            if chance.random() < 0.3:
                del value[key]  # type: ignore[attr-defined]
            else:
                value[key] = chance.choice(odd)  # type: ignore[index]
            return
        value = inner


def main(words: Sequence[str] | None = None) -> int:
    """Try so many inputs, say what each trouble is, and in the end what there was."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzzing", description=__doc__)
    parser.add_argument("count", nargs="?", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="the number of the one input to make")
    given = parser.parse_args(words)
    bundles = [path for path in sources() if _is_readable(path)]
    numbers = range(given.count) if given.only is None else [given.only]
    done: list[Tried] = []
    for number in numbers:
        one = tried(number, given.seed, bundles)
        done.append(one)
        if one.trouble is not None:
            print(f"--- input {number} ({one.kind}): {one.trouble}", flush=True)
    troubles = [one for one in done if one.trouble]
    stops = Counter(line.partition(":")[0] for one in done for line in one.stopped)
    slowest = sorted(done, key=lambda one: -one.seconds)[:3]
    print(
        f"{len(done)} inputs, {len(troubles)} troubles, {sum(one.refused for one in done)} refused,"
        f" {sum(bool(one.stopped) for one in done)} partial ({dict(stops.most_common(8))});"
        f" at most {max(one.steps for one in done):,} steps; slowest:"
        f" {', '.join(f'{one.number} {one.kind} {one.seconds:.2f} s' for one in slowest)}"
    )
    return 1 if troubles else 0


def _is_readable(path: Path) -> bool:
    try:
        _opened(path)
    except AreachairError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
