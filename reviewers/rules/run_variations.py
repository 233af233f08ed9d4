"""Rules for criterion 7, the run configurations: variations that each of them must contain."""

import re
from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.variations import Unhandled
from reviewers.records import Span
from reviewers.rules.base import Flag, denies, rule


@rule(
    id="RC10",
    category="model-or-method-missing",
    severity="major",
    summary="a configuration that must contain every run variation lacks one",
    needs=("runs.variations",),
    example="""
          === areachair.toml
          extends = "nine-modes"
          runs.variations = ["config/smoke_test.yaml"]
          === design.yaml
          Run Variations: "['source', 'TENT', 'gated']"
          === config/smoke_test.yaml # flag: RC10
          experiments:
            - run_id: smoke_source
              method: source
            - run_id: smoke_gated
              method: gated
        +   - run_id: smoke_tent
        +     method: tent
          === src/main.py
          import yaml

          for run in yaml.safe_load(open("config/smoke_test.yaml"))["experiments"]:
              adapts = run.get("method", "source") in ("gated", "tent")
              print(run["run_id"], adapts)
    """,
)
def variation_not_configured(facts: Facts) -> Iterator[Flag]:
    """A variation that no run names is never run, and the comparison lacks it. Only variations
    count of which no key and no text of the configuration contains a word of their own.
    """
    for path, names in facts.variations.missing():
        places = [
            f"{file}:{line}" for name in names for file, line, _ in facts.variations.places(name)
        ]
        also = f"; the code names it ({places[0]})" if places else ""
        yield Flag(
            Span(path),
            f"{path} has no run of {_listed(names)}; it must hold every run variation{also}",
            f"no key and no text in {path} names {_listed(names)}; the design lists"
            f" {_listed(facts.variations.names)}",
            names=tuple(names),
        )


@rule(
    id="RC11",
    category="model-or-method-missing",
    severity="major",
    summary="a run variation is configured, but no code makes it differ from the others",
    needs=("runs.variations",),
    example="""
          === areachair.toml
          extends = "nine-modes"
          runs.variations = ["config/smoke_test.yaml"]
          === design.yaml
          Run Variations: "['source', 'TENT', 'gated']"
          === config/smoke_test.yaml
          experiments:
            - run_id: smoke_source
              method: source
            - run_id: smoke_gated
              method: gated
            - run_id: smoke_tent
              method: tent  # flag: RC11
          === src/main.py
          import yaml

          for run in yaml.safe_load(open("config/smoke_test.yaml"))["experiments"]:
        -     adapts = run.get("method", "source") in ("gated",)
        +     adapts = run.get("method", "source") in ("gated", "tent")
              print(run["run_id"], adapts)
    """,
)
def variation_without_code(facts: Facts) -> Iterator[Flag]:
    """The run succeeds and is reported under the variation's name, but does what another one does.
    A variation counts as known if any text or name in the code contains a word of its own.
    """
    for path, found in facts.variations.unhandled():
        said = f"`{found.key}: {found.value[:60]}`"
        why = (
            f"nothing in the code names {said}, as it names {_listed(found.known)}"
            if found.known
            else f"{said} sets it apart from `{found.alike}`, and no code looks at that"
        )
        yield Flag(
            Span(path, _line(facts, path, found)),
            f"`{found.variation}` is configured but not implemented: {why}",
            names=(found.key, found.value[:60]),
            says=denies("implements", scope="code", component=found.variation),
        )


def _line(facts: Facts, path: str, found: Unhandled) -> int | None:
    """The first line that says what tells the variation from the others."""
    key = re.escape(found.key.rpartition(".")[2])
    pattern = re.compile(rf"\b{key}[\"']?\s*:\s*[\"']?{re.escape(found.value)}\b", re.IGNORECASE)
    lines = facts.lines(path)
    return next((n for n, line in enumerate(lines, 1) if pattern.search(line)), None)


def _listed(names: tuple[str, ...]) -> str:
    *first, last = (f"`{name[:60]}`" for name in names)
    return f"{', '.join(first)} and {last}" if first else last
