"""The exact prompt that a model receives, message by message; very long messages are shortened on
screen only.
"""

from collections.abc import Sequence
from typing import Any

from dashboard.parts.component import load
from dashboard.parts.figures import number
from dashboard.parts.plain import one_line, visible
from reviewers.panel.prompts import Prompt

MAX_SHOWN = 400_000
_mount = load("prompt_view")


def prompt_view(prompts: Sequence[Prompt], *, key: str) -> None:
    """Draw prompts one after the other."""
    left = MAX_SHOWN
    shown: list[dict[str, Any]] = []
    for prompt in prompts:
        messages = []
        for message in prompt.messages:
            text, left = message.text[:left], max(0, left - len(message.text))
            messages.append(
                {"role": message.role, "text": visible(text), "cut": len(message.text) - len(text)}
            )
        parts = [[one_line(part.title), number(part.tokens)] for part in prompt.parts]
        shown.append(
            {
                "title": f"{prompt.template} · {number(prompt.tokens)} tokens",
                "parts": parts,
                "messages": messages,
            }
        )
    _mount(key=key, data={"prompts": shown})
