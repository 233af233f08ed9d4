"""Tests the connection to a reviewer with one tiny question and describes the result."""

import time
from dataclasses import replace

from reviewers import settings
from reviewers.backends.base import AnswerForm, Message, Request
from reviewers.backends.budgeted import Budget
from reviewers.backends.capabilities import Abilities, Ability
from reviewers.backends.configured import BudgetConfig, ReviewerConfig
from reviewers.backends.factory import Servers
from reviewers.errors import BackendError

_QUESTION = "Is a ball round? Answer in JSON with one key `answer`, which is yes or no."
_SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["answer"],
    "additionalProperties": False,
}
_MOST_TOKENS = 300
_LONGEST_SECONDS = 30.0
_SHOWN = 80
_APIS = {"responses": "the Responses API", "chat": "the Chat Completions API"}
_ANSWERS = {
    "schema": "answers in a given schema",
    "json": "answers in JSON without a schema",
    "text": "answers in free text",
}


async def try_out(config: ReviewerConfig) -> tuple[bool, str]:
    """Ask a reviewer's model a one-line question; return whether it answered, and one line about
    the result.
    """
    once = replace(
        config,
        retries=0,
        timeout=min(config.timeout, _LONGEST_SECONDS),
        max_output_tokens=min(config.max_output_tokens, _MOST_TOKENS),
    )
    request = Request(
        server=once.base_url,
        model=once.model,
        messages=(Message("user", _QUESTION),),
        form=AnswerForm("areachair_trial", _SCHEMA),
        max_output_tokens=once.max_output_tokens,
        temperature=once.temperature,
        seed=once.seed,
        effort=once.effort,
    )
    servers = Servers(settings.abilities_file(), None)
    start = time.perf_counter()
    try:
        reply = await servers.backend(once, Budget(BudgetConfig()), fresh=True).complete(request)
    except BackendError as error:
        return False, f"after {time.perf_counter() - start:.1f} s: {error}"
    finally:
        await servers.close()
    said = " ".join(reply.text.split())
    shown = said if len(said) <= _SHOWN else f"{said[:_SHOWN]}…"
    return (
        True,
        (
            f"{reply.model or once.model} answered in {time.perf_counter() - start:.1f}"
            f" s{_ability(once)}: {shown}"
        ),
    )


def _ability(config: ReviewerConfig) -> str:
    """The detected abilities of the server, in words."""
    known = Abilities(settings.abilities_file())
    ability = known.find(config.base_url, config.model) or known.find(
        config.base_url, f"{config.model} ({config.api})"
    )
    return _words(ability) if ability else ""


def _words(ability: Ability) -> str:
    return f", speaks {_APIS[ability.api]} and {_ANSWERS[ability.answer]}"
