"""Guards what happens to a claim that was read: the answer to its proposition is its fact check."""

from dataclasses import replace

import pytest

from reviewers.claims.check import check_claims
from reviewers.claims.understanding import statements_of, understood
from reviewers.facts import Facts
from reviewers.propositions import parse
from reviewers.readers.reading import Reading
from reviewers.records import Check, FactCheck, Failure, Finding, Severity, Span
from tests.builders import make_submission

FILES = {"src/train.py": "import json\n\n\ndef run():\n    return json.dumps({})\n"}
TRUE = {"p": "imports", "scope": "src/train.py", "name": "json"}
FALSE = {"p": "imports", "scope": "src/train.py", "name": "wandb"}
OPEN = {"p": "fails", "command": "train", "error": "ValueError"}
UNKNOWN = {"p": "trains", "scope": "code", "parameter": "src/train.py::Net.w"}
OPINION = {"p": "judgement", "text": "the design is weak"}
NO_FILE = {"not": {"p": "exists", "file": "src/model.py"}}
NOT_DEFINED = {"not": {"p": "defines", "scope": "src/train.py", "name": "gone"}}
IMPORT_ERROR = {"p": "fails", "command": "train", "error": "ModuleNotFoundError"}


def claim(id: str = "a") -> Finding:
    check = FactCheck(Check.CONFIRMED, "as it was before")
    return Finding(
        id=id, category="x", severity=Severity.MAJOR, message="m", claim="m", check=check
    )


def judged(
    *readings: Reading, failures: tuple[Failure, ...] = (), said: str = "1. src/train.py: m"
) -> Finding:
    facts = Facts(make_submission(FILES))
    (found,) = understood([claim()], {"a": readings}, facts, failures, said).findings
    return found


def read(value: object, reader: str = "file") -> Reading:
    return Reading(reader=reader, proposition=parse(value))


def test_what_is_so_is_confirmed_at_the_place_that_shows_it() -> None:
    found = judged(read(TRUE))
    assert (found.check.result, found.span) == (Check.CONFIRMED, Span("src/train.py", 1))
    assert found.check.evidence.startswith("src/train.py:1: ")
    assert found.parts == ()
    assert found.understood is not None
    assert found.understood.sentence == "`src/train.py` imports `json`"


def test_what_is_not_so_is_refuted_by_what_was_looked_at() -> None:
    found = judged(read(FALSE))
    assert found.check.result is Check.REFUTED
    assert found.check.evidence.startswith("checked: ")
    assert found.understood is not None
    assert found.understood.looked_at


@pytest.mark.parametrize(
    ("parts", "result", "tally"),
    [
        ([TRUE, UNKNOWN], Check.CONFIRMED, "1 of 2 parts confirmed;"),
        ([TRUE, OPEN], Check.UNVERIFIED, "1 of 2 parts confirmed;"),
        ([TRUE, FALSE], Check.UNVERIFIED, "1 of 2 parts confirmed, 1 refuted;"),
        ([FALSE, TRUE], Check.UNVERIFIED, "1 of 2 parts confirmed, 1 refuted;"),
        ([FALSE, OPEN], Check.REFUTED, "0 of 2 parts confirmed, 1 refuted;"),
        ([OPEN, TRUE, TRUE], Check.UNVERIFIED, "2 of 3 parts confirmed;"),
        ([OPINION, TRUE, UNKNOWN], Check.CONFIRMED, "1 of 2 parts confirmed;"),
        ([{"all": [TRUE, TRUE]}, UNKNOWN], Check.CONFIRMED, "2 of 3 parts confirmed;"),
    ],
    ids=str,
)
def test_the_head_decides_unless_another_part_speaks_against_it(
    parts: list[object], result: Check, tally: str
) -> None:
    found = judged(read({"all": parts}))
    assert found.check.result is result
    assert found.check.evidence.startswith(tally)


def test_of_a_statement_cut_out_of_a_sentence_every_part_is_wanted() -> None:
    found = judged(read({"all": [TRUE, OPEN]}), said="1. As is seen, m, and more is said here.")
    assert found.check.result is Check.UNVERIFIED
    assert found.check.evidence.startswith("1 of 2 parts confirmed;")


@pytest.mark.parametrize(
    ("said", "result"),
    [
        ("src/train.py imports json for each weight.", Check.UNVERIFIED),
        ("src/train.py imports json. Its weights are trained.", Check.CONFIRMED),
    ],
    ids=["one statement", "two statements"],
)
def test_of_one_statement_all_must_be_so(said: str, result: Check) -> None:
    whole = replace(claim(), claim=said, message=said, claim_at=(0, len(said)))
    facts = Facts(make_submission(FILES))
    readings = {"a": (read({"all": [TRUE, UNKNOWN]}),)}
    (found,) = understood([whole], readings, facts, (), said).findings
    assert found.check.result is result


