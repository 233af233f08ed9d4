"""Guards when a run variation counts as missing from a configuration, and when as not implemented:
never for another spelling, nor where the configuration may not be the place to look.
"""

from dataclasses import replace

from reviewers.facts import Facts
from reviewers.rules import find_rule
from tests.builders import CONTEXT, contract, make_submission
from tests.cases import cases

CONFIG = "config/smoke_test.yaml"
READS = 'import yaml\nruns = yaml.safe_load(open("config/smoke_test.yaml"))\n'


def messages(rule: str, config: str, design: str, code: str = READS) -> list[str]:
    submission = make_submission(
        {CONFIG: config, "src/main.py": code},
        context=replace(CONTEXT, design={"Run Variations": design}),
        contract=contract("nine-modes", f'runs.variations = ["{CONFIG}"]'),
    )
    return [finding.message for finding in find_rule(rule)(Facts(submission))]


DESIGN = "['frozen-source', 'TENT', 'gated-full', 'gated-lite']"
OTHERS = "runs:\n- {id: a, method: frozen_source}\n- {id: b, method: tent}\n"


@cases(
    "lite",
    {
        "other spelling": "- {id: c, method: gated_lite}\n- {id: d, method: GatedFull}\n",
        "in two values": "- {id: c-gated, variant: lite}\n- {id: d-gated, variant: full}\n",
        "as a key": "- {id: c, method: gatedlite}\n- {id: d, gated: {full: true}}\n",
        "in doubt": "- {id: c, method: gated}\n",
        "in a list": "- {id: c, method: [gated-full, gated-lite]}\n",
        "elsewhere": "- {id: c, base: other.yaml}\n",
    },
)
def test_a_variation_that_some_run_may_be_is_not_missing(lite: str) -> None:
    assert messages("RC10", OTHERS + lite, DESIGN) == []


def test_a_run_that_is_surely_another_variation_does_not_stand_for_its_sibling() -> None:
    (message,) = messages("RC10", OTHERS + "- {id: my_gated, method: gated-full}\n", DESIGN)
    assert message.startswith(f"{CONFIG} has no run of `gated-lite`; ")


def test_the_place_where_code_knows_a_missing_variation_is_named() -> None:
    (message,) = messages("RC10", OTHERS, DESIGN, READS + 'print("Gated-Lite")\n')
    assert "no run of `gated-full` and `gated-lite`" in message
    assert message.endswith("; the code names it (src/main.py:3)")


@cases(
    ("config", "design", "code"),
    {
        "not read by code": (OTHERS, DESIGN, "print('no configuration is read')\n"),
        "not YAML": ("runs: [\n", DESIGN, READS),
        "no design": (OTHERS, "", READS),
        "no list": (OTHERS, "every method of the paper: all", READS),
    },
)
def test_nothing_is_missing_where_it_is_unknown_what_must_be_there(
    config: str, design: str, code: str
) -> None:
    assert messages("RC10", config, design, code) == []


def test_variations_listed_one_a_line_or_by_commas_are_read_alike() -> None:
    for design in ("- frozen-source\n- TENT\n- gated\n", "frozen-source, TENT, gated"):
        assert len(messages("RC10", OTHERS, design)) == 1


@cases(
    "code",
    {
        "compared": 'if run["method"] in ("frozen_source", "tent"): print(run)\n',
        "a function of its name": (
            'method = "frozen-source"\ndef run_tent(): print(run["method"])\n'
        ),
        "another value that is read": 'print(run["method"], run["lr"])\n',
    },
)
def test_a_variation_that_the_code_may_handle_is_not_called_unhandled(code: str) -> None:
    config = "runs:\n- {method: frozen-source, lr: 1}\n- {method: tent, lr: 2}\n"
    assert messages("RC11", config, "[frozen-source, TENT]", READS + code) == []


def test_a_switch_that_no_code_reads_makes_no_variation() -> None:
    config = "runs:\n- {id: a, method: gated}\n- {id: no-fisher, method: gated, no_fisher: 1}\n"
    (message,) = messages(
        "RC11", config, "[gated, no-fisher]", READS + 'print(run["method"] == "gated")\n'
    )
    assert message == (
        "`no-fisher` is configured but not implemented: `no_fisher: 1` sets it apart from"
        " `gated`, and no code looks at that"
    )
