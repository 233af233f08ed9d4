"""Starts the console script in processes that find its libraries loaded: importing them takes
longer than most tests of it. One process of each test run loads them, and is forked.
"""

import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from runpy import run_path

_ROOT = Path(__file__).parents[1]
_LARGE = ("openai", "pandas", "plotly.graph_objects", "pyarrow", "streamlit.web.bootstrap")


def _ours() -> Iterator[str]:
    """The modules that a desk and a review need sooner or later; Streamlit runs `app.py`."""
    for folder in ("dashboard", "reviewers/rules", "reviewers/store"):
        for path in sorted((_ROOT / folder).rglob("*.py")):
            name = path.relative_to(_ROOT).with_suffix("").as_posix().replace("/", ".")
            if path.stem not in ("__init__", "app") and ".migrations." not in name:
                yield name


FORKING = get_context("forkserver")
FORKING.set_forkserver_preload([*_LARGE, *_ours()])


def start_console(
    words: list[str],
    environment: Mapping[str, str] | None,
    out: int,
    err: int,
    orders: Connection | None = None,
) -> BaseProcess:
    """Start the console script with these words.

    Args:
        environment: of the process; this one's where none is given. A `sitecustomize.py` in its
            `PYTHONPATH` is run.
        out, err: the descriptors that it writes to.
        orders: where a desk hears of the next store that it serves, see `_obey`.
    """
    given = dict(os.environ if environment is None else environment)
    ends = [Connection(os.dup(end), readable=False) for end in (out, err)]
    process = FORKING.Process(target=_console, args=(words, given, *ends, orders))
    process.start()
    for end in ends:
        end.close()
    return process


def _console(
    words: list[str],
    environment: Mapping[str, str],
    out: Connection,
    err: Connection,
    orders: Connection | None,
) -> None:
    from dashboard.serve import main

    os.environ.clear()
    os.environ.update(environment)
    os.dup2(out.fileno(), 1)
    os.dup2(err.fileno(), 2)
    out.close()
    err.close()
    sys.argv = ["areachair", *words]
    first = Path(environment.get("PYTHONPATH", ""), "sitecustomize.py")
    if first.is_file():
        run_path(str(first))  # as Python does before all else
    if orders is not None:
        threading.Thread(target=_obey, args=(orders,), daemon=True).start()
    main()


def _obey(orders: Connection) -> None:
    """Serve what each order says, with its environment and nothing kept of the one before."""
    import streamlit as st

    from dashboard.server_state import serve_to

    with suppress(EOFError):
        while True:
            options, environment = orders.recv()
            os.environ.clear()
            os.environ.update(environment)
            serve_to(options)
            st.cache_resource.clear()  # closes the store that was open
            orders.send("served")
