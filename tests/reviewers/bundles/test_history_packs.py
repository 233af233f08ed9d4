"""Guards that packed objects come out as they went in, and that packs made to harm their reader do
not.
"""

import hashlib

import pytest

from reviewers.bundles.history import read_history
from reviewers.errors import BundleError
from tests.builders import make_submission
from tests.reviewers.bundles.git_repository import FILE, FOLDER, Repository, delta, packed

SOUND = make_submission()
X, Y = b"x = 1\n" * 20, b"y = 2\n" + b"x = 1\n" * 20
COPY = b"\x06y = 2\n" + b"\x90\x78"
ID = {text: hashlib.sha1(b"blob %d\0" % len(text) + text).hexdigest() for text in (X, Y)}


def entries_of(case: str) -> list[tuple[str, bytes]]:
    x, y = ID[X], ID[Y]
    base, good = packed(3, X), delta(120, 126, COPY)
    cycle = [
        (x, packed(7, delta(126, 120, b""), bytes.fromhex(y))),
        (y, packed(7, good, bytes.fromhex(x))),
    ]
    again = delta(126, 126, b"\x90\x7e")
    on_same, on_base = (
        packed(6, again, bytes([len(packed(6, again, b"1"))])),
        packed(6, again, bytes([len(packed(3, Y))])),
    )

    def chain(length: int) -> list[tuple[str, bytes]]:
        ids = [*(f"{number:040x}" for number in range(length)), y]
        return list(zip(ids, [packed(3, Y), on_base, *[on_same] * (length - 1)], strict=True))

    return {
        "whole": [(x, base), (y, packed(3, Y))],
        "on an offset": [(x, base), (y, packed(6, good, bytes([len(base)])))],
        "on a name": [(x, base), (y, packed(7, good, bytes.fromhex(x)))],
        "on itself": [(x, base), (y, packed(7, good, bytes.fromhex(y)))],
        "in a circle": cycle,
        "on a missing name": [(x, base), (y, packed(7, good, b"\1" * 20))],
        "on offset 0": [(x, base), (y, packed(6, good, b"\0"))],
        "on an offset before the pack": [(x, base), (y, packed(6, good, b"\xff\xff\xff\x7f"))],
        "on an endless offset": [(x, base), (y, packed(6, good, b"\xff" * 5_000))],
        "on too many deltas": chain(1_200),
        "on many deltas": chain(900),
        "of a lie about its size": [(x, base), (y, packed(7, good, bytes.fromhex(x), 3))],
        "of a size without end": [(x, base), (y, packed(7, good, bytes.fromhex(x), 1 << 90))],
        "beyond its base": [
            (x, base),
            (y, packed(7, delta(120, 126, b"\xff\xff\xff\xff\xff\xff\xff\xff"), bytes.fromhex(x))),
        ],
        "of another kind": [(x, base), (y, packed(5, Y))],
        "that makes 10 GB": [
            (x, base),
            (y, packed(7, delta(120, 10**10, COPY * 1_000), bytes.fromhex(x))),
        ],
        "that is 10 GB": [(x, base), (y, packed(3, Y, size=10**10))],
    }[case]


CASES = (
    "whole", "on an offset", "on a name", "on many deltas", "on itself", "in a circle",
    "on a missing name", "on offset 0",
    "on an offset before the pack", "on an endless offset", "on too many deltas",
    "of a lie about its size",
    "of a size without end", "beyond its base", "of another kind", "that makes 10 GB",
    "that is 10 GB",
)  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_delta_is_applied_or_told(repository: Repository, case: str) -> None:
    src = repository.tree([(b"train.py", FILE, ID[Y])])
    repository.commit(repository.tree([(b"src", FOLDER, src)]), parents=[repository.commit(SOUND)])
    repository.write_pack(entries_of(case))
    history = read_history(repository.path)
    if CASES.index(case) < 4:
        assert history.attempts[1].submission.by_path["src/train.py"].data == Y
        assert history.skipped == ()
    else:
        assert len(history.attempts) == 1
        assert (
            "larger than 2 MB" in history.skipped[0].reason
            if "10 GB" in case
            else "is damaged" in history.skipped[0].reason
        )


@pytest.mark.parametrize("part", ["pack", "idx"])
@pytest.mark.parametrize(
    "data", [b"", b"x" * 20, b"\xfftOc\0\0\0\2" + b"\xff" * 1_024], ids=["empty", "short", "a lie"]
)
def test_a_damaged_pack_or_index_is_told_in_one_line(
    repository: Repository, part: str, data: bytes
) -> None:
    repository.commit(SOUND)
    repository.pack()
    (path,) = (repository.git / "objects/pack").glob(f"*.{part}")
    path.chmod(0o644)
    path.write_bytes(data)
    with pytest.raises(BundleError, match="is damaged") as caught:
        read_history(repository.path)
    assert "\n" not in str(caught.value)