def test_an_effect_to_which_nothing_leads_stays_open_beside_its_cause() -> None:
    elsewhere = Failure(
        step="train",
        command="python -m src.train",
        error="ModuleNotFoundError",
        message="No module named 'timm'",
        place=Span("src/train.py", 1),
    )
    found = judged(read({"because": TRUE, "then": IMPORT_ERROR}), failures=(elsewhere,))
    results = [part.check.result for part in found.parts]
    assert results in ([Check.CONFIRMED, Check.UNVERIFIED], [Check.CONFIRMED, Check.CONFIRMED])
    assert found.check.result is Check.CONFIRMED


def test_a_claim_that_nobody_could_read_is_not_checked_and_says_why() -> None:
    found = judged(Reading(reader="file", why_not="there is no predicate `smells`", is_final=True))
    assert found.check.result is Check.UNVERIFIED
    assert found.check.evidence.endswith(": there is no predicate `smells`")
    assert found.understood is not None
    assert found.understood.why_not == "there is no predicate `smells`"


def test_two_readers_who_read_differently_are_told_and_neither_is_believed_over_the_other() -> None:
    found = judged(read(TRUE, "model"), read(FALSE, "offline"))
    assert found.check.result is Check.UNVERIFIED
    assert found.check.evidence.startswith("Read in two ways")
    agreeing = judged(read(TRUE, "model"), read({"all": [TRUE]}, "offline"))
    assert agreeing.check.result is Check.CONFIRMED


def test_a_person_is_believed_whatever_readers_say() -> None:
    person = replace(read(TRUE, "a person"), is_final=True)
    found = judged(person, read(FALSE, "model"), read(TRUE, "offline"))
    assert found.check.result is Check.CONFIRMED
    assert found.understood is not None
    assert found.understood.reader == "a person"
    assert found.understood.otherwise == (("model", "`src/train.py` imports `wandb`"),)


def test_what_nobody_else_read_is_read_offline() -> None:
    facts = Facts(make_submission(FILES))
    said = replace(claim(), claim="`src/train.py` imports `json`")
    (found,) = understood([said], {}, facts, ()).findings
    assert found.check.result is Check.CONFIRMED
    assert found.understood is not None
    assert found.understood.reader == "offline"
    unread = Reading(reader="model", why_not="it was silent")
    (found,) = understood([said], {said.id: [unread]}, facts, ()).findings
    assert found.check.evidence.endswith("it was silent")


@pytest.mark.parametrize(
    ("reading", "result"),
    [
        (Reading(reader="m", proposition=parse(TRUE)), Check.CONFIRMED),
        (Reading(reader="m", proposition=parse(TRUE), proves=False), Check.UNVERIFIED),
        (Reading(reader="m", proposition=parse(TRUE), disproves=False), Check.CONFIRMED),
        (Reading(reader="m", proposition=parse(FALSE)), Check.REFUTED),
        (Reading(reader="m", proposition=parse(FALSE), disproves=False), Check.UNVERIFIED),
        (
            Reading(reader="m", proposition=parse(TRUE), otherwise=(parse(FALSE),)),
            Check.UNVERIFIED,
        ),
        (
            Reading(reader="m", proposition=parse(TRUE), otherwise=(parse({"all": [TRUE]}),)),
            Check.CONFIRMED,
        ),
    ],
    ids=str,
)
def test_what_a_reading_leaves_over_or_may_mean_besides_leaves_the_claim_open(
    reading: Reading, result: Check
) -> None:
    assert judged(reading).check.result is result


def test_of_a_claim_that_is_read_in_part_the_statements_that_are_read_are_judged() -> None:
    facts = Facts(make_submission(FILES))
    text = "`src/train.py` imports `json`, and it is oddly wugged by gostaks."
    (found,) = check_claims(text, facts).findings
    assert [part.check.result for part in found.parts] == [Check.CONFIRMED, Check.UNVERIFIED]
    assert found.check.result is Check.CONFIRMED
    again = understood([replace(found, parts=())], {}, facts, (), text).findings
    assert [part.check for part in again[0].parts] == [part.check for part in found.parts]


def test_rules_findings_are_left_alone() -> None:
    facts = Facts(make_submission(FILES))
    by_rule = replace(claim(), claim=None, rule="IM01")
    assert understood([by_rule], {}, facts, ()).findings == (by_rule,)


def test_statements_that_were_read_one_by_one_are_parts_in_the_reviewers_own_words() -> None:
    said = "src/train.py imports json, and it never defines run."
    whole = replace(claim(), claim=said, claim_at=(0, len(said)))
    first, second = statements_of([whole], said)
    read_as = {
        first: [read(TRUE)],
        second: [read({"not": {"p": "defines", "scope": "src/train.py", "name": "run"}})],
    }
    facts = Facts(make_submission(FILES))
    (found,) = understood([whole], read_as, facts, (), said).findings
    assert [part.claim for part in found.parts] == [first, second]
    assert [part.check.result for part in found.parts] == [Check.CONFIRMED, Check.REFUTED]
    assert found.check.result is Check.UNVERIFIED  # partly
    assert found.understood is not None
    assert found.understood.reader == "file"
    (found,) = understood([whole], {**read_as, second: [read(OPEN)]}, facts, (), said).findings
    assert found.check.result is Check.UNVERIFIED  # that it fails is open
    read_whole = {**read_as, whole.id: [read(TRUE)]}
    (found,) = understood([whole], read_whole, facts, (), said).findings
    assert (found.check.result, found.parts) == (Check.CONFIRMED, ())


