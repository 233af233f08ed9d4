"""Guards the merged rows: one defect is one row, two defects are two, nothing is lost, and missed
blockers agree with it.
"""

import json
import time
from collections.abc import Mapping, Sequence
from cProfile import Profile
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewers.claims.check import check_claims
from reviewers.facts import Facts
from reviewers.matching.missed import missed_blockers
from reviewers.matching.rows import MergedFinding, merged
from reviewers.records import (
    Check,
    FactCheck,
    Finding,
    Found,
    Place,
    Severity,
    Span,
    Statement,
)
from reviewers.rules import run_rules
from tests.builders import make_submission

CONFIRMED, REFUTED, UNVERIFIED = Check.CONFIRMED, Check.REFUTED, Check.UNVERIFIED
EVALUATE = "src/evaluate.py"
POSITIONAL = json.dumps({"p": "command_line", "file": EVALUATE, "style": "positional"})


def claim(
    message: str, line: int | None = 10, file: str | None = EVALUATE, **fields: object
) -> Finding:
    """A claim at a place that it names itself: that words are positional, unless it has another
    category.
    """
    span = None if file is None else Span(file, line)
    made: dict[str, object] = {
        "id": message,
        "category": "cli-contract",
        "says": "" if "category" in fields else POSITIONAL.replace(EVALUATE, file or EVALUATE),
        "severity": Severity.BLOCKER,
        "message": message,
        "claim": message,
        "criterion": 8,
        "span": span,
        "places": () if span is None else (Place(span, Found.QUOTE),),
        "check": FactCheck(UNVERIFIED, "nobody knows"),
    }
    return Finding(**{**made, **fields})  # type: ignore[arg-type]


def proof(
    message: str, line: int | None = 10, rule: str = "EV01", file: str = EVALUATE, **fields: object
) -> Finding:
    """A rule's finding, which names what its message quotes."""
    checked = FactCheck(CONFIRMED, message, Span(file, line))
    names = tuple(message.split("`")[1::2])
    return claim(
        message,
        line,
        file,
        **{"rule": rule, "claim": None, "places": (), "check": checked, "names": names, **fields},
    )


def unbound(name: str) -> str:
    return json.dumps({"not": {"p": "bound", "scope": EVALUATE, "name": name}})


def reads(file: str) -> str:
    return json.dumps({"p": "reads_file", "scope": EVALUATE, "file": file})


def uncalled(callee: str) -> str:
    return json.dumps({"not": {"p": "calls", "scope": EVALUATE, "callee": callee}})


def checked(result: Check, line: int | None = None) -> FactCheck:
    return FactCheck(result, "it says so", None if line is None else Span(EVALUATE, line))


UNDEFINED = {"category": "undefined-name", "criterion": 1}
FILES = {"category": "evaluation-incomplete"}
CALLS = {"category": "tensor-or-runtime"}
FIGURES = {
    "category": "evaluation-incomplete",
    "says": json.dumps({"not": {"p": "draws", "scope": EVALUATE, "figure": "confusion_matrix"}}),
}
EV01 = proof("results_dir and run_ids are positionals, but the command passes key=value words")
OS, SYS = (
    proof(
        f"`{name}` is never defined or imported: NameError",
        47,
        "IM02",
        category="undefined-name",
        says=unbound(name),
    )
    for name in ("os", "sys")
)

