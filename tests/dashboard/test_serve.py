"""Guards the start of the server where no browser is needed: a taken port is one line, and imports
stay light.
"""

import socket
import subprocess
import sys
from urllib.parse import urlsplit

import pytest

from dashboard.serve import serve
from reviewers.cli import DashboardOptions
from reviewers.errors import AreachairError
from tests.dashboard.serving import Server


def test_a_taken_port_is_one_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(AreachairError, match=f"cannot listen on 127.0.0.1:{port} .*--port"):
            serve(DashboardOptions("sqlite://", "127.0.0.1", port, False))


def test_the_command_line_does_not_import_streamlit() -> None:
    code = (
        "import sys, dashboard.serve; sys.exit(bool({'streamlit', 'pandas', 'plotly'} &"
        " sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.long
def test_a_request_that_never_ends_does_not_keep_the_server(url: str) -> None:
    with Server(url) as server:
        address = urlsplit(server.address)
        waiting = socket.create_connection((address.hostname, address.port))
        head = "POST /_stcore/health HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n"
        waiting.sendall(head.encode() + b"half")
        server.stop()
    waiting.close()
