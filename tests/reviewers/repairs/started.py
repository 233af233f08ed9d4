"""Own submissions with a defect, really started with Hydra and stub libraries before and after
their repair: `python -m tests.reviewers.repairs [WORD…]` prints what happened to those whose family
or name has one of the words.

Nothing but the tests' own submissions, and what the repairs make of them, is started here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from reviewers.bundles import open_bundle
from reviewers.records import Failure, Submission
from reviewers.repairs import Plan, planned
from tests.mutants.bases import Extent, bases
from tests.mutants.measure import fits
from tests.mutants.tree import Mutation
from tests.mutants.world import Met, World
from tests.reviewers.repairs.wheels import Index

_OWN = Path(__file__).parent / "adapter_submission"
Change = str | tuple[tuple[str, str], ...] | None


@dataclass(frozen=True)
class Case:
    """A sound submission with a defect.

    Attributes:
        base: the name of the sound one.
        rule: whose finding the first failure is.
        error: the class of what is raised; `uv` where the installer refuses the project.
        changes: by path: old and new texts, a whole text, or None for a file that is taken away.
        cured: a path and what stands there when the cause is cured; empty where any cure will do.
    """

    family: str
    name: str
    base: str
    rule: str
    error: str
    changes: Mapping[str, Change]
    cured: tuple[str, str] = ("", "")

    @property
    def files(self) -> dict[str, str]:
        """The texts of the submission by path."""
        files = dict(sound()[self.base])
        for path, change in self.changes.items():
            if change is None:
                del files[path]
            elif isinstance(change, str):
                files[path] = change
            else:
                for old, new in change:
                    assert old in files[path], f"{self.name}: {path} has no {old!r}"
                    files[path] = files[path].replace(old, new)
        return files


@cache
def sound() -> Mapping[str, Mapping[str, str]]:
    """The submissions without a defect by name: those of the mutants, and one with a Trainer."""
    own = {
        path.relative_to(_OWN).as_posix(): path.read_text("utf-8")
        for path in sorted(_OWN.rglob("*.*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    return {**dict(bases(Extent())), "adapters": own}


@dataclass
class Judged:
    """What happened to a case.

    Attributes:
        met: what its commands met first; a text where it is uv that refused it.
        then: the same for the version after all repairs.
        faults: what is not as it should be, before and after.
    """

    case: Case
    met: Met | str | None = None
    then: Met | str | None = None
    plan: Plan | None = None
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)

    @property
    def faults(self) -> Sequence[str]:
        return [*self.before, *self.after]

    def __str__(self) -> str:
        """In full where something is not as it should be."""
        mark = "ok  " if not self.faults else "MISS"
        lines = [f"{mark} {self.case.family}: {self.case.name} ({self.case.base})"]
        if not self.faults:
            return lines[0]
        lines.append(f"    met:   {self.met or 'it starts'}")
        if self.plan:
            lines += [f"    said:  {one.sentence[:300]}" for one in self.plan.first.failures[:1]]
            lines += [
                f"    repair {one.finding.rule} {one.finding.span}: {one.intent}"
                for one in self.plan.repairs
            ]
            for finding, reasons in self.plan.unrepaired:
                lines.append(f"    left   {finding.rule} {finding.span}: {finding.message[:200]}")
                lines += [f"           {why[:240]}" for why in reasons]
        lines.append(f"    then:  {self.then or 'it starts'}")
        lines += [f"    FAULT before: {one}" for one in self.before]
        lines += [f"    FAULT after:  {one}" for one in self.after]
        return "\n".join(lines)


class Judge:
    """Starts and reviews cases in one stub world with one index of packages."""

    def __init__(self, world: World, index: Index, folder: Path) -> None:
        self._world = world
        self._index = index
        self._folder = folder

    def judge(self, case: Case) -> Judged:
        """Start a case, plan its repairs, and start what they make of it."""
        judged = Judged(case)
        root = self._world.lay(case.files)
        submission = open_bundle(root)
        judged.plan = plan = planned(submission)
        judged.met = self.start(root, submission)
        judged.before += _unforetold(case, judged.met, plan)
        if not plan.repairs:
            judged.after.append("nothing is repaired")
        if plan.last.failures:
            judged.after.append(f"still foretold: {plan.last.failures[0].sentence[:300]}")
        made = {file.path: file.text for file in plan.last.submission.by_path.values()}
        mended = self._world.lay({"areachair.toml": case.files["areachair.toml"], **made})
        path, text = case.cured
        if text not in made.get(path, ""):
            judged.after.append(f"{path} has no {text!r}")
        judged.then = self.start(mended, open_bundle(mended))
        if judged.then is not None:
            judged.after.append(f"the repaired version stops: {judged.then}")
        again = planned(open_bundle(mended))
        judged.after += [
            f"a repair of a repair: {one.intent}"
            for one in again.repairs
            if plan.is_ready or one.finding.id in {each.finding.id for each in plan.repairs}
        ]
        return judged

    def start(self, root: Path, submission: Submission) -> Met | str | None:
        """What the documented commands meet first, the installer among them."""
        answer = self._index.ask(submission, self._folder / root.parent.name)
        if answer.refused:
            return f"uv: {answer.refused[:600]}"
        return self._world.start(root, installed=answer.installed).met


def _unforetold(case: Case, met: Met | str | None, plan: Plan) -> Iterator[str]:
    """What the first failure that is foretold says otherwise than what happened."""
    first: Failure | None = next(iter(plan.first.failures), None)
    if met is None:
        yield "it starts"
    elif isinstance(met, str) != (case.error == "uv"):
        yield f"it meets {met} instead of {case.error}"
    elif isinstance(met, Met) and case.error not in met.causes[0].types:
        yield f"it meets {met.causes[0].types[0]} instead of {case.error}"
    if first is None:
        yield "no failure is foretold"
        return
    told = next((one for one in plan.first.report.findings if one.id == first.finding), None)
    # What a child's words stop is a failure of the child and a finding of its parent.
    rules = {told.rule} if told else {one.rule for one in plan.first.report.findings}
    if case.rule not in rules:
        yield f"{told.rule if told else 'no rule'} foretells it instead of {case.rule}"
    path = next(iter(case.changes))
    mutation = Mutation(dict.fromkeys(case.changes), path, None, case.name)
    if not isinstance(met, Met) or first.step == "install" or fits(first, told, met, mutation):
        return
    # A finding may be at the cause of what is raised some lines further down.
    files = {path for cause in met.causes for path, _ in cause.places[:1]}
    if case.error not in first.said or first.place.file not in files:
        yield f"another failure is foretold: {first.sentence[:300]}"