@pytest.mark.parametrize(
    ("place", "message", "result"),
    [
        (Span("src/train.py", 1), "No module named 'x'", Check.CONFIRMED),
        (Span("src/model.py", 9), "No module named 'json'", Check.CONFIRMED),
        (Span("src/model.py", 9), "No module named 'timm'", Check.UNVERIFIED),
    ],
    ids=["at its place", "of its name", "elsewhere"],
)
def test_a_statement_may_be_the_effect_of_one_beside_it(
    place: Span, message: str, result: Check
) -> None:
    said = "src/train.py imports json. Then it stops."
    whole = replace(claim(), claim=said, claim_at=(0, len(said)))
    first, second = statements_of([whole], said)
    failure = Failure(
        step="train",
        command="python -m src.train",
        error="ModuleNotFoundError",
        message=message,
        place=place,
    )
    read_as = {first: [read(TRUE)], second: [read(IMPORT_ERROR)]}
    facts = Facts(make_submission(FILES))
    (found,) = understood([whole], read_as, facts, (failure,), said).findings
    assert [part.check.result for part in found.parts] == [Check.CONFIRMED, result]
    read_as[first] = [read(FALSE)]
    (found,) = understood([whole], read_as, facts, (failure,), said).findings
    assert found.parts[1].check.result is Check.UNVERIFIED


@pytest.mark.parametrize(
    ("effect", "result"),
    [(IMPORT_ERROR, Check.CONFIRMED), ({"p": "fails", "command": "train"}, Check.UNVERIFIED)],
    ids=["with its error", "bare"],
)
def test_a_failure_without_its_error_may_be_the_effect_of_what_is_not_read(
    effect: object, result: Check
) -> None:
    said = "src/train.py imports json. It is oddly wugged. Then it stops."
    whole = replace(claim(), claim=said, claim_at=(0, len(said)))
    first, second, third = statements_of([whole], said)
    failure = Failure(
        step="train",
        command="python -m src.train",
        error="ModuleNotFoundError",
        message="No module named 'json'",
        place=Span("src/model.py", 9),
    )
    unread = Reading(reader="m", why_not="it is odd")
    read_as = {first: [read(TRUE)], second: [unread], third: [read(effect)]}
    facts = Facts(make_submission(FILES))
    (found,) = understood([whole], read_as, facts, (failure,), said).findings
    assert found.parts[2].check.result is result


def test_what_may_be_so_in_good_code_does_not_outweigh_an_open_statement_before_it() -> None:
    said = "src/train.py trains Net, but it is oddly wugged later."
    whole = replace(claim(), claim=said, claim_at=(0, len(said)))
    first, second = statements_of([whole], said)
    for head, result in ((TRUE, Check.UNVERIFIED), (NOT_DEFINED, Check.CONFIRMED)):
        read_as = {first: [read(UNKNOWN)], second: [read(head)]}
        (found,) = understood([whole], read_as, Facts(make_submission(FILES)), (), said).findings
        assert found.check.result is result


@pytest.mark.parametrize(
    ("beside", "result"),
    [
        (". This makes every zork frobnicate.", Check.REFUTED),
        (", so the zorks frobnicate.", Check.REFUTED),
        ("; and frobnicates it with zorks.", Check.UNVERIFIED),
    ],
    ids=["another sentence", "a consequence", "a member of the list"],
)
def test_only_what_is_listed_beside_a_statement_keeps_it_from_being_refuted(
    beside: str, result: Check
) -> None:
    facts = Facts(make_submission(FILES))
    (found, *_) = check_claims(f"1. src/train.py never imports json{beside}", facts).findings
    assert next(iter(found.statements)).check.result is result


MET = Failure(
    step="train",
    command="train",
    error="ValueError",
    message="bad `loss_scale`",
    place=Span("src/train.py", 1, 1),
)


@pytest.mark.parametrize(
    ("cause", "effect", "failures", "result"),
    [
        ("The wug of loss_scale is blick", OPEN, [MET], Check.CONFIRMED),
        ("The wug of src/train.py is blick", OPEN, [MET], Check.UNVERIFIED),
        ("The wug of `ValueError` is blick", OPEN, [MET], Check.UNVERIFIED),
        ("The wug of loss_scale is blick", OPEN, [], Check.UNVERIFIED),
        ("The wug of loss_scale is blick", IMPORT_ERROR, [MET], Check.UNVERIFIED),
    ],
)
def test_an_error_without_a_place_is_the_one_that_names_what_the_claim_speaks_of(
    cause: str, effect: dict[str, object], failures: list[Failure], result: Check
) -> None:
    said = f"{cause}. This causes a failure."
    whole = replace(claim(), claim=said, claim_at=(0, len(said)))
    _, second = statements_of([whole], said)
    facts = Facts(make_submission(FILES))
    (found,) = understood([whole], {second: [read(effect)]}, facts, failures, said).findings
    assert found.check.result is result
