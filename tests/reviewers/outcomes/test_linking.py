"""Guards who is said to have predicted a failure: the same error, names and place, and never the
category alone.
"""

import json
from typing import Any

import pytest

from reviewers.outcomes import Form, RunFailure
from reviewers.outcomes.linking import Fate, link
from reviewers.records import Check, FactCheck, Finding, Found, Place, Severity, Span, fails

STRUCT = RunFailure(
    "omegaconf.errors.ConfigAttributeError",
    "Key 'epochs' is not in struct\n    full_key: training.epochs\n    object_type=dict",
)
TRAIN = Span("src/train.py", 40)


def finding(
    message: str, file: str | None = "src/train.py", line: int | None = 40, **fields: Any
) -> Finding:
    span = None if file is None else Span(file, line)
    check = FactCheck(fields.pop("result", Check.CONFIRMED), fields.pop("evidence", message), span)
    made: dict[str, Any] = {
        "id": "f",
        "category": "hydra-composition",
        "severity": Severity.BLOCKER,
        **fields,
    }
    return Finding(message=message, span=span, check=check, **made)


def fate(
    failure: RunFailure, span: Span | None, *findings: Finding, dismissed: tuple[str, ...] = ()
) -> Fate:
    return link(failure, span, {"model": findings}, dismissed).fate("model")


PREDICTING = {
    "same-error-at-the-place": finding("`lr` cannot be written: ConfigAttributeError", line=41),
    "same-key-at-the-place": finding("`training.epochs` is absent", line=38),
    "same-kind-at-the-place": finding("this assignment is refused"),
    "same-key-in-the-file": finding("`training.epochs` is read in vain", line=4),
    "same-key-in-the-config": finding(
        "`training.epochs` is absent here: nothing sets it", "config/config.yaml", None
    ),
    "said-with-another-kind": finding(
        "`training.epochs` raises KeyError in trial mode", category="mode-handling"
    ),
    "place-among-others": finding(
        "`epochs` is absent", line=4, places=(Place(Span("src/train.py", 40), Found.QUOTE),)
    ),
    "without-a-place": finding(
        "cfg.training.epochs is not in config.yaml, so that trial mode stops", None
    ),
    "open-claim": finding("`training.epochs` is absent", result=Check.UNVERIFIED),
}
SILENT = {
    "category-alone": finding("the defaults list is wrong", "config/config.yaml", 1),
    "category-alone-in-the-file": finding("the decorator lacks version_base", line=90),
    "another-key-elsewhere": finding("`model.width` is absent", "config/config.yaml", None),
    "another-error-at-the-place": finding(
        "shape error: RuntimeError in matmul", category="tensor-or-runtime"
    ),
    "another-kind-at-the-place": finding("no metric is logged here", category="tracking-mismatch"),
    "refuted": finding("`training.epochs` is absent", result=Check.REFUTED),
    "minor": finding("consider a default here", severity=Severity.MINOR),
}


@pytest.mark.parametrize("name", [*PREDICTING, *SILENT])
def test_who_names_the_same_predicted_it_and_who_says_something_else_missed_it(name: str) -> None:
    wanted = Fate.PREDICTED if name in PREDICTING else Fate.MISSED
    said = {**PREDICTING, **SILENT}[name]
    assert fate(STRUCT, TRAIN, said) is wanted
    assert fate(STRUCT, TRAIN, said, dismissed=("f",)) is Fate.MISSED


def test_every_reviewer_is_linked_by_its_own_findings() -> None:
    good, bad = (
        finding("`training.epochs` is absent", id="a"),
        finding("no metric is logged", category="tracking-mismatch", id="b"),
    )
    linked = link(STRUCT, TRAIN, {"one": (bad, good), "other": (bad,), "silent": ()})
    assert linked.findings == {"one": ("a",), "other": (), "silent": ()}
    assert (linked.category, linked.reachable) == ("hydra-composition", True)


def test_a_reviewer_without_a_review_has_no_fate() -> None:
    with pytest.raises(KeyError):
        link(STRUCT, TRAIN, {}).fate("model")


