"""Rules about what should not be submitted: secrets, and file names that clash on some file
systems.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterator

from reviewers.bundles.secrets import BY_NAME, is_secret, keys_in
from reviewers.facts import Facts
from reviewers.records import Span
from reviewers.rules.base import Flag, rule


@rule(
    id="FS12",
    category="file-structure",
    severity="major",
    summary="a file's name suggests secrets",
    example="""
        - === .env # flag: FS12
        + === .env.example
          WANDB_API_KEY=
    """,
)
def secret_file(facts: Facts) -> Iterator[Flag]:
    """Anyone who receives the submission receives its keys. The file is not read, not stored and
    not shown to any model.
    """
    kept = [file.path for file in facts.submission.files if is_secret(file.path)]
    passed = [each.path for each in facts.submission.passed_over if each.reason == BY_NAME]
    for path in (*kept, *passed):
        yield Flag(
            Span(path),
            f"{path} has a name for secrets; remove it from the submission, and change the keys in"
            " it",
        )


@rule(
    id="FS13",
    category="file-structure",
    severity="major",
    summary="a provider's key is in the code",
    example="""
          === src/train.py
          import os
        - os.environ["HF_TOKEN"] = "hf_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z"  # flag: FS13
        + os.environ["HF_TOKEN"] = "hf_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
        + token = os.environ["WANDB_API_KEY"]
    """,
)
def key_in_code(facts: Facts) -> Iterator[Flag]:
    """A key that was passed on once is no longer secret, even after it is removed."""
    for path, file in facts.submission.by_path.items():
        text = file.text
        for key in keys_in(text):
            if not key.is_real:
                continue
            line = text.count("\n", 0, key.start) + 1
            what = f"{'an' if key.owner[0] in 'AO' else 'a'} {key.owner} key"
            yield Flag(
                Span(path, line),
                f"{what} stands in {path}; withdraw it at its provider, and read it from the"
                " environment",
            )


@rule(
    id="FS14",
    category="file-structure",
    severity="major",
    summary="two names differ only in case or in their Unicode form",
    example="""
        - === src/Model.py # flag: FS14
        + === src/layers.py
          WIDTH = 64
    """,
)
def names_alike(facts: Facts) -> Iterator[Flag]:
    """On macOS and Windows both are one file, and the later one replaces the other."""
    alike: dict[str, list[str]] = defaultdict(list)
    passed = (each.path for each in facts.submission.passed_over)
    for path in sorted({*facts.submission.by_path, *passed}):
        alike[unicodedata.normalize("NFC", path).casefold().rstrip("/")].append(path)
    for first, *others in alike.values():
        for other in others:
            yield Flag(
                Span(min(first, other)),
                f"{first} and {other} differ only in case or in their Unicode form; on macOS and"
                " Windows they are one file, so rename one",
                f"both {first!a} and {other!a} are there",
            )
