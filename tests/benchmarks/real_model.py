"""Ask a real server a few small questions by hand, over both APIs, at once and as a stream; costs a
fraction of a cent.

AREACHAIR_TEST_OPENAI_KEY=… python -m tests.benchmarks.real_model [MODEL [BASE_URL]]
"""

import asyncio
import itertools
import os
import sys
import time

from reviewers.backends.base import AnswerForm, Message, Request
from reviewers.backends.capabilities import Abilities
from reviewers.backends.configured import OPENAI, ReviewerConfig
from reviewers.backends.openai_api.backend import OpenAIBackend
from reviewers.errors import BackendError

_FORM = AnswerForm(
    "verdict",
    {
        "type": "object",
        "properties": {"verdict": {"type": "string", "enum": ["ready", "not_ready"]}},
        "required": ["verdict"],
        "additionalProperties": False,
    },
)


async def _ask(model: str, url: str, key: str | None) -> None:
    messages = (
        Message("system", "You review code. Answer in JSON."),
        Message("user", "def f(: pass"),
    )
    request = Request(
        server=url, model=model, messages=messages, form=_FORM, max_output_tokens=2_000
    )
    for api, stream in itertools.product(("auto", "responses", "chat"), (False, True)):
        config = ReviewerConfig(
            name="real",
            model=model,
            base_url=url,
            key_env=None,
            api=api,
            stream=stream,
            timeout=60.0,
        )  # type: ignore[arg-type]
        backend, start = OpenAIBackend(config, key, Abilities(None)), time.perf_counter()
        try:
            told: object = await backend.complete(request)
        except BackendError as error:
            told = f"{type(error).__name__}: {error}"
        finally:
            await backend.close()
        print(
            f"{api:9} {'stream' if stream else 'whole':6} {time.perf_counter() - start:5.1f} s "
            f" {told}"
        )


if __name__ == "__main__":
    secret = os.environ.get("AREACHAIR_TEST_OPENAI_KEY")
    given = sys.argv[1:]
    if secret is None and len(given) < 2:
        sys.exit(
            "set AREACHAIR_TEST_OPENAI_KEY, or name the model and base URL of a server without keys"
        )
    model, url = [*given, *("gpt-4.1-mini", OPENAI)[len(given) :]][:2]
    asyncio.run(_ask(model, url, secret))
