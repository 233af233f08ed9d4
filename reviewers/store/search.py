"""Full-text search: every word of the query must occur in a submission's texts, at the beginning of
a word.

Both databases index the same words, made here: `src/eval_step.py` becomes `srcevalsteppy evalsteppy
steppy py`, so that a query is always a word prefix, for `eval` as well as for `eval_step` and
`step.py`.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from sqlalchemy import ColumnElement, Integer, Select, cast, func, literal_column, select, table
from sqlalchemy.dialects.postgresql import TSQUERY

from reviewers.store.tables import WORD_INDEX, search_texts

# A hostile text must not make a row that takes seconds to write: what lies beyond is not found.
_LONGEST_PART = 20_000
_LONGEST_TEXT = 200_000
_LONGEST_WORD = 40
_MOST_PIECES = 12
_MOST_WORDS = 20_000
_LONGEST_QUESTION = 500

# DistilBERT and n_trials have two pieces each; scripts written without spaces have one a character.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
)
_PIECE = re.compile(
    f"[{_UNSPACED}]|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\\W_a-zA-Z0-9{_UNSPACED}]+"
)
# A name, whose joining marks need not be asked for; a question with other marks in it is looked for
# as it stands.
_NAME = re.compile(r"[^\W_](?:[\w./-]*[^\W_])?")
# A name in code with what it is looked up in.
_CODE_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


def searchable(parts: Iterable[str | None], code: Iterable[bytes] = ()) -> tuple[str, str]:
    """Return the text to search in, and the words for the index with spaces between them.

    Args:
        code: files of which only names go into the index, each once: `torch.nn.Linear` is found by
            `nn.linear` too.
    """
    original = unicodedata.normalize(
        "NFKC", "\n".join(part[:_LONGEST_PART] for part in parts if part)[:_LONGEST_TEXT]
    )
    words = dict.fromkeys(
        word for chunk in dict.fromkeys(original.split()) for word in _indexed(chunk) if word
    )
    words |= dict.fromkeys(
        word for name in _names(code) for word in _indexed(name) if len(word) > 1
    )
    return _folded(original), " ".join(list(words)[:_MOST_WORDS])


def holds_every_word(
    asked: str, submission: ColumnElement[int], dialect: str
) -> list[ColumnElement[bool]]:
    """Return the conditions under which a submission's texts hold every word of `asked`; none where
    that is blank.
    """
    asked_words = _folded(asked[:_LONGEST_QUESTION]).split()
    beginnings = list(
        dict.fromkeys(
            word for asked_word in asked_words if (word := _joined(_PIECE.findall(asked_word)))
        )
    )
    exact = [word for word in asked_words if not _NAME.fullmatch(word) or len(word) > _LONGEST_WORD]
    if not exact and not beginnings:
        return []
    found = _with_words(beginnings, dialect) if beginnings else select(search_texts.c.submission)
    if exact:
        # The texts are long: read row by row, and only of what the index finds.
        row = found.subquery()
        text = select(search_texts.c.text).where(search_texts.c.submission == row.c.submission)
        found = select(row.c.submission).where(
            *(text.scalar_subquery().contains(word, autoescape=True) for word in exact)
        )
    holding = submission.in_(found)
    # PostgreSQL looks a submission up in what is found, in the order that is asked for, and so may
    # end with the page; as a plain condition it is a join, after which everything is sorted.
    return [holding.is_(True) if dialect == "postgresql" else holding]


def _with_words(beginnings: list[str], dialect: str) -> Select[int]:
    if dialect == "postgresql":
        asked = cast(" & ".join(f"'{word}':*" for word in beginnings), TSQUERY)
        return select(func.areachair_holding(asked, type_=Integer).column_valued("submission"))
    query = " AND ".join(f'"{word}" *' for word in beginnings)
    submission: ColumnElement[int] = literal_column("rowid")
    return (
        select(submission.label("submission"))
        .select_from(table(WORD_INDEX))
        .where(literal_column(WORD_INDEX).bool_op("MATCH")(query))
    )


def _names(code: Iterable[bytes]) -> Iterable[str]:
    texts = (data[:_LONGEST_TEXT].decode("utf-8", "replace") for data in code)
    return dict.fromkeys(
        name for text in texts for name in _CODE_NAME.findall(unicodedata.normalize("NFKC", text))
    )


def _folded(original: str) -> str:
    """Letters without case and width; a lone surrogate or NUL stays what it is."""
    return " ".join(unicodedata.normalize("NFKC", original).casefold().split())


def _indexed(chunk: str) -> Iterator[str]:
    """Yield the words that begin at each piece of a chunk and go on to its end."""
    pieces = _PIECE.findall(chunk)
    for start in range(len(pieces)):
        yield _joined(pieces[start : start + _MOST_PIECES])


def _joined(pieces: list[str]) -> str:
    """One word of lower-case ASCII letters and digits, others spelled out, so that every index
    takes it as it is.
    """
    word = "".join(pieces).casefold()
    if not word.isascii():
        word = "".join(c if c.isascii() else f"x{ord(c):05x}" for c in word if c.isalnum())
    return word[:_LONGEST_WORD]
