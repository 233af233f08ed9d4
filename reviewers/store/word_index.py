"""The index of the words to search for: FTS5 on SQLite; on PostgreSQL a column that fills itself,
with an index and a function that asks it.
"""

from collections.abc import Sequence

from sqlalchemy import Connection, inspect

from reviewers.store.tables import WORD_INDEX, search_texts

_ADD = f"INSERT INTO {WORD_INDEX}(rowid, words) VALUES (NEW.submission, NEW.words);"
_REMOVE = (
    f"INSERT INTO {WORD_INDEX}({WORD_INDEX}, rowid, words)"
    " VALUES ('delete', OLD.submission, OLD.words);"
)
_SQLITE: Sequence[str] = (
    # The words are ASCII already (reviewers.store.search makes them), so the plainest tokenizer
    # does.
    f"CREATE VIRTUAL TABLE {WORD_INDEX} USING fts5(words, content='search_texts',"
    " content_rowid='submission', tokenize='ascii', detail=none, prefix='1 2 3')",
    f"CREATE TRIGGER search_texts_added AFTER INSERT ON search_texts BEGIN {_ADD} END",
    f"CREATE TRIGGER search_texts_removed AFTER DELETE ON search_texts BEGIN {_REMOVE} END",
    "CREATE TRIGGER search_texts_changed AFTER UPDATE OF words ON search_texts"
    f" BEGIN {_REMOVE} {_ADD} END",
)
_COLUMN = f"{WORD_INDEX}_words"
_POSTGRESQL: Sequence[str] = (
    # What an older store has instead.
    f"DROP INDEX IF EXISTS {WORD_INDEX}",
    "DROP FUNCTION IF EXISTS areachair_words(text)",
    # All three texts of a row lie apart from it, so that reading whose row it is costs no more than
    # a number.
    "ALTER TABLE search_texts SET (toast_tuple_target = 128)",
    # Made of an array, so that PostgreSQL's own ideas of what a word is stay out of it.
    f"ALTER TABLE search_texts ADD COLUMN {_COLUMN} tsvector NOT NULL"
    " GENERATED ALWAYS AS (array_to_tsvector(string_to_array(words, ' '))) STORED",
    f"CREATE INDEX {WORD_INDEX} ON search_texts USING gin ({_COLUMN})",
    # The planner does not count what it costs to fetch and unpack the words of a row: where it
    # expects a word in many rows, it would rather read all of them than ask the index. These
    # settings hold within the function alone, and leave it nothing but the index.
    "CREATE FUNCTION areachair_holding(asked tsquery) RETURNS SETOF integer LANGUAGE sql"
    " STABLE SET enable_seqscan = off SET enable_indexscan = off"
    f" AS $$ SELECT submission FROM search_texts WHERE {_COLUMN} @@ asked $$",
)


def make_word_index(connection: Connection) -> None:
    """Make the index where it is not there yet."""
    known = inspect(connection)
    if connection.dialect.name == "postgresql":
        names = {column["name"] for column in known.get_columns(search_texts.name)}
        is_there, statements = _COLUMN in names, _POSTGRESQL
    else:
        is_there, statements = known.has_table(WORD_INDEX), _SQLITE
    for statement in () if is_there else statements:
        connection.exec_driver_sql(statement)
