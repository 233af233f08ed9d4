"""LLM reviewers on local servers for the dashboard's tests, and what they say."""

import json
import threading
import time
from collections.abc import Callable
from typing import Any

from reviewers import settings
from reviewers.backends.configured import ReviewerConfig, keep
from tests.model_server import ModelServer, Received
from tests.model_server.exchange import Answer

# For a machine busy with other things; nobody waits so long where things go well.
PATIENCE_SECONDS = 60.0


def configure(*reviewers: ReviewerConfig) -> None:
    """Write reviewers into the file that the dashboard reads."""
    for reviewer in reviewers:
        keep(settings.reviewers_file(), reviewer)


def model(name: str, server: ModelServer | None = None, **fields: Any) -> ReviewerConfig:
    """Return a reviewer of a local server that wants no key; without a server, one that is never to
    be asked.
    """
    url = server.url if server else "http://127.0.0.1:9/v1"
    defaults: dict[str, Any] = {
        "model": f"m-{name}",
        "base_url": url,
        "key_env": None,
        "retries": 0,
        "timeout": PATIENCE_SECONDS,
    }
    return ReviewerConfig(name=name, **defaults | fields)


def said(verdict: str, *findings: dict[str, Any]) -> str:
    """Return an answer in the form of findings."""
    return json.dumps({"verdict": verdict, "findings": list(findings)})


def finding(message: str, file: str = "src/train.py", **fields: Any) -> dict[str, Any]:
    """Return one finding of such an answer."""
    defaults = {
        "criterion": 1,
        "category": "syntax-invalid",
        "severity": "blocker",
        "line": 3,
        "end_line": 3,
        "quote": None,
    }
    return {**defaults, "file": file, "message": message, **fields}


# The submission that the tests build parses, so this is refuted.
WRONG = finding("Syntax error: src/train.py does not parse.")


def always(answer: Answer) -> Callable[[Received], Answer]:
    """Return a script that says the same whatever is asked, and however often while a server is
    made acquaintance with.
    """
    return lambda asked: answer


class Held:
    """A script that holds its answer back until it is let go; a server that holds one answers
    nobody else.
    """

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._free = threading.Event()

    def __call__(self, asked: Received) -> Answer:
        self._free.wait(PATIENCE_SECONDS)
        return self._answer

    def let_go(self) -> None:
        """Answer from now on."""
        self._free.set()


def until(happened: Callable[[], Any]) -> Any:
    """Ask again and again until it is so, and return what was answered."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (answer := happened()):
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)
    return answer
