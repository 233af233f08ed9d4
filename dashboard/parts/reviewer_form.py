"""The form for one reviewer. Input is kept until it is saved, except what may be a key in the wrong
field.
"""

import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any, get_args

import streamlit as st

from dashboard.parts.plain import plain
from reviewers.backends.configured import Form, ReviewerConfig, key_env_problem
from reviewers.backends.prices import Prices
from reviewers.errors import ReviewerError
from reviewers.providers import APIS, OPENAI, PROVIDERS

SERVERS = {
    **{each.url: each.title for each in PROVIDERS},
    "http://localhost:8000/v1": "vLLM on this machine",
    "http://localhost:11434/v1": "Ollama on this machine",
    "http://localhost:8080/v1": "llama.cpp on this machine",
}
_KEYS = ", ".join(f"{each.key_variable} goes to {each.title}" for each in PROVIDERS)
_BY_SERVER = "server default"
_NUMBERS: tuple[tuple[str, str, str], ...] = (
    ("window", "Context window (tokens)", "unknown"),
    ("max_output_tokens", "Maximum answer (tokens)", ""),
    ("timeout", "Time-out (seconds)", ""),
    ("concurrency", "Concurrent requests", ""),
    ("retries", "Retries", ""),
    ("requests_per_minute", "Requests per minute", "no limit"),
    ("tokens_per_minute", "Tokens per minute", "no limit"),
)


def fill(config: ReviewerConfig) -> None:
    """Put a reviewer into the form; to be called in a callback or before the form is drawn."""
    for each in fields(ReviewerConfig):
        if each.name != "prices":
            value = getattr(config, each.name)
            st.session_state[_key(each.name)] = (
                str(value) if each.name == "seed" and value is not None else value
            )
    for price in fields(Prices):
        st.session_state[_key(f"price_{price.name}")] = getattr(config.prices, price.name)


def reviewer_form(
    title: str, problem: str, on_keep: Callable[[], None], on_leave: Callable[[], None]
) -> None:
    """Draw the form; `filled` reads it in the callbacks.

    Args:
        problem: what is wrong with what was typed last; empty if nothing is.
    """
    with st.form("reviewer", border=True, enter_to_submit=False):
        st.subheader(title, anchor=False)
        name, model, server, variable = st.columns(4)
        name.text_input("Name", key=_key("name"), help="Its name on screen and in the store.")
        model.text_input("Model", key=_key("model"), help="The server's name of the model.")
        server.selectbox(
            "Server",
            _with(list(SERVERS), st.session_state.get(_key("base_url"))),
            key=_key("base_url"),
            format_func=lambda url: f"{url}  ({SERVERS[url]})" if url in SERVERS else str(url),
            accept_new_options=True,
            help="Address of its API; choose one or type your own.",
        )
        variable.text_input(
            "Environment variable with the key",
            key=_key("key_env"),
            placeholder="the provider's own variable",
            help=(
                f"The name of an environment variable, such as {OPENAI.key_variable}. Never the key"
                f" itself. If empty, {_KEYS}, and no key to any other server. keys.toml on this"
                " machine says which variable may go to which other server."
            ),
            autocomplete="off",
        )
        with st.expander("Prices, limits and options"):
            _options()
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.form_submit_button("Save reviewer", type="primary", on_click=on_keep)
            st.form_submit_button("Cancel", on_click=on_leave)
            if problem:
                st.markdown(f":red[{plain(problem)}]")


def filled() -> ReviewerConfig:
    """Return the values of the form.

    Raises:
        ReviewerError: something in it makes no sense. What may be a key is taken out of the form,
            and is not repeated.
    """
    values: dict[str, Any] = {
        each.name: st.session_state.get(_key(each.name))
        for each in fields(ReviewerConfig)
        if each.name != "prices"
    }
    values["key_env"] = _variable(values["key_env"])
    for each in ("name", "model", "base_url"):
        values[each] = (values[each] or "").strip()
    values["effort"] = (values["effort"] or "").strip() or None
    values["seed"] = _seed(values["seed"])
    prices = Prices(
        *(st.session_state.get(_key(f"price_{price.name}")) for price in fields(Prices))
    )
    return ReviewerConfig(**values, prices=prices)


def empty() -> None:
    """Forget what was typed."""
    for name in [name for name in st.session_state if str(name).startswith(_key(""))]:
        del st.session_state[name]


def _options() -> None:
    prices = st.columns(4)
    labels = {
        "input": "$ per million input tokens",
        "cached": "cached input tokens",
        "output": "output tokens",
    }
    for column, (name, label) in zip(prices, labels.items(), strict=False):
        _number(column, f"price_{name}", label, "unknown", 0.1)
    prices[3].selectbox("Answer format", get_args(Form), key=_key("form"))
    limits = st.columns(4) + st.columns(4)
    for column, (name, label, none) in zip(limits, _NUMBERS, strict=False):
        _number(column, name, label, none, 10.0 if name == "timeout" else 1)
    limits[7].selectbox("API", APIS, key=_key("api"))
    temperature, seed, effort, how = st.columns(4)
    _number(temperature, "temperature", "Temperature", _BY_SERVER, 0.1)
    seed.text_input("Seed", key=_key("seed"), placeholder=_BY_SERVER)
    effort.text_input(
        "Effort",
        key=_key("effort"),
        placeholder=_BY_SERVER,
        help="For reasoning models: low, medium or high.",
    )
    how.checkbox("Stream the answer", key=_key("stream"))
    how.checkbox("Ask file by file if too long", key=_key("split"))


def _number(column: Any, name: str, label: str, none: str, step: float) -> None:
    shown = "%d" if isinstance(step, int) else "%g"
    column.number_input(
        label, key=_key(name), value=None, step=step, format=shown, placeholder=none
    )


def _variable(typed: str | None) -> str | None:
    name = (typed or "").strip()
    if problem := key_env_problem(name):
        st.session_state[_key("key_env")] = ""
        raise ReviewerError(problem)
    return name or None


def _seed(typed: str | None) -> int | None:
    words = (typed or "").strip()
    if not words:
        return None
    if not re.fullmatch(r"-?\d{1,19}", words, re.ASCII):
        raise ReviewerError("seed must be a whole number")
    return int(words)


def _with(known: list[str], value: str | None) -> list[str]:
    return [*known, value] if value and value not in known else known


def _key(name: str) -> str:
    return f"reviewer-form-{name}"
