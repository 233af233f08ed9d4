"""Full-text search: every word of the query must occur in a submission's texts, at the beginning of
a word.

Both databases index the same words, made here: `src/eval_step.py` becomes `srcevalsteppy evalsteppy
steppy py`, so that a query is always a word prefix, for `eval` as well as for `eval_step` and
`step.py`.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from sqlalchemy import ColumnElement, Integer, Select, cast, func, literal_column, select, table
from sqlalchemy.dialects.postgresql import TSQUERY

from reviewers.store.columns import AnyText
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
    beginnings, exact = _asked(asked)
    if not exact and not beginnings:
        return []
    found = _with_words(beginnings, dialect) if beginnings else select(search_texts.c.submission)
    if exact:
        # The texts are long: read row by row, and only of what the index finds.
        row = found.subquery()
        plain: ColumnElement[str] = search_texts.c.text
        if dialect != "postgresql":
            plain = func.areachair_plain(plain, type_=AnyText)
        text = select(plain).where(search_texts.c.submission == row.c.submission)
        found = select(row.c.submission).where(
            *(text.scalar_subquery().contains(word, autoescape=True) for word in exact)
        )
    holding = submission.in_(found)
    # PostgreSQL looks a submission up in what is found, in the order that is asked for, and so may
    # end with the page; as a plain condition it is a join, after which everything is sorted.
    return [holding.is_(True) if dialect == "postgresql" else holding]


def holds_words(text: str, asked: str) -> bool:
    """Whether a text by itself holds every word of `asked`."""
    beginnings, exact = _asked(asked)
    return {word for _, _, word in places_in(text, asked)} == {*beginnings, *exact}


def places_in(text: str, asked: str) -> list[tuple[int, int, str]]:
    """Return where words of `asked` stand in a text, in order: start, end, and the word.

    A word stands where `holds_every_word` would find it: at the beginning of a word, or, with other
    marks in it, as it is.
    """
    beginnings, exact = _asked(asked)
    lowered = text.lower()
    # Most texts hold none of them; only the others are taken to pieces.
    if not any(piece in lowered for piece in first_pieces(asked)):
        return []
    pieces = [(piece.start(), piece.end()) for piece in _PIECE.finditer(text)]
    found: list[tuple[int, int, str]] = []
    for word in exact:
        at = lowered.find(word)
        while word and at >= 0:
            found.append((at, at + len(word), word))
            at = lowered.find(word, at + len(word))
    for word in beginnings:
        for place, (start, _) in enumerate(pieces):
            if lowered[start] != word[0] and lowered[start].isascii():
                continue
            end = _end_of(text, pieces[place : place + _MOST_PIECES], word)
            if end is not None:
                found.append((start, end, word))
    return sorted(found)


@lru_cache
def first_pieces(asked: str) -> list[str]:
    """Return of each word what stands wherever it does, in capitals or not."""
    words = _folded(asked[:_LONGEST_QUESTION]).split()
    pieces = (_PIECE.findall(word) for word in words)
    first = [found[0] for found in pieces if found]
    return list(dict.fromkeys([*first, *_asked(asked)[1]]))


def _end_of(text: str, pieces: list[tuple[int, int]], word: str) -> int | None:
    """Where a word ends that begins at the first of these pieces; None if it does not."""
    joined, last = "", pieces[0][0]
    for start, end in pieces:
        if any(letter.isspace() for letter in text[last:start]):
            return None
        joined += _joined([text[start:end]])
        if joined.startswith(word):
            return end - (len(joined) - len(word)) if text[start:end].isascii() else end
        if not word.startswith(joined):
            return None
        last = end
    return None


@lru_cache
def _asked(asked: str) -> tuple[list[str], list[str]]:
    """The words of a question that are looked for where a word begins, and those that are looked
    for as they stand.
    """
    asked_words = _folded(asked[:_LONGEST_QUESTION]).split()
    beginnings = [word for each in asked_words if (word := _joined(_PIECE.findall(each)))]
    exact = [word for word in asked_words if not _NAME.fullmatch(word) or len(word) > _LONGEST_WORD]
    return list(dict.fromkeys(beginnings)), exact


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
