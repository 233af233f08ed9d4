"""Three attempts of one lineage with reviews by the rules, for the tests on what happened to code
and findings.
"""

from dataclasses import dataclass, replace

from reviewers.records import Check, Finding, ResearchContext, Review, Severity, Span, Verdict
from reviewers.store import Store
from tests.builders import make_submission
from tests.dashboard.desk import claim, flag

TRAIN = (
    "import os\n\n\ndef start(cfg):\n"
    + "".join(f"    step_{n} = {n}\n" for n in range(40))
    + "    rate = cfg.lr\n    stop = cfg.stop\n    return rate\n"
)
CHANGED = TRAIN.replace("cfg.lr", "cfg.optim.lr").replace("    stop = cfg.stop\n", "")

_ELSEWHERE = ResearchContext(
    hypothesis={"open_problems": "Tides are hard to foretell."},
    method="A table of moons is fitted.",
)


@dataclass(frozen=True)
class Attempted:
    """Ids of the attempts, the first first, and of a submission of another lineage."""

    first: str
    second: str
    third: str
    other: str


def keep_attempts(store: Store, train: str = TRAIN, changed: str = CHANGED) -> Attempted:
    """Keep attempts with findings that stay, are fixed, come and come back, and a claim that is
    dropped.
    """
    stays, back = (
        _flag("TR01", "os is imported", 1),
        _flag("EV09", "no figure", None, "src/evaluate.py"),
    )
    fixed = _flag("HY05", "`cfg.stop` is nowhere", 46)
    text = "ConfigAttributeError: `cfg.optim` is nowhere"
    new = replace(_flag("MO02", text, 45), names=(text,))
    said = claim("The data may leak.", span=Span("src/train.py", 5), severity=Severity.MAJOR)
    lie = claim(
        "Syntax error: train.py does not parse.", Check.REFUTED, span=Span("src/train.py", 1)
    )
    texts = (train, train, changed)
    files = [
        {
            "src/train.py": text,
            "src/extra.py": f"# {n}\n",
            **({"src/old.py": "x = 1\n"} if n < 2 else {}),
        }
        for n, text in enumerate(texts)
    ]
    found = ((stays, back), (stays, fixed), (stays, new, back))
    ids = []
    for number, (texts_now, findings) in enumerate(zip(files, found, strict=True), 1):
        submission = make_submission(
            texts_now, name=f"exp_{number:02d}", lineage="exp", attempt=number
        )
        recorded = Review(
            reviewer="recorded",
            verdict=Verdict.NOT_READY,
            findings=(said, lie) if number < 3 else (),
            model="o9",
            text="t",
            raw="{}",
        )
        store.add(
            submission,
            (Review(reviewer="rules", verdict=Verdict.NOT_READY, findings=findings), recorded),
        )
        ids.append(submission.id)
    other = make_submission(
        {"src/train.py": "y = 2\n"},
        {"lone-run": "run_id: lone-run\n"},
        name="another",
        context=_ELSEWHERE,
    )
    store.add(other, (Review(reviewer="rules", verdict=Verdict.READY),))
    return Attempted(*ids, other.id)


def _flag(rule: str, message: str, line: int | None, file: str = "src/train.py") -> Finding:
    return flag(rule, Span(file, line), id=f"{rule.lower()}00000000000", message=message)