SAME = {
    "a rule and a claim that say the same": (
        EV01,
        claim("argparse with two positional arguments", 30),
    ),
    "one name that is missing": (
        OS,
        claim("uses os.environ but never imports `os`", 47, **UNDEFINED),
    ),
    "one place in the same words, of different categories": (
        claim("the loss is detached from the gradient graph", category="tensor-or-runtime"),
        claim("loss is detached from the graph of gradients", 11, category="nonexistent-api"),
    ),
    "one predicate at one place in different words": (
        claim("no confusion matrix", **FIGURES),
        claim("the plots required are not drawn", 11, **FIGURES),
    ),
    "a kind of parser and the parser": (
        EV01,
        claim("argparse is used", 11, says=POSITIONAL.replace("positional", "argparse")),
    ),
    "a whole file and lines in it": (
        claim("uses positional arguments", None),
        claim("violates the key=value interface", 44),
    ),
    "a rule's whole file and a claim at lines that say the same": (
        proof(
            "an accuracy is logged, yet nothing in this file draws a confusion matrix of it",
            None,
            "EV08",
            **FIGURES,
        ),
        claim("it omits required confusion-matrix plots", 104, **FIGURES),
    ),
}
DIFFERENT = {
    "two files that one file reads": (
        claim("it is read with the wrong parser", **FILES, says=reads("config/config.yaml")),
        claim("it is read, but never saved", 80, **FILES, says=reads("best_model.pt")),
    ),
    "two calls that are missing, in much the same words": (
        claim("the loss is never scaled here", **CALLS, says=uncalled("scaler.scale")),
        claim("the step is never scaled here", **CALLS, says=uncalled("optimizer.step")),
    ),
    "too few words to be alike": (
        claim("gates are never trained", None, None, category="uncategorised"),
        claim("never trained", None, None, category="uncategorised"),
    ),
    "two names of one expression, both missing": (
        claim("`os.path` is used, but no `os` is imported", 47, **UNDEFINED, says=unbound("os")),
        claim("`os.path` is used, but no `path` is there", 47, **UNDEFINED, says=unbound("path")),
    ),
    "two names on one line": (OS, claim("`sys` is never imported", 47, **UNDEFINED)),
    "two claims of one category far apart": (
        claim("`foo` has no attribute bar", 10, category="nonexistent-api"),
        claim("`baz` was removed from torch", 90, category="nonexistent-api"),
    ),
    "two files": (
        claim("uses positional arguments"),
        claim("uses positional arguments!", file="src/main.py"),
    ),
    "two rules at one place": (
        EV01,
        proof("run_ids is read with json.loads before it is split", 10, "EV02"),
    ),
    "a claim that nobody has read and a rule": (
        EV01,
        claim("the command fails", category="uncategorised"),
    ),
    "one place, nothing else in common": (
        claim("positional arguments break the command"),
        claim("seaborn was never installed", category="packaging-invalid"),
    ),
    "what is confirmed and what is refuted": (
        claim("uses positional arguments", check=checked(CONFIRMED)),
        claim(
            "json.loads will fail on the words",
            category="cli-contract",
            says=json.dumps({"p": "calls", "scope": EVALUATE, "callee": "json.loads"}),
            check=checked(REFUTED),
        ),
    ),
}


def rows(**found: Sequence[Finding]) -> tuple[MergedFinding, ...]:
    return merged(found)


@pytest.mark.parametrize("pair", SAME.values(), ids=SAME)
def test_one_defect_is_one_row(pair: tuple[Finding, Finding]) -> None:
    assert len(rows(a=pair[:1], b=pair[1:])) == 1
    assert len(rows(a=pair)) == 1


@pytest.mark.parametrize("pair", DIFFERENT.values(), ids=DIFFERENT)
def test_two_defects_are_two_rows(pair: tuple[Finding, Finding]) -> None:
    assert len(rows(a=pair[:1], b=pair[1:])) == 2
    assert len(rows(a=pair)) == 2


def test_a_rule_that_says_the_same_of_several_run_configs_fills_one_row() -> None:
    text = "without its first line the keys lie under cfg.run"
    found = [proof(text, None, "HY04", f"config/runs/{name}.yaml", id=name) for name in "abc"]
    assert len(rows(rules=found)) == 1
    assert len(rows(rules=[*found, proof(text, None, "HY04", "src/train.py", id="d")])) == 2


def test_no_chain_of_neighbours_swallows_a_file() -> None:
    # Each is near the next one, and alike; only those near the first of a row are about what it is
    # about.
    said = [
        claim(f"no plot {line}", line, id=str(line), category="evaluation-incomplete")
        for line in range(1, 60, 3)
    ]
    made = rows(a=said)
    assert len(made) > 5
    for row in made:
        lines = [found.span.line or 0 for found in row.findings if found.span]
        assert max(lines) - min(lines) <= 6
    names = [
        claim(f"`name_{line}` is missing", line, id=f"n{line}", **UNDEFINED)
        for line in range(1, 60, 3)
    ]
    assert len(rows(a=names)) == len(names)


def divided(*said: Statement, **fields: object) -> Finding:
    return claim("; ".join(part.claim for part in said), 47, parts=said, **UNDEFINED, **fields)


def test_each_part_of_a_claim_stands_with_the_finding_that_it_means() -> None:
    place = Span(EVALUATE, 47)
    os, sys = (
        Statement(f"`{name}` is never imported", checked(CONFIRMED), place, says=unbound(name))
        for name in ("os", "sys")
    )
    so = Statement("so all of it stops", checked(UNVERIFIED))
    both = divided(os, sys, so)
    made = rows(a=[both], rules=[OS, SYS])
    assert [row.mentions["rules"][0].finding for row in made] == [OS, SYS]
    assert [row.mentions["a"][0].words for row in made] == [f"{os.claim}; {so.claim}", sys.claim]
    assert [row.mentions["a"][0].finding for row in made] == [both, both]
    assert [row.mentions["a"][0].check for row in made] == [CONFIRMED, CONFIRMED]
    (alone,) = rows(a=[both])
    assert alone.title == both.message


