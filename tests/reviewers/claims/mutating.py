"""Real reviews changed at random, and what must stay true of their claims.

    python -m tests.reviewers.claims.mutating [NUMBER]

checks so many mutations (5,000 by default) of the labelled reviews, and prints what went wrong; the
test does a part of it.
"""

import json
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from reviewers.claims.check import check_claims
from reviewers.facts import Facts
from reviewers.records import Check, Failure
from reviewers.rules import run_rules
from tests.shared_data import LOGS, SHARED, opened

_SAME = 92.0
"""Likeness from which a mutated claim still says what the labelled one says."""
_STRAY = "`'\"*_-–•→\\()[]{}.,;:#\u00a0\u200b\u202e\ufffd\x00\t\né中"


@dataclass(frozen=True)
class Labelled:
    """A review with the facts of its submission and the claims that a person found true."""

    name: str
    text: str
    facts: Facts
    failures: Sequence[Failure]
    true: tuple[str, ...]

    def problems(self, text: str) -> Iterator[str]:
        """Yield what is wrong with the answer to a changed text."""
        findings = check_claims(text, self.facts, self.failures).findings
        said = {number: finding.claim or "" for number, finding in enumerate(findings)}
        for claim in self.true:
            best = process.extractOne(claim, said, scorer=fuzz.ratio, score_cutoff=_SAME)
            if best and findings[best[2]].check.result is Check.REFUTED:
                yield (
                    f"{self.name}: labelled true, refuted: {said[best[2]]}"
                    f" [{findings[best[2]].check.evidence}]"
                )
        for finding in findings:
            start, end = finding.claim_at or (0, 0)
            if finding.claim != text[start:end]:
                yield f"{self.name}: words that do not stand in the text: {finding.claim}"


def labelled(each: int = 1) -> list[Labelled]:
    """Every hand-labelled review, or one of so many."""
    made = []
    for path in sorted((SHARED / "labels").glob("*.json"))[::each]:
        label = json.loads(path.read_text("utf-8"))
        submission = opened(next(log for log in LOGS if log.stem == label["submission"]))
        facts = Facts(submission)
        true = tuple(claim["text"] for claim in label["claims"] if claim["truth"] == "true")
        dry_run = run_rules(facts).dry_run
        text = "\n".join(answer.text for answer in submission.recorded if answer.text)
        made.append(Labelled(path.stem, text, facts, dry_run.failures if dry_run else (), true))
    return made


def mutations(text: str, random: random.Random) -> str:
    """The text with one to six small changes."""
    for _ in range(random.randint(1, 6)):
        text = random.choice(_CHANGES)(text, random)
    return text


def _drop(text: str, random: random.Random) -> str:
    at = random.randrange(len(text) or 1)
    return text[:at] + text[at + 1 :]


def _insert(text: str, random: random.Random) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice(_STRAY) + text[at:]


def _swap(text: str, random: random.Random) -> str:
    at = random.randrange(max(len(text) - 1, 1))
    return text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :]


def _cut(text: str, random: random.Random) -> str:
    return text[: random.randrange(len(text) // 2, len(text) + 1)]


def _shuffle_lines(text: str, random: random.Random) -> str:
    lines = text.split("\n")
    random.shuffle(lines)
    return "\n".join(lines)


def _drop_line(text: str, random: random.Random) -> str:
    lines = text.split("\n")
    del lines[random.randrange(len(lines))]
    return "\n".join(lines)


def _double_line(text: str, random: random.Random) -> str:
    lines = text.split("\n")
    at = random.randrange(len(lines))
    return "\n".join([*lines[: at + 1], *lines[at:]])


def _rewrap(text: str, random: random.Random) -> str:
    words = text.split(" ")
    return "".join(word + random.choice((" ", " ", " ", "\n", "  ")) for word in words)


def _requote(text: str, random: random.Random) -> str:
    old, new = random.choice(
        (("`", "'"), ("'", "`"), ('"', "”"), ("`", "``"), ("“", '"'), ("’", "'"))
    )
    return text.replace(old, new)


def _remark(text: str, random: random.Random) -> str:
    old, new = random.choice(
        (
            ("\n- ", "\n* "),
            ("\n1. ", "\n(1) "),
            ("•", "-"),
            ("\n", "\r\n"),
            (": ", " – "),
            (". ", ".  "),
        )
    )
    return text.replace(old, new)


def _run_together(text: str, random: random.Random) -> str:
    return text.replace("\n", " ")


_CHANGES: tuple[Callable[[str, random.Random], str], ...] = (
    _drop, _insert, _swap, _cut, _shuffle_lines, _drop_line, _double_line, _rewrap, _requote, _remark, _run_together,  # noqa: E501
)  # fmt: skip


def run(number: int, seed: int = 0, each: int = 1) -> list[str]:
    """Check so many mutations of the reviews in turn, of one of so many; return what went wrong."""
    source = random.Random(seed)
    reviews = labelled(each)
    found: list[str] = []
    for count in range(number):
        review = reviews[count % len(reviews)]
        found += review.problems(mutations(review.text, source))
    return found


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    problems = run(number)
    print("\n".join(dict.fromkeys(problems)))
    print(f"{number} mutations, {len(problems)} problems")
