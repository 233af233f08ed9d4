"""Guards that archives are unpacked in memory, within their limits, and never beyond their own
folder.
"""

import bz2
import gzip
import io
import stat
import struct
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from reviewers.bundles import open_bundle
from reviewers.errors import BundleError
from tests.cases import cases
from tests.reviewers.bundles.bundle_files import TREE, tarred, write_tree, zipped

ZEROS = b"0" * 1_999_999


@cases(
    ("name", "pack"),
    {
        "zip": ("k.zip", zipped),
        "tar": ("k.tar", tarred),
        "tar.gz": ("k.tar.gz", lambda files, **more: tarred(files, "w:gz", **more)),
        "tgz": ("k.tgz", lambda files, **more: tarred(files, "w:gz", **more)),
        "tar.xz": ("k.tar.xz", lambda files, **more: tarred(files, "w:xz", **more)),
        "tar.bz2": ("k.tar.bz2", lambda files, **more: tarred(files, "w:bz2", **more)),
        "zip without an ending": ("k", zipped),
        "another ending": ("k.tgz.part", lambda files, **more: tarred(files, "w:gz", **more)),
    },
)
@pytest.mark.parametrize("top", ["", "./", "kite-main/", "./kite-main/"])
def test_an_archive_holds_the_same_submission_as_its_folder(
    tmp_path: Path, name: str, pack, top: str
) -> None:
    files = TREE | {"context.json": '{"method": "Shorten."}'}
    (tmp_path / name).write_bytes(pack(files, top=top))
    kite = open_bundle(tmp_path / name)
    assert kite.id == open_bundle(write_tree(tmp_path / "folder", files)).id
    assert kite.name == ("k.tgz.part" if name.endswith(".part") else "k")
    assert list(tmp_path.iterdir()) == [
        path for path in tmp_path.iterdir() if path.name in (name, "folder")
    ]


def test_what_tools_and_archivers_leave_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "k.zip").write_bytes(
        zipped(TREE | {"__MACOSX/src/._train.py": b"\0", "src/__pycache__/a.pyc": b"\0"})
    )
    assert set(open_bundle(tmp_path / "k.zip").by_path) == set(TREE)


def link(name: str, kind: bytes, target: str = "/etc/passwd") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def zip_with(
    name: str, *, mode: int = 0, flags: int = 0, method: int = zipfile.ZIP_STORED
) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for path, content in TREE.items():
            archive.writestr(path, content)
        info = zipfile.ZipInfo(name)
        info.external_attr, info.compress_type = mode << 16, method
        archive.writestr(info, "x = 1\n")
    data = out.getvalue()
    if flags:  # in the directory at the end, where readers look
        at = data.rindex(b"PK\x01\x02")
        data = data[: at + 8] + struct.pack("<H", flags) + data[at + 10 :]
    return data


def zip_that_lies() -> bytes:
    """A zip whose directory says that its one large file has a single byte."""
    data = zipped(TREE | {"src/zeros.py": b"0" * 30_000_000})
    at = data.rindex(b"PK\x01\x02", 0, data.rindex(b"src/zeros.py"))
    return data[: at + 24] + struct.pack("<I", 1) + data[at + 28 :]


def sparse_tar() -> bytes:
    info = tarfile.TarInfo("src/sparse.py")
    info.type = tarfile.GNUTYPE_SPARSE
    header = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    header[483:495] = b"77777777777\0"  # the real size: 8 GB
    header[148:156] = b"        "
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + tarred(TREE)


BAD_PATHS = [
    pytest.param("../evil.py", "leaves the folder", id="path that leaves the folder"),
    pytest.param("src/../../evil.py", "leaves the folder", id="path that leaves it on a detour"),
    pytest.param("/etc/evil.py", "is absolute", id="absolute path"),
    pytest.param("C:/evil.py", "is absolute", id="drive letter"),
    pytest.param("src\\evil.py", "backslash", id="backslash"),
    pytest.param("src/" + "d/" * 10_000 + "x.py", "nested deeper than 20", id="nested 10,000 deep"),
    pytest.param("src/" + "n" * 300, "too long", id="name that no disk takes"),
]


@pytest.mark.parametrize("pack", [zipped, tarred], ids=["zip", "tar"])
@pytest.mark.parametrize(("path", "reason"), BAD_PATHS)
def test_paths_that_could_do_harm_are_refused(tmp_path: Path, pack, path: str, reason: str) -> None:
    (tmp_path / "k.bundle").write_bytes(pack(TREE | {path: "x = 1\n"}))
    with pytest.raises(BundleError, match=reason):
        open_bundle(tmp_path / "k.bundle")
    assert [path.name for path in tmp_path.iterdir()] == ["k.bundle"]


MANY, FOLDERS = (
    {f"src/{n}.py": "" for n in range(501)},
    {f"d{n}/": "" for n in range(6000)},
)
LARGE, HEAVY, HUGE = (
    {"src/a.py": ZEROS + b"00"},
    {f"src/{n}.py": ZEROS for n in range(11)},
    {"src/a.py": b"0" * 30_000_000},
)


def with_members(*members: tarfile.TarInfo) -> Callable[[], bytes]:
    return lambda: tarred(TREE, extra=members)


