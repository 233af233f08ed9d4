"""Converts the URIs of a SARIF file to paths: absolute, relative to nested bases, or in Windows'
form.
"""

import posixpath
import re
from collections.abc import Mapping
from urllib.parse import unquote

_LONGEST_CHAIN = 10
_LONGEST = 2_000
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")  # two letters at least: `C:` is a drive
_DRIVE = re.compile(r"/?([A-Za-z])[:|](?=/|$)")


class UriBases:
    """The named bases of one run.

    Args:
        bases: URI and the name of the base under it, by name; either may be None.
    """

    def __init__(self, bases: Mapping[str, tuple[str | None, str | None]]) -> None:
        self._bases = bases

    def path(self, uri: str, base: str | None) -> str:
        """Return a path with forward slashes, as plain as it can be; a base that nobody explains
        adds nothing.
        """
        found = uri_path(uri)
        for _ in range(_LONGEST_CHAIN):
            if base is None or _is_absolute(found) or base not in self._bases:
                break
            above, base = self._bases[base]
            found = f"{uri_path(above).rstrip('/')}/{found}" if above else found
        plain = posixpath.normpath(found[:_LONGEST]) if found else ""
        # Two leading slashes have a meaning to POSIX, and none here.
        return "" if plain == "." else re.sub("^//+", "/", plain)


def uri_path(uri: str) -> str:
    """Return the path of a URI, percent signs decoded; a plain path of any system passes as it is,
    its slashes turned.
    """
    text = uri.strip()[:_LONGEST]
    scheme = _SCHEME.match(text)
    if scheme is not None:
        text = text[scheme.end() :]
        if text.startswith("//"):
            host, slash, rest = text[2:].partition("/")
            # A drive in the host's place is what some tools write; any other host is not part of a
            # path.
            text = f"{host}{slash}{rest}" if _DRIVE.match(f"{host}/") else f"{slash}{rest}"
    path = unquote(re.sub(r"[?#].*", "", text) if scheme else text).replace("\\", "/")
    return (
        _DRIVE.sub(lambda found: f"{found[1].upper()}:", path, count=1)
        if _DRIVE.match(path)
        else path
    )


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or _DRIVE.match(path) is not None
