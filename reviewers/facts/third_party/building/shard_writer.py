"""Writes the file of one library, which `reviewers.facts.third_party.shard` reads."""

import json
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from reviewers.facts.third_party.shard import MAGIC, Table

_CHUNK = 200_000  # bytes before compression


def write_shard(
    path: Path,
    library: str,
    versions: Sequence[str],
    unknown: Sequence[str],
    modules: Mapping[str, tuple[int, Table]],
    compiled: Collection[str] = (),
    assigned: Mapping[str, str] | None = None,
) -> int:
    """Write a library's file and return its size.

    Args:
        modules: name → (mask of the versions that have it, its table).
        compiled: names that the compiled code spells.
        assigned: attributes that the library sets on objects of unknown class: what these are
            called → names.
    """
    every = (1 << len(versions)) - 1
    bodies: list[bytes] = []
    placed: dict[str, list[int]] = {}
    pending: list[bytes] = []
    for name in sorted(modules, key=_likeness):
        present, table = modules[name]
        placed[name] = [len(bodies)] if present == every else [len(bodies), present]
        pending.append(name.encode() + b"\t" + _json(table))
        if sum(map(len, pending)) >= _CHUNK:
            bodies.append(zlib.compress(b"\n".join(pending), 9))
            pending = []
    bodies.append(zlib.compress(b"\n".join(pending), 9))
    bodies.append(zlib.compress("".join(f"{name}\n" for name in _longest(compiled)).encode(), 9))
    chunks, offset = [], 0
    for body in bodies:
        chunks.append([offset, len(body)])
        offset += len(body)
    facts = {
        "library": library,
        "versions": versions,
        "unknown": unknown,
        "assigned": assigned or {},
        "chunks": chunks,
        "modules": dict(sorted(placed.items())),
    }
    header = zlib.compress(_json(facts), 9)
    content = MAGIC + len(header).to_bytes(4, "big") + header + b"".join(bodies)
    path.write_bytes(content)
    return len(content)


def _likeness(module: str) -> tuple[str, str]:
    """Sort modules that resemble each other together: `bert.modeling_bert` is more like
    `t5.modeling_t5` than its neighbours.
    """
    package, _, last = module.rpartition(".")
    before, named_after, behind = last.partition(f"_{package.rpartition('.')[2]}")
    return (before + behind if named_after and package else "", module)


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def _longest(names: Collection[str]) -> Iterator[str]:
    """The names that are not the end of another one, which would be found in it anyway."""
    turned = sorted(name[::-1] for name in names)
    for name, following in zip(turned, [*turned[1:], ""][: len(turned)], strict=True):
        if not following.startswith(name):
            yield name[::-1]