def test_a_claim_that_does_not_tell_apart_what_one_rule_does_makes_it_one_row() -> None:
    both = claim("`os` and `sys` are never imported", 47, **UNDEFINED)
    (row,) = rows(a=[both], rules=[OS, SYS])
    assert [each.finding for each in row.mentions["rules"]] == [OS, SYS]
    other = replace(SYS, rule="IM03")
    assert sorted(len(row.findings) for row in rows(a=[both], rules=[OS, other])) == [1, 2]
    dismissed = replace(SYS, check=checked(REFUTED))
    assert [row.state for row in rows(a=[both], rules=[OS, dismissed])] == [CONFIRMED, REFUTED]


def test_what_counts_of_a_claim_counts_for_each_of_its_parts() -> None:
    is_so = Statement("`os` is never imported", checked(CONFIRMED), says=unbound("os"))
    so = Statement("so all of it stops", checked(UNVERIFIED))
    for whole, part in ((CONFIRMED, so), (REFUTED, is_so), (UNVERIFIED, so)):
        (row,) = rows(a=[divided(part, check=checked(whole))], b=[divided(part)])[:1]
        assert row.mentions["a"][0].check is whole


def test_a_refuted_claim_that_says_the_same_stands_in_the_row_and_contradicts_it() -> None:
    denied = claim(
        OS.message, 47, id="denied", **{**UNDEFINED, "check": checked(REFUTED), "says": OS.says}
    )
    (row,) = rows(rules=[OS], a=[denied])
    assert row.contradictory


def test_a_row_speaks_with_the_best_words() -> None:
    spoken = claim("positional arguments", severity=Severity.MAJOR)
    (row,) = rows(rules=[EV01], b=[spoken])
    assert (row.title, row.severity, row.state) == (EV01.message, Severity.BLOCKER, CONFIRMED)
    sure = claim(
        "two positional arguments are read", severity=Severity.MAJOR, check=checked(CONFIRMED)
    )
    (row,) = rows(a=[claim("positional arguments are read, which fails")], b=[sure])
    assert row.title == sure.message
    (row,) = rows(a=[claim("this fails", check=checked(CONFIRMED))], b=[sure])
    assert row.title == sure.message


def test_what_is_refuted_adds_no_severity_and_contradicts_what_is_confirmed() -> None:
    doubtful = claim("positional arguments are read", severity=Severity.MINOR)
    wrong = claim("positional arguments are read here", check=checked(REFUTED))
    (row,) = rows(a=[doubtful], b=[wrong])
    assert (row.state, row.severity, row.contradictory) == (UNVERIFIED, Severity.MINOR, False)
    (row,) = rows(b=[wrong])
    assert (row.state, row.severity, row.proof) == (REFUTED, Severity.BLOCKER, None)
    (row,) = rows(a=[replace(doubtful, check=checked(CONFIRMED))], b=[wrong])
    assert (row.state, row.contradictory) == (CONFIRMED, True)


def test_only_a_confirmed_blocker_is_a_proof() -> None:
    slight = claim("two positional arguments", severity=Severity.MAJOR, check=checked(CONFIRMED))
    (row,) = rows(a=[slight], b=[claim("positional arguments are read")])
    assert (row.state, row.severity, row.proof) == (CONFIRMED, Severity.BLOCKER, None)
    (row,) = rows(a=[claim("positional arguments", check=checked(CONFIRMED))], rules=[EV01])
    assert row.proof == ("rules", EV01)


def test_rows_are_sorted_by_what_is_known_and_how_bad_it_is() -> None:
    said = [
        claim(
            f"`{name}` is undefined", place, severity=severity, check=checked(result), **UNDEFINED
        )
        for place, (name, result, severity) in enumerate(
            [
                ("one_a", REFUTED, Severity.BLOCKER),
                ("two_b", UNVERIFIED, Severity.BLOCKER),
                ("three_c", CONFIRMED, Severity.MINOR),
                ("four_d", CONFIRMED, Severity.BLOCKER),
            ]
        )
    ]
    assert [row.title[1:4] for row in rows(a=said)] == ["fou", "thr", "two", "one"]


