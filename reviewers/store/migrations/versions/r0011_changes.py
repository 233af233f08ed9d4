"""Tells which submissions changed since a moment. On PostgreSQL, the words to search for stand in a
column of their own.
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        "changed_submissions",
        sa.Column("change", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("submission", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.number"], name=op.f("fk_changed_submissions_submission")
        ),
        sa.PrimaryKeyConstraint("change", "submission", name=op.f("pk_changed_submissions")),
    )
    if op.get_bind().dialect.name == "postgresql":
        _keep_words()


def _keep_words() -> None:
    op.execute("DROP INDEX search_index")
    op.execute("DROP FUNCTION areachair_words(text)")
    # All three texts of a row lie apart from it, so that reading whose row it is costs no more than
    # a number.
    op.execute("ALTER TABLE search_texts SET (toast_tuple_target = 128)")
    # Made of an array, so that PostgreSQL's own ideas of what a word is stay out of it.
    op.execute(
        "ALTER TABLE search_texts ADD COLUMN search_index_words tsvector NOT NULL"
        " GENERATED ALWAYS AS (array_to_tsvector(string_to_array(words, ' '))) STORED"
    )
    op.execute("CREATE INDEX search_index ON search_texts USING gin (search_index_words)")
    # The planner does not count what it costs to fetch and unpack the words of a row: where it
    # expects a word in many rows, it would rather read all of them than ask the index. These
    # settings hold within the function alone, and leave it nothing but the index.
    op.execute(
        "CREATE FUNCTION areachair_holding(asked tsquery) RETURNS SETOF integer LANGUAGE sql"
        " STABLE SET enable_seqscan = off SET enable_indexscan = off"
        " AS $$ SELECT submission FROM search_texts WHERE search_index_words @@ asked $$"
    )