@cases(
    ("data", "reason"),
    {
        "zip: encrypted": (lambda: zip_with("src/e.py", flags=1), "without a password"),
        "zip: method without a bound": (
            lambda: zip_with("src/e.py", method=zipfile.ZIP_LZMA),
            "unusual way",
        ),
        "tar: one path twice": (
            with_members(tarfile.TarInfo("src/train.py")),
            "two files at 'src/train.py'",
        ),
        "tar: two spellings": (with_members(tarfile.TarInfo("./src//train.py")), "two files at"),
        "tar: file and folder": (
            lambda: tarred({"src": "1", "src/a.py": "2"}),
            "is a file and a folder",
        ),
        "zip: more than 500 files": (lambda: zipped(MANY), "more than 500 files"),
        "tar: more than 500 files": (lambda: tarred(MANY), "more than 500 files"),
        "zip: thousands of members": (lambda: zipped(FOLDERS), "more than 5000 members"),
        "tar: thousands of members": (lambda: tarred(FOLDERS), "members|500 files"),
        "zip: a file over 2 MB": (lambda: zipped(TREE | LARGE), "larger than 2 MB"),
        "tar: a file over 2 MB": (lambda: tarred(TREE | LARGE, "w:gz"), "larger than 2 MB"),
        "zip: more than 20 MB": (lambda: zipped(HEAVY), "more than 20 MB"),
        "tar.gz: more than 20 MB": (lambda: tarred(HEAVY, "w:gz"), "more than 20 MB"),
        "tar.gz: 30 MB in one file": (lambda: tarred(HUGE, "w:gz"), "more than 20 MB"),
        "tar.xz: 30 MB in one file": (lambda: tarred(HUGE, "w:xz"), "more than 20 MB"),
        "tar.bz2: 30 MB in one file": (lambda: tarred(HUGE, "w:bz2"), "more than 20 MB"),
        "zip: a header that lies": (zip_that_lies, "larger than 2 MB|cannot be unpacked"),
        "zip: cut off": (lambda: zipped(TREE)[:-30], "cannot be unpacked"),
        "tar: cut off": (
            lambda: tarred(TREE)[:3000],
            "truncated|cannot be unpacked|no Python file",
        ),
        "tar.gz: cut off": (lambda: tarred(TREE, "w:gz")[:-20], "truncated"),
        "tar.gz: not one": (lambda: b"\x1f\x8b" + b"x" * 100, "cannot be unpacked"),
        "zip: empty": (lambda: zipped({}), "no Python file"),
    },
)
def test_archives_that_break_a_rule_are_refused(tmp_path: Path, data, reason: str) -> None:
    (tmp_path / "k.bundle").write_bytes(data())
    with pytest.raises(BundleError, match=reason) as caught:
        open_bundle(tmp_path / "k.bundle")
    assert "\n" not in str(caught.value)


IS_LINK, IS_OTHER = "a link, which is not followed", "neither a file nor a folder"


@cases(
    ("data", "reason"),
    {
        "tar: symbolic link": (with_members(link("src/l.py", tarfile.SYMTYPE)), IS_LINK),
        "tar: hard link": (
            with_members(link("src/l.py", tarfile.LNKTYPE, "src/train.py")),
            IS_LINK,
        ),
        "tar: device": (with_members(link("src/d", tarfile.CHRTYPE)), IS_OTHER),
        "tar: pipe": (with_members(link("src/p", tarfile.FIFOTYPE)), IS_OTHER),
        "tar: sparse file of 8 GB": (sparse_tar, IS_OTHER),
        "zip: symbolic link": (lambda: zip_with("src/l.py", mode=stat.S_IFLNK | 0o777), IS_LINK),
        "zip: device": (lambda: zip_with("src/d", mode=stat.S_IFCHR), IS_OTHER),
    },
)
def test_members_that_are_no_files_are_told_and_not_read(
    tmp_path: Path, data: Callable[[], bytes], reason: str
) -> None:
    (tmp_path / "k.bundle").write_bytes(data())
    (tmp_path / "plain.zip").write_bytes(zipped(TREE))
    kite = open_bundle(tmp_path / "k.bundle")
    assert [each.reason for each in kite.passed_over] == [reason]
    assert set(kite.by_path) == set(open_bundle(tmp_path / "plain.zip").by_path)


@pytest.mark.parametrize("name", ["k.zip", "k.tar", "k.tgz"])
def test_a_file_that_is_no_archive_is_told_so(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"no archive at all " * 100)
    with pytest.raises(BundleError, match="cannot be unpacked"):
        open_bundle(tmp_path / name)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress], ids=["gz", "bz2"])
def test_an_archive_takes_no_more_memory_than_its_limit(tmp_path: Path, pack) -> None:
    (tmp_path / "k.tar").write_bytes(pack(bytes(100_000_000)))
    tracemalloc.start()
    with pytest.raises(BundleError, match="unpacks to more than 20 MB"):
        open_bundle(tmp_path / "k.tar")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60_000_000


def test_endless_long_names_in_a_tar_are_refused(tmp_path: Path) -> None:
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, 5
    (tmp_path / "k.tar").write_bytes(
        (header.tobuf(tarfile.GNU_FORMAT) + b"name\0".ljust(512, b"\0")) * 10_000
    )
    with pytest.raises(BundleError):
        open_bundle(tmp_path / "k.tar")
