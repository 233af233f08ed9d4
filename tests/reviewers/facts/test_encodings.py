"""Guards files whose bytes are not what they are read as: what Python refuses is a finding in its
own words, what it takes is read as it reads it.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from reviewers.facts import Facts
from reviewers.records import Submission
from reviewers.rules import find_rule, run_rules
from tests.builders import with_one_run

LATIN, BOM = b"\xe9", b"\xef\xbb\xbf"
FILES = {
    "a byte of latin-1": b"x = 1\ny = '" + LATIN + b"'\n",
    "in the first line": b"y = '" + LATIN + b"'\n",
    "in a comment": b"# caf" + LATIN + b"\nx = 1\n",
    "cut within a character": b"x = 1\ny = 'abc\xc3",
    "half a surrogate pair": b"x = '\xed\xa0\x80'\n",
    "after a syntax error": b"def f(:\n  pass\ny = '" + LATIN + b"'\n",
    "a line too late": b"\n\n# coding: latin-1\ny = '" + LATIN + b"'\n",
    "latin-1 declared": b"# -*- coding: latin-1 -*-\ny = '" + LATIN + b"'\n",
    "declared in line 2": b"#!/usr/bin/python\n# vim: set fileencoding=Latin_1 :\ny = '\xe9'\n",
    "after a form feed": b"\x0c# coding: cp1252\ny = '\x93'\n",
    "old line ends": b"# coding: latin-1\ry = '" + LATIN + b"'\r",
    "syntax after latin-1": b"# coding: latin-1\ndef f(:\n" + LATIN,
    "escapes are line ends": b"# coding: unicode_escape\n# \\u000adef f(:\n",
    "utf-8 declared": b"# coding: utf_8_sig\nx = 1\ny = '" + LATIN + b"'\n",
    "utf-8 declared, in a comment": b"# coding: utf-8\n# " + LATIN + b"\n",
    "ascii declared": b"# coding: ascii\nx = 1\ny = '" + LATIN + b"'\n",
    "not in cp1252": b"# coding: cp1252\nx = '\x81'\n",
    "unknown": b"# coding: foobar\nx = 1\n",
    "no text": b"#\n# coding: rot13\nx = 1\n",
    "wide": b"# coding: utf-16\nx = 1\n",
    "slow": b"# coding: punycode\nx = 1\n",
    "mark and utf-8": BOM + b"# coding: utf-8\nx = 1\n",
    "mark and latin-1": BOM + b"# coding: latin-1\nx = 1\n",
    "mark and latin-1 byte": BOM + b"x = 1\ny = '" + LATIN + b"'\n",
    "two marks": BOM + BOM + b"x = 1\n",
    "nothing declared": b"# coding: \nx = 1\n",
}


def found(rule: str, submission: Submission) -> list[tuple[int | None, str]]:
    return [
        (finding.span.line if finding.span else None, finding.message)
        for finding in find_rule(rule)(Facts(submission))
    ]


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_what_python_says_of_a_file_is_what_the_finding_says(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "src" / "extra.py"
    path.parent.mkdir()
    path.write_bytes(data)
    command = [sys.executable, "-I", "src/extra.py"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    said = done.stderr.strip().rpartition("\n")[2].removeprefix("SyntaxError: ")
    findings = found("IM01", with_one_run(files={"src/extra.py": data}))
    assert bool(findings) == bool(said)
    for line, message in findings:
        assert message.endswith(f": {said.replace(str(path), 'src/extra.py')}")
        if "line " in said:
            assert f"line {line}" in said


def test_a_declared_encoding_is_shown_as_it_is_read_and_changes_no_id() -> None:
    data = FILES["latin-1 declared"]
    (file,) = (
        file
        for file in with_one_run(files={"src/extra.py": data}).files
        if file.path == "src/extra.py"
    )
    assert file.data == data
    assert file.reading.endswith("y = 'é'\n")
    (other,) = (
        file for file in with_one_run(files={"notes.txt": data}).files if file.path == "notes.txt"
    )
    assert r"\xe9" in other.reading


def test_a_configuration_that_is_not_utf_8_is_refused_as_its_readers_do() -> None:
    data = b"run_id: a\n# caf" + LATIN + b"\n"
    assert found("RC01", with_one_run(files={"config/config.yaml": data})) == [
        (
            2,
            "OmegaConf cannot read config/config.yaml: the byte 0xe9 on line 2 is not UTF-8",
        )
    ]
    ((line, message),) = found("FS04", with_one_run(files={"pyproject.toml": data}))
    assert (line, "0xe9 on line 2" in message) == (2, True)


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_no_rule_stops(data: bytes) -> None:
    files = {"src/train.py": data, "config/config.yaml": data, "pyproject.toml": data}
    assert run_rules(Facts(with_one_run(files=files))).crashed == ()
