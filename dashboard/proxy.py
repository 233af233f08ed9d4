"""The configuration of a reverse proxy in front of several web processes, for Caddy and nginx.

A browser stays with its web process: a cookie names it. Streamlit keeps a page's state in the
process that its websocket is connected to, and a file that is uploaded must reach the same one.
Where a process does not answer, another one takes over its browsers, and keeps them.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from reviewers import settings
from reviewers.atomic_file import replace_file
from reviewers.cli.serving import DashboardOptions, Proxy
from reviewers.errors import AreachairError, printable

_COOKIE = "areachair_process"
_MEGABYTES = 21
"""Of a request: an uploaded file of 20 MB and the form around it."""

_MARK = "# Written by areachair, and again as long as nobody changes it: "


@dataclass(frozen=True, slots=True)
class _Site:
    """What browsers address: `name` is empty where any name leads here."""

    secure: bool
    name: str
    address: str
    port: int
    processes: Sequence[str]


def proxy_configuration(options: DashboardOptions) -> str:
    """Return the configuration of the proxy that the options ask for.

    Raises:
        AreachairError: signing in is set up by halves.
    """
    assert options.proxy is not None
    text = _WRITERS[options.proxy](_site(options))
    return f"{_MARK}{_digest(text)}\n{text}"


def write_configuration(text: str, path: Path) -> None:
    """Write a configuration of ours into a file.

    Raises:
        AreachairError: the file is not ours or was changed since, or it cannot be written.
    """
    if not _is_ours(path):
        raise AreachairError(
            f"{printable(str(path))}: areachair did not write this file, or somebody changed it"
            " since; name another --proxy-file, or move it away"
        )
    try:
        replace_file(path, text)
        path.chmod(0o644)  # the proxy runs as another user, and nothing of it is secret
    except OSError as error:
        reason = error.strerror or str(error)
        raise AreachairError(f"{printable(str(path))}: cannot be written ({reason})") from None


def _is_ours(path: Path) -> bool:
    """Whether a file may be written: there is none, or what we wrote is unchanged."""
    with suppress(UnicodeDecodeError, OSError):
        first, _, rest = path.read_text("utf-8").partition("\n")
        return first == f"{_MARK}{_digest(rest)}"
    return not path.exists()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _site(options: DashboardOptions) -> _Site:
    each = (options.web_process(number) for number in range(1, options.processes + 1))
    processes = [f"{address}:{port}" for address, port in (one.listens for one in each)]
    login = settings.login()
    if login is not None:
        parts = urlsplit(login.address)
        secure = parts.scheme == "https"
        port = parts.port or (443 if secure else 80)
        return _Site(secure, parts.hostname or "", "", port, processes)
    everywhere = options.host in ("", "0.0.0.0", "::")
    address = "" if everywhere else f"[{options.host}]" if ":" in options.host else options.host
    return _Site(False, "", address, options.port, processes)


def _caddy(site: _Site) -> str:
    scheme = "https" if site.secure else "http"
    usual = site.port == (443 if site.secure else 80)
    port = "" if site.name and usual else f":{site.port}"
    bind = f"\tbind {site.address}\n" if site.address else ""
    return f"""\
{scheme}://{site.name}{port} {{
{bind}\trequest_body {{
\t\tmax_size {_MEGABYTES}MiB
\t}}
\treverse_proxy {" ".join(site.processes)} {{
\t\tlb_policy cookie {_COOKIE}
\t\tlb_try_duration 5s
\t\tfail_duration 5s
\t\thealth_uri /health
\t\thealth_interval 5s
\t\thealth_timeout 20s
\t}}
}}
"""


def _nginx(site: _Site) -> str:
    ports = {each: each.rpartition(":")[2] for each in site.processes}
    own = "".join(
        _upstream(f"areachair_{port}", [each, *(one for one in site.processes if one != each)])
        for each, port in ports.items()
    )
    choice = "".join(f"    {port} areachair_{port};\n" for port in ports.values())
    anybody = "".join(f"    {_server(each)};\n" for each in site.processes)
    place = f"{site.address}:{site.port}" if site.address else str(site.port)
    kept = "Path=/; HttpOnly; SameSite=Lax" + "; Secure" * site.secure
    tls = (
        f"""\
    ssl_certificate     /etc/letsencrypt/live/{site.name}/fullchain.pem;
    ssl_certificate_key /etc/letsencrypt/live/{site.name}/privkey.pem;
"""
        if site.secure
        else ""
    )
    return f"""\
# To be included in nginx's http block, for instance as /etc/nginx/conf.d/areachair.conf.
upstream areachair {{
    least_conn;
{anybody}}}
{own}\
# The cookie names the process that answered last, by its port.
map $cookie_{_COOKIE} $areachair_upstream {{
{choice}\
    default areachair;
}}
map $upstream_addr $areachair_answered {{
    "~:(?<areachair_port>\\d+)$" $areachair_port;
}}
map "$cookie_{_COOKIE} $areachair_answered" $areachair_cookie {{
    "~^(\\d+) \\1$" "";
    default "{_COOKIE}=$areachair_answered; {kept}";
}}
map $http_upgrade $areachair_connection {{
    default upgrade;
    "" "";
}}
server {{
    listen {place}{" ssl" * site.secure};
    server_name {site.name or "_"};
{tls}\
    client_max_body_size {_MEGABYTES}m;
    location / {{
        proxy_pass http://$areachair_upstream;
        proxy_http_version 1.1;
        proxy_set_header Host $http_host;
        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header Connection $areachair_connection;
        proxy_connect_timeout 5s;
        proxy_read_timeout 10m;
        proxy_request_buffering off;
        proxy_max_temp_file_size 0;
        add_header Set-Cookie $areachair_cookie always;
    }}
}}
"""


def _upstream(name: str, servers: Sequence[str]) -> str:
    first, *others = servers
    lines = [_server(first), *(f"{_server(each)} backup" for each in others)]
    return f"upstream {name} {{\n" + "".join(f"    {each};\n" for each in lines) + "}\n"


def _server(address: str) -> str:
    return f"server {address} max_fails=1 fail_timeout=5s"


_WRITERS: Mapping[Proxy, Callable[[_Site], str]] = {Proxy.CADDY: _caddy, Proxy.NGINX: _nginx}
