"""Guards that one cause is one finding, whatever the number of places at which it shows."""

from dataclasses import replace

from reviewers.facts import Facts
from reviewers.records import Span
from reviewers.rules import run_rules
from reviewers.rules.base import Flag, again, find_rule
from tests.builders import SOUND_FILES, SOUND_RUNS, make_submission, submission_from_example


def told(rule: str, files: dict[str, str], runs: dict[str, str] | None = None) -> list[list[str]]:
    """The places of each finding of a rule."""
    report = run_rules(Facts(make_submission(dict(files), runs)))
    found = [finding for finding in report.findings if finding.rule == rule]
    return [
        [str(span) for span in (one.span, *(place.span for place in one.places)) if span]
        for one in found
    ]


def test_what_is_said_twice_in_one_file_is_one_finding_with_a_further_place() -> None:
    example = find_rule("EV17").bad
    (line,) = (line for line in example.splitlines() if "flag: EV17" in line)
    submission, flagged = submission_from_example(example.replace(line, f"{line}\n{line}"))
    found = [one for one in run_rules(Facts(submission)).findings if one.rule == "EV17"]
    (places,) = [[one.span, *(place.span for place in one.places)] for one in found]
    assert sorted(span.line for span in places if span) == sorted(at for _, _, at in flagged if at)


def test_a_test_that_is_asked_for_two_values_first_reports_nothing_wrong() -> None:
    example = find_rule("EV17").bad
    asked = "if len(ours) >= 2 and len(theirs) >= 2:"
    found = {
        text: find_rule("EV17")(Facts(submission_from_example(text)[0]))
        for text in (example, example.replace(asked, "if ours and theirs:"))
    }
    assert [one.severity for ones in found.values() for one in ones] == ["minor", "major"]


def test_of_many_places_one_of_each_file_comes_first() -> None:
    spans = [Span("src/a.py", 1), Span("src/a.py", 2), Span("src/b.py", 7)]
    flag = Flag(Span("src/a.py", 9), "x", places=again(spans))
    rule = replace(find_rule("FS05"), flags=lambda facts: iter([flag]))
    (finding,) = rule(Facts(make_submission()))
    assert [str(place.span) for place in finding.places] == [
        "src/b.py:7",
        "src/a.py:1",
        "src/a.py:2",
    ]


def test_one_value_in_several_run_files_is_one_finding_where_it_shows_in_one_place() -> None:
    use = "model = AutoModel.from_pretrained(cfg.model.name, cache_dir='.cache/')"
    build = SOUND_FILES["src/model.py"].replace("    kinds =", f"    {use}\n    kinds =")
    build = build.replace("import torch\n", "import torch\nfrom transformers import AutoModel\n", 1)
    runs = {name: text.replace("mlp\n", "Qwen3-0.6B\n", 1) for name, text in SOUND_RUNS.items()}
    (places,) = told("MO09", {"src/model.py": build}, runs)
    assert [place.rpartition(":")[0] for place in places] == [
        "config/runs/comparative-1-mlp-agnews.yaml",
        "src/model.py",
        "config/runs/proposed-mlp-agnews.yaml",
    ]


def test_one_defect_in_two_files_is_two() -> None:
    texts = {
        path: SOUND_FILES[path] + "\n\ndef stop():\n    return undefined\n"
        for path in ("src/train.py", "src/model.py")
    }
    assert len(told("IM02", texts)) == 2