REVIEWS = (
    "train.py imports `from .helpers import seed_all` but src/helpers.py is not provided.",
    "pyproject.toml violates PEP 621. The code is syntactically invalid in src/model.py.",
    "evaluate.py makes no statistical tests; main.py calls evaluate. Hydra cannot compose.",
)


def test_rows_and_missed_blockers_never_contradict_each_other() -> None:
    train = "from .helpers import seed_all\nprint(sys)\n"
    files = {"src/train.py": train, "pyproject.toml": "[project]\nname = 3\n"}
    facts = Facts(make_submission(files))
    found = run_rules(facts).findings
    for texts in permutations(REVIEWS, 2):
        said = {
            f"llm{number}": check_claims(text, facts).findings for number, text in enumerate(texts)
        }
        missed = missed_blockers([one for findings in said.values() for one in findings], found)
        by_nobody = {
            finding.id
            for row in merged({"rules": found, **said})
            for finding in row.findings
            if finding.rule and finding.severity is Severity.BLOCKER
            if not any(
                other.rule is None and other.check.result is not REFUTED for other in row.findings
            )
        }
        assert missed == by_nobody


KINDS = ("cli-contract", "undefined-name")
FINDINGS = st.builds(
    lambda words, line, file, kind, result, severity, rule, parts: (
        proof(words, line, rule, file or EVALUATE, category=kind[1], id=f"{words}{line}{rule}")
        if rule
        else claim(
            words,
            line,
            file,
            kind=kind[0],
            category=kind[1],
            check=FactCheck(result, "so"),
            severity=severity,
            parts=tuple(Statement(each, FactCheck(result, "so")) for each in parts),
        )
    ),
    st.lists(
        st.sampled_from(
            ["two", "positional", "arguments", "`os`", "missing", "which", "fails", "a_name"]
        ),
        min_size=1,
    ).map(" ".join),
    st.none() | st.integers(1, 30),
    st.sampled_from([EVALUATE, "src/main.py", None]),
    st.sampled_from([*((kind, kind) for kind in KINDS), ("other", "uncategorised")]),
    st.sampled_from(Check),
    st.sampled_from(Severity),
    st.sampled_from([None, None, "EV01", "IM02"]),
    st.sampled_from(
        [(), (), ("two `os` are missing", "positional arguments"), ("which fails", "a_name")]
    ),
)


@given(st.dictionaries(st.sampled_from("abcd"), st.lists(FINDINGS, max_size=8), max_size=4))
def test_every_finding_is_in_a_row_whatever_the_order_of_reviewers(
    found: Mapping[str, Sequence[Finding]],
) -> None:
    made = merged(found)
    for name, findings in found.items():
        shown = [each for row in made for each in row.mentions.get(name, ())]
        assert {id(each) for each in findings} == {id(each.finding) for each in shown}
        for finding in findings:
            parts = [each.parts for each in shown if each.finding is finding]
            assert len(parts) == 1 or (all(parts) and finding.rule is None)
            told = [id(part) for each in parts for part in each]
            assert len(told) == len(set(told))
    assert merged(dict(reversed(found.items()))) == made
    for row in made:
        results = {finding.check.result for finding in row.findings}
        assert row.contradictory == (results >= {CONFIRMED, REFUTED})
        assert row.severity in {finding.severity for finding in row.findings}


def test_thousands_of_findings_take_seconds() -> None:
    hostile = [
        claim(
            f"`name_{number}` is missing {'word ' * 500}",
            number % 50 + 1,
            id=str(number),
            **UNDEFINED,
        )
        for number in range(400)
    ]
    start = time.process_time()
    merged({"a": hostile, "b": hostile})
    assert time.process_time() - start < 5


def test_nothing_makes_nothing() -> None:
    assert merged({}) == ()
    assert merged({"a": ()}) == ()


def test_a_finding_is_compared_with_few_others() -> None:
    """However many findings there are, and of whatever kind."""
    many = [
        claim(
            f"`name_{number}` is missing from what it returns",
            number // 40 * 12 + 1,
            id=str(number),
            file=f"src/m{number % 40}.py",
            category="data-pipeline-incomplete",
        )
        for number in range(300)
    ]
    profile = Profile()
    rows = profile.runcall(
        merged, {"a": many, "b": [replace(each, id=f"b{each.id}") for each in many]}
    )
    assert len(rows) == len(many)
    compared = next(each for each in profile.getstats() if "same_defect" in str(each.code))
    assert compared.callcount < 3 * len(many)
