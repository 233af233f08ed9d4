"""The console script: the command line, and the server that `areachair` starts without a
subcommand.
"""

import signal
import socket
import sys
import threading
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing, suppress
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from reviewers import settings
from reviewers.cli import build
from reviewers.cli.serving import DashboardOptions
from reviewers.errors import AreachairError
from reviewers.roles import GroupRoles, Role

_HERE = Path(__file__).parent
_UPLOAD_MEGABYTES = 20
_PATIENCE_SECONDS = 60.0
_SECONDS_TO_END = 5
_FIRST = ("dashboard.views.inbox", "pandas", "pyarrow.compute")
"""What the first page imports, Streamlit's part of it last: there is time for it while a browser
loads the scripts.
"""
_WAITED_FOR = tuple(
    f"dashboard.views.{name}"
    for name in ("submission", "side_by_side", "trends", "reviewers", "settings")
)
"""What the other pages import, in the order in which a visitor is likely to come to them."""
_PATIENCE_WITH_VISITORS = 5.0


def main() -> None:
    """Run the command line."""
    build(serve)()


def serve(options: DashboardOptions) -> None:
    """Serve the dashboard until it is stopped, by as many processes as the options say; print its
    address once it answers. A proxy's configuration is written before, or is all that is printed.

    Raises:
        AreachairError: a port is taken, the address is not one of this machine, signing in is set
            up by halves, the store cannot be opened, the given name cannot sign, the proxy's
            configuration cannot be written, or a web process died again and again.
    """
    if options.proxy is not None and _configure_proxy(options):
        return
    for each in _web_processes(options):
        _check_port(each)
    login = settings.login()
    if options.processes > 1 and not options.process:
        _serve_several(options)
        return
    from dashboard import samples

    if not options.process:
        samples.begin(options.store_url)
    # Streamlit takes more than a second to import; the other commands do without it.
    import streamlit as st
    from starlette.middleware import Middleware
    from starlette.routing import Route
    from streamlit import config, file_util

    from dashboard.first_paint import FirstPaint
    from dashboard.headers import SecurityHeaders
    from dashboard.login import ReturnAfterLogin, secrets
    from dashboard.message_queue import keep_boxes_with_contents
    from dashboard.request_guard import EXPORTS, HEALTH, RequestGuard
    from dashboard.server_state import serve_to
    from dashboard.sessions import Sessions
    from dashboard.uploads import Uploads

    if not options.process:
        _open_for_good(options)
    # Streamlit would obey the folder that the desk is started in, which may be a submission's.
    config.get_config_files = lambda file_name: [file_util.get_streamlit_file_path(file_name)]
    keep_boxes_with_contents()
    serve_to(options)
    if not options.process:
        threading.Thread(target=_announce, args=(options,), daemon=True).start()
    address = None if login is None else login.address
    middleware = [
        Middleware(SecurityHeaders),
        Middleware(RequestGuard, options=options, address=address),
        Middleware(FirstPaint, secure=(address or "").startswith("https://")),
    ]
    if login is not None:
        middleware += [
            Middleware(ReturnAfterLogin, secure=login.address.startswith("https://")),
            Middleware(Sessions, login=login),
        ]
    largest = _UPLOAD_MEGABYTES * 2**20
    middleware.append(Middleware(Uploads, largest=largest, processes=options.processes))
    app = st.App(
        _HERE / "app.py",
        routes=[Route(HEALTH, _health), Route(EXPORTS + "{key}", _export)],
        middleware=middleware,
        lifespan=_lifespan,
        secrets=None if login is None else secrets(login),
    )
    app.run(config=_config(options, address))


def _configure_proxy(options: DashboardOptions) -> bool:
    """Write the proxy's configuration where the options say; return whether that is all."""
    from dashboard.proxy import proxy_configuration, write_configuration

    text = proxy_configuration(options)
    if options.proxy_file is None:
        print(text, end="")
        return True
    write_configuration(text, Path(options.proxy_file))
    return False


def _web_processes(options: DashboardOptions) -> Sequence[DashboardOptions]:
    """The processes that these options stand for: this one, or all that it starts."""
    if options.processes == 1 or options.process:
        return [options]
    return [options.web_process(number) for number in range(1, options.processes + 1)]


def _serve_several(options: DashboardOptions) -> None:
    """Do what is done once for all web processes, and run them."""
    from dashboard import samples
    from dashboard.processes import run_processes

    try:
        samples.begin(options.store_url)
        _open_for_good(options)
        threading.Thread(target=_announce, args=(options,), daemon=True).start()
        run_processes(options)
    finally:
        samples.let_go()


def _open_for_good(options: DashboardOptions) -> None:
    """Bring the store up to date and begin to fill an empty one; check the name that signs."""
    from dashboard import samples

    groups = settings.group_roles()
    samples.fill(options.store_url)
    if settings.login() is not None:
        _say_if_nobody_configures(options, groups)
    if settings.author_given():
        from reviewers.cli.authors import acting

        acting()  # reported before anything is to be signed