@pytest.mark.parametrize(
    "failure",
    [
        RunFailure("torch.OutOfMemoryError", "CUDA out of memory. Tried to allocate 2.00 GiB"),
        RunFailure("OSError", "[Errno 28] No space left on device: '/tmp/x'"),
        RunFailure("requests.exceptions.ConnectionError", "Max retries exceeded with url: /api"),
        RunFailure(
            "huggingface_hub.errors.HfHubHTTPError", "503 Server Error: Service Unavailable for url"
        ),
        RunFailure("wandb.errors.UsageError", "api_key not configured (no-tty)"),
        RunFailure("AssertionError", "Torch not compiled with CUDA enabled"),
        RunFailure("OSError", "You are trying to access a gated repo."),
        RunFailure("Killed", "Killed", form=Form.DEATH),
    ],
    ids=lambda failure: failure.name,
)
def test_what_the_machine_did_was_not_to_be_read_in_the_code(failure: RunFailure) -> None:
    assert fate(failure, TRAIN, finding("`training.epochs` is absent")) is Fate.NOT_REACHABLE


def test_an_index_of_five_hundred_is_no_servers_error() -> None:
    failure = RunFailure("IndexError", "index 512 is out of bounds for dimension 0 with size 500")
    assert link(failure, Span("src/model.py", 3), {}).category == "tensor-or-runtime"


def test_an_absent_model_is_no_matter_of_accounts() -> None:
    message = (
        "Small-7B is not a local folder and is not a valid model identifier\nmake sure to log in"
        " with `huggingface-cli login`"
    )
    linked = link(
        RunFailure("OSError", message),
        TRAIN,
        {
            "rules": (
                finding(
                    "the hub has no model 'Small-7B': OSError",
                    "config/runs/p.yaml",
                    4,
                    category="model-or-method-missing",
                ),
            )
        },
    )
    assert (linked.category, linked.fate("rules")) == ("model-or-method-missing", Fate.PREDICTED)


STOPPED = Span("src/model.py", 3)


def elsewhere(message: str) -> Finding:
    return finding(message, "src/preprocess.py", 9, category="data-leakage")


def packaging(message: str, line: int | None) -> Finding:
    return finding(message, "pyproject.toml", line, category="packaging-invalid")


def stops(error: str) -> Finding:
    says = fails("train", error, {"file": STOPPED.file, "line": STOPPED.line})
    return finding("its layers have no names", "config/runs/p.yaml", 8, says=json.dumps(says))


# Of other failures: what failed and where, who predicted it, and who did not.
BATCHES = "Expected input batch_size"
TOLD = {
    "in-so-many-words-and-minor": (
        STRUCT,
        TRAIN,
        finding("`training.epochs`: ConfigAttributeError", severity=Severity.MINOR),
        finding("no default is here", severity=Severity.MINOR),
    ),
    "what-nobody-could-read": (
        RunFailure("OSError", "You are trying to access a gated repo: org/Llama-2-7b-chat-hf"),
        TRAIN,
        finding(
            "the model org/Llama-2-7b-chat-hf needs an account: OSError",
            category="model-or-method-missing",
        ),
        None,
    ),
    "the-very-message-however-far-it-shows": (
        RunFailure("ValueError", f"{BATCHES} (311) to match target batch_size (95)."),
        TRAIN,
        elsewhere(f"ValueError: {BATCHES} to match target batch_size"),
        elsewhere("ValueError: Expected more than one value per channel"),
    ),
    "at-which-line-which-error-stops-it": (
        RunFailure("ValueError", "Target module Block is not supported."),
        STOPPED,
        stops("ValueError"),
        stops("KeyError"),
    ),
    "a-package-that-the-requirements-lack": (
        RunFailure("ModuleNotFoundError", "No module named 'rouge_score'"),
        TRAIN,
        packaging("nothing declares rouge-score, which load_metric needs", None),
        None,
    ),
    "the-table-of-which-an-installer-complains": (
        RunFailure(
            "uv",
            "Failed to parse: pyproject.toml\nTOML parse error at line 9, column 1\n9 |"
            " [project.dependencies]",
            form=Form.INSTALLER,
        ),
        Span("pyproject.toml", 9),
        packaging("`project.dependencies` must be an array", 9),
        packaging("no licence is named", 30),
    ),
}


@pytest.mark.parametrize(("failure", "span", "near", "other"), TOLD.values(), ids=TOLD)
def test_who_tells_this_failure_predicted_it(
    failure: RunFailure, span: Span, near: Finding, other: Finding | None
) -> None:
    assert fate(failure, span, near) is Fate.PREDICTED
    assert other is None or fate(failure, span, other) is Fate.MISSED
