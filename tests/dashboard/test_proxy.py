"""Guards the configuration of the proxy in front of several web processes: a real nginx and a real
Caddy take it, a browser stays with its process, and another one takes over where that is gone.
"""

import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from dashboard.proxy import proxy_configuration, write_configuration
from dashboard.serve import serve
from reviewers.cli.serving import DashboardOptions, Proxy
from reviewers.errors import AreachairError
from tests.conftest import Run
from tests.dashboard.clients import Got, request
from tests.dashboard.models import until
from tests.dashboard.serving import free_port
from tests.dashboard.signing_in import login_of

PROXIES = [Proxy.CADDY, Proxy.NGINX]


def options(
    proxy: Proxy, host: str = "127.0.0.1", port: int = 8501, processes: int = 2
) -> DashboardOptions:
    is_open = host != "127.0.0.1"
    return DashboardOptions(
        "sqlite://", host, port, False, is_open, processes=processes, proxy=proxy
    )


def program(name: str) -> str:
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin")
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def started_by_nginx(folder: Path, text: str) -> list[str]:
    """Write a main file around a configuration of ours; return the command that reads it."""
    write_configuration(text, folder / "areachair.conf")
    main = folder / "main.conf"
    main.write_text(
        f"daemon off; pid {folder}/pid; error_log stderr; events {{}}\n"
        f"http {{ access_log off; client_body_temp_path {folder}/body;"
        f" proxy_temp_path {folder}/proxy; include {folder}/areachair.conf; }}\n"
    )
    return [program("nginx"), "-e", "stderr", "-c", str(main)]


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "::1"])
def test_nginx_takes_it(host: str, tmp_path: Path) -> None:
    text = proxy_configuration(options(Proxy.NGINX, host, free_port()))
    command = started_by_nginx(tmp_path, text)
    done = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
    assert "test is successful" in done.stderr


def test_caddy_takes_it(tmp_path: Path) -> None:
    text = proxy_configuration(options(Proxy.CADDY, "0.0.0.0"))
    (tmp_path / "Caddyfile").write_text(text)
    words = ["adapt", "--adapter", "caddyfile", "--config", str(tmp_path / "Caddyfile")]
    done = subprocess.run(
        [program("caddy"), *words], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert '"policy":"cookie"' in done.stdout
    assert "127.0.0.1:8502" in done.stdout


@pytest.mark.parametrize("proxy", PROXIES)
def test_who_signs_in_reaches_the_proxy_by_its_name_over_tls(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "https" not in proxy_configuration(options(proxy))
    for name, value in login_of("https://sso", "https://review.lab.example").items():
        monkeypatch.setenv(name, value)
    made = DashboardOptions("sqlite://", "0.0.0.0", 8501, False, processes=3, proxy=proxy)
    text = proxy_configuration(made)
    site = {
        Proxy.CADDY: ["https://review.lab.example {"],
        Proxy.NGINX: ["listen 443 ssl;", "server_name review.lab.example;", "; Secure"],
    }
    for part in (*site[proxy], "127.0.0.1:8502", "127.0.0.1:8503", "127.0.0.1:8504"):
        assert part in text
    assert "8505" not in text


@contextmanager
def process(port: int) -> Iterator[None]:
    """Stands for a web process: says who it is, and how large a body was."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = f"{port} {self.headers['host']}".encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", port), Answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()


def test_a_browser_stays_with_its_process_until_that_is_gone(tmp_path: Path) -> None:
    port = free_port()
    command = started_by_nginx(tmp_path, proxy_configuration(options(Proxy.NGINX, port=port)))
    address = f"http://127.0.0.1:{port}"

    def ask(process: object = "") -> Got:
        return request(address, "/", cookie=f"other=1; areachair_process={process}")

    def answers() -> bool:
        try:
            return ask().status in (200, 502)
        except OSError:
            return False

    with ExitStack() as stack:
        first = stack.enter_context(ExitStack())
        first.enter_context(process(port + 1))
        stack.enter_context(process(port + 2))
        nginx = stack.enter_context(subprocess.Popen(command, stderr=subprocess.DEVNULL))
        stack.callback(nginx.terminate)
        until(answers)
        for mine in (port + 1, port + 2):
            got = ask(mine)
            assert got.text == f"{mine} 127.0.0.1:{port}", "the host is the browser's"
            assert got.cookies == {}, "it has its cookie"
        new = ask()
        assert new.cookies == {"areachair_process": new.text.split()[0]}
        assert ask("nonsense").status == 200
        first.close()
        moved = ask(port + 1)
        assert moved.text.startswith(f"{port + 2} ")
        assert moved.cookies == {"areachair_process": str(port + 2)}
        with process(port + 1):
            assert ask(port + 2).text.startswith(f"{port + 2} "), "it stays where it went"


def test_a_file_that_somebody_else_wrote_or_changed_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "areachair.conf"
    before = proxy_configuration(options(Proxy.NGINX))
    now = proxy_configuration(options(Proxy.NGINX, processes=3))
    write_configuration(before, path)
    write_configuration(now, path)
    assert path.read_text() == now
    assert path.stat().st_mode & 0o777 == 0o644, "the proxy is another user"
    for theirs in (now.replace("10m", "20m"), "mine\n", "", "\udcff"):
        path.write_text(theirs, errors="surrogateescape")
        with pytest.raises(AreachairError, match="did not write this file, or somebody changed it"):
            write_configuration(now, path)
        assert path.read_text(errors="surrogateescape") == theirs
    with pytest.raises(AreachairError, match=r"nowhere.*cannot be written"):
        write_configuration(now, tmp_path / "nowhere" / "file")


def test_it_is_printed_and_nothing_is_served(capsys: pytest.CaptureFixture[str]) -> None:
    for proxy in PROXIES:
        serve(options(proxy))
        assert capsys.readouterr().out == proxy_configuration(options(proxy))


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--proxy", "nginx"], "add --processes 2"),
        (["--processes", "2", "--proxy-file", "f"], "requires --proxy"),
        (["--processes", "9", "--port", "65530"], "choose a smaller --port"),
    ],
)
def test_what_does_not_go_together_is_one_line(
    run: Run, opened: list[DashboardOptions], words: list[str], problem: str
) -> None:
    done = run(*words)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert problem in done.stderr
    assert opened == []
    assert run("--processes", "4").exit_code == 0
    assert opened[0].processes == 4