def _config(options: DashboardOptions, address: str | None) -> dict[str, Any]:
    config = {
        "server.address": options.listens[0],
        "server.port": options.listens[1],
        "server.headless": True,
        "server.fileWatcherType": "none",
        "server.maxUploadSize": _UPLOAD_MEGABYTES,
        # It knows nothing of signing in, and its callers would be nobody.
        "server.enableAgentApi": False,
        "browser.gatherUsageStats": False,
        "client.toolbarMode": "minimal",
        "client.showErrorDetails": "none",
        "client.showErrorLinks": False,
        "logger.hideWelcomeMessage": True,
        # The collection of garbage after each run costs about 90 ms and finds next to nothing.
        "runner.postScriptGC": False,
        "theme.base": str(_HERE / "theme.toml"),
    }
    if address is not None:
        # A proxy may pass on another name than the browser's: what `RequestGuard` let in must not
        # be looked up outside.
        config["browser.serverAddress"] = urlsplit(address).hostname
    return config


def _say_if_nobody_configures(options: DashboardOptions, groups: GroupRoles) -> None:
    """Print one line where nobody who signs in is an operator."""
    from reviewers.store import Store
    from reviewers.store.person_roles import has_operator

    if groups.otherwise is Role.OPERATOR or Role.OPERATOR in groups.groups:
        return
    with closing(Store.open(options.store_url)) as store:
        if not has_operator(store):
            print(
                f"nobody is an operator yet, and who signs in is a {groups.otherwise}: give roles"
                " with `areachair role PERSON operator`, or set AREACHAIR_ROLE_OPERATOR",
                flush=True,
            )


async def _export(request: Any) -> Any:
    from dashboard.exports import send_file  # it would take its time at the start

    return await send_file(request)


async def _health(_: Any) -> Any:
    from starlette.responses import PlainTextResponse

    return PlainTextResponse("ok")


@asynccontextmanager
async def _lifespan(_: Any) -> AsyncIterator[None]:
    threading.Thread(target=_warm_up, daemon=True).start()
    import asyncio

    # The server waits without end for a browser that never finishes its request; the system does
    # not. What Streamlit sets for these signals later is called as well.
    with suppress(NotImplementedError):
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, signal.alarm, _SECONDS_TO_END)
    yield
    from dashboard import jobs, samples, session

    samples.let_go()
    jobs.own_worker.end()
    session.let_go()


def _warm_up() -> None:
    """Begin to work; import and count what the first pages would wait for: seconds on a cold
    machine or in a large store.
    """
    from dashboard import jobs, session
    from dashboard.server_state import page_drawn, store_url, works_itself
    from reviewers.batch.bundles import collect_less

    with suppress(AreachairError):
        if works_itself():
            jobs.own_worker.serve(store_url())
    with suppress(AreachairError):
        _note_configuration()
    for name in _FIRST:
        import_module(name)
    page_drawn.wait(_PATIENCE_WITH_VISITORS)  # the first page would share its processor with us
    for name in _WAITED_FOR:
        import_module(name)
    # Of the seconds that thousands of findings took, a third went into looking for garbage.
    collect_less()
    from reviewers.backends.configured import load
    from reviewers.backends.factory import provider_module
    from reviewers.rules import registered
    from reviewers.store.trends import TrendsQuery, looked_at

    registered()
    with suppress(AreachairError):
        for reviewer in load(settings.reviewers_file()).reviewers:
            provider_module(reviewer).load_sdk()
    with suppress(AreachairError):
        session.past()
        looked_at(session.store(), TrendsQuery())


def _note_configuration() -> None:
    """Log who has which role by their groups; the reviewers' file is logged as it is read."""
    from dashboard import session
    from dashboard.open_store import server_store
    from reviewers.store.change_log import note_configuration

    if settings.login() is not None:
        about = f"roles by groups on {socket.gethostname()}"
        note_configuration(server_store(), about, str(settings.group_roles()))
    session.configuration()


def _check_port(options: DashboardOptions) -> None:
    host, port = options.listens
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        problem = error.strerror or str(error)
        raise AreachairError(
            f"cannot listen on {host}:{port} ({problem}); choose another with --host and --port"
        ) from None


def _announce(options: DashboardOptions) -> None:
    """Print the address once the server answers, and show it in a browser where that was asked for
    and there is a desktop.
    """
    web = _web_processes(options)
    if not all(map(_answers, map(_address, web))):
        return
    address = _address(web[0])
    if len(web) > 1:
        print(
            f"areachair is ready: {address} to {_address(web[-1])}, behind a proxy (--proxy caddy"
            " or nginx prints its configuration)  (Ctrl+C stops all)",
            flush=True,
        )
        return
    print(f"areachair is ready: {address}  (Ctrl+C stops it)", flush=True)
    if options.open_browser and sys.stdout.isatty():
        _show(address)


def _address(options: DashboardOptions) -> str:
    host, port = options.listens
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "::1": "[::1]"}.get(host, host)
    return f"http://{host}:{port}"


def _answers(address: str) -> bool:
    """Wait until a server answers; False if it does not."""
    import urllib.request

    # No proxy of the environment is between the process and itself.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline:
        with suppress(OSError), opener.open(f"{address}/health", timeout=5) as answer:
            if answer.read() == b"ok":
                return True
        time.sleep(0.02)
    return False


def _show(address: str) -> None:
    """Open the address where there is a browser with windows; one that runs in the terminal would
    take it over.
    """
    import webbrowser

    with suppress(webbrowser.Error):
        if type(webbrowser.get()) is not webbrowser.GenericBrowser:
            webbrowser.open(address)
