"""Packaging: what `pyproject.toml` declares."""

from packaging.utils import canonicalize_name

from reviewers.propositions.answers import Answer, Filled, Listing, Witness, denied, open_, proved
from reviewers.propositions.vocabulary import alike, predicate
from reviewers.propositions.world import World
from reviewers.records import Span

_FILE = "pyproject.toml"


def declared(world: World) -> Listing:
    """Every distribution that is declared."""
    filled = tuple(
        Filled(one.name, Witness(Span(_FILE, one.line), one.name))
        for one in world.facts.packaging.declared
    )
    return Listing(filled, (_FILE,))


@predicate(
    "`pyproject.toml` (declares|does not declare) {package}",
    "packaging-invalid",
    "torch",
    package=declared,
)
def declares(world: World, package: str) -> Answer:
    """True where `pyproject.toml` declares the distribution; false where all of the file is read
    and it does not. `*` is any.
    """
    facts = world.facts.packaging
    if facts.text is None:
        return open_(f"{_FILE} is not in the submission")
    wanted = package if package == "*" else str(canonicalize_name(package))
    found = [one for one in facts.declared if alike(one.name, wanted)]
    if found:
        said = [(Span(_FILE, one.line), f"{one.name}{one.specifier}") for one in found]
        return proved(Witness(span, text) for span, text in said)
    gaps = [problem.message for problem in facts.problems if "TOML" in problem.message]
    gaps += [one for one in world.facts.submission.by_path if one in ("setup.py", "setup.cfg")]
    if "dynamic" in facts.text and "dependencies" in facts.text:
        gaps.append("other files may declare it")
    return denied([f"the {len(facts.declared)} distributions that {_FILE} declares"], gaps)
