"""Guards who is being asked: each review is kept as it comes, one trouble is nobody else's, and all
of it ends cleanly.
"""

import threading
from collections.abc import Iterator

import pytest

from dashboard.estimates import questioner
from dashboard.panels import Ask, AskedReviewer, Panels, PanelState
from reviewers.backends.configured import BudgetConfig, ReviewerConfig
from reviewers.backends.factory import Servers
from reviewers.panel.llm import LlmReviewer, Question
from reviewers.records import Submission
from reviewers.store import Store
from reviewers.store.submission import SubmissionRecord, load_submission
from tests.builders import make_submission
from tests.dashboard.models import always, model, said, until
from tests.model_server import Fault, ModelServer

FREE = BudgetConfig()


@pytest.fixture
def panels() -> Iterator[Panels]:
    """Panels without anything remembered."""
    panels = Panels(lambda: Servers(None, None))
    yield panels
    panels.close()


@pytest.fixture
def submission(store: Store) -> Submission:
    """A submission that is in the store."""
    submission = make_submission()
    store.add(submission)
    return submission


def ask(config: ReviewerConfig, submission: Submission) -> Ask:
    """Ask for a first look."""
    return Ask(submission.id, config)


def ended(panels: Panels, submission: Submission) -> dict[str, AskedReviewer]:
    """Wait until nobody is asked any more."""
    until(lambda: not any(asked.state.live for asked in panels.at(submission.id)))
    return {asked.reviewer: asked for asked in panels.at(submission.id)}


def test_who_is_being_asked_is_not_asked_twice(
    panels: Panels, store: Store, submission: Submission
) -> None:
    with ModelServer(always(said("ready")), latency=0.5) as server:
        for _ in range(3):
            panels.start(store, [ask(model("a", server), submission)], FREE)
        ended(panels, submission)
        assert len(server.questions) == 1


def test_what_the_store_refuses_is_told(panels: Panels, store: Store) -> None:
    unknown = make_submission({"src/other.py": "x = 1\n"})
    with ModelServer(always(said("ready"))) as server:
        panels.start(store, [ask(model("a", server), unknown)], FREE)
        asked = ended(panels, unknown)["a"]
    assert asked.state is PanelState.FAILED
    assert "has no submission" in asked.problem


def test_a_defect_of_ours_is_one_reviewers_failure(
    panels: Panels, store: Store, submission: Submission, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(reviewer: LlmReviewer, record: SubmissionRecord) -> Question:
        raise LookupError("a defect")

    with ModelServer(always(said("ready"))) as server:
        asks = [Ask(submission.id, model("a", server), broken), ask(model("b", server), submission)]
        panels.start(store, asks, FREE)
        asked = ended(panels, submission)
    assert (asked["a"].state, asked["b"].state) == (PanelState.FAILED, PanelState.ARRIVED)
    assert "LookupError" in asked["a"].problem
    assert "a defect" in caplog.text


def test_a_budget_is_shared_by_those_asked_together(
    panels: Panels, store: Store, submission: Submission
) -> None:
    with ModelServer(says="ready") as server:
        configs = [model(name, server, max_output_tokens=1_000) for name in "ab"]
        size = questioner(configs[0]).first_look(submission).prompts[0].tokens
        # Room for the worst of one, which is asked twice, and not for that of another one after it.
        panels.start(
            store,
            [ask(config, submission) for config in configs],
            BudgetConfig(tokens=int(2.5 * size) + 2_500),
        )
        ended(panels, submission)
    failures = [one.review.failure for one in load_submission(store, submission.id).reviews]
    assert sorted(failure is None for failure in failures) == [False, True], failures
    assert "budget" in "".join(filter(None, failures))


def test_changes_are_counted_so_that_nobody_draws_in_vain(
    panels: Panels, store: Store, submission: Submission
) -> None:
    assert panels.changes(submission.id) == 0
    with ModelServer(always(said("ready"))) as server:
        panels.start(store, [ask(model("a", server), submission)], FREE)
        first = panels.changes(submission.id)
        ended(panels, submission)
        assert panels.changes(submission.id) > first > 0


def test_closing_stops_all_that_is_under_way(store: Store, submission: Submission) -> None:
    panels = Panels(lambda: Servers(None, None))
    with ModelServer(always(Fault("timeout"))) as server:
        panels.start(store, [ask(model("a", server), submission)], FREE)
        until(lambda: server.questions)
        panels.close()
    assert not load_submission(store, submission.id).reviews
    assert "panels" not in {thread.name for thread in threading.enumerate()}
