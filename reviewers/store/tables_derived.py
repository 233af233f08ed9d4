"""The tables that are worked out of the others, and written anew after each change."""

from sqlalchemy import BigInteger, Boolean, Column, Float, Index, Integer, String, Table

from reviewers.store.columns import AnyText, Hash, Json, Moment, SortedText
from reviewers.store.metadata import METADATA, of_submission

standings = Table(
    "standings",
    METADATA,
    of_submission(primary_key=True),
    Column("version", Integer, nullable=False),
    Column("rank", Integer, nullable=False),
    Column("open_rank", Integer, nullable=False),
    Column("imported_at", Moment, nullable=False),
    Column("dated_at", Moment, nullable=False),  # generated, or imported where that is not known
    Column("sort_name", SortedText, nullable=False),
    Column("decided", Boolean, nullable=False),
    Column("disagree", Boolean, nullable=False),
    Column("contradicted", Boolean, nullable=False),
    Column("refuted", Boolean, nullable=False),
    Column("missed", Integer),
    Column("blockers", Integer, nullable=False),  # that one reviewer found, at most
    Column("claims_refuted", Integer, nullable=False),
    Column("known_missed", Integer, nullable=False),  # -1: unknown, and so behind all that is known
    Column("decision", String(20)),
    Column("decided_at", Moment),
    Column("decided_by", AnyText),
    Column("title", AnyText, nullable=False),
    Column("attention", AnyText, nullable=False),  # of the open submission, as open_rank
    Column("chips", Json, nullable=False),
    # Led by a column that no view asks for: it is to be counted from, never to take the place of
    # the order below.
    Index(
        "ix_standings_views",
        "version",
        "decided",
        "disagree",
        "contradicted",
        "refuted",
        "decision",
    ),
)

_FLAGS = ("decided", "disagree", "contradicted", "refuted", "decision")
for _name in ("dated_at", "sort_name", "blockers", "claims_refuted", "known_missed"):
    Index(
        f"ix_standings_by_{_name}", *(standings.c[each] for each in (_name, "submission", *_FLAGS))
    )

# The inbox' order; the flags ride along so that a saved view is read from the index alone.
Index(
    "ix_standings_order",
    standings.c.rank.desc(),
    standings.c.dated_at.desc(),
    standings.c.sort_name,
    standings.c.submission,
    *(standings.c[name] for name in _FLAGS),
)

# One row a current review: what a standing's chips hold, to be counted by the database.
chips = Table(
    "chips",
    METADATA,
    of_submission(primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("reviewer", AnyText, nullable=False),
    Column("model", AnyText),
    Column("verdict", String(20)),
    Column("confirmed", Integer, nullable=False),
    Column("refuted", Integer, nullable=False),
    Column("unverified", Integer, nullable=False),
    Column("blockers", Integer, nullable=False),
    Column("missed", Integer),
    # Without the model, whose name a bundle gives: it may be longer than an index can hold.
    Index(
        "ix_chips_reviewer",
        "reviewer",
        "verdict",
        "submission",
        "confirmed",
        "refuted",
        "unverified",
        "blockers",
        "missed",
    ),
)

tallies = Table(
    "tallies",
    METADATA,
    of_submission(primary_key=True),
    Column("reviewer", AnyText, primary_key=True),
    Column("category", AnyText, primary_key=True),
    Column("criterion", Integer, primary_key=True, autoincrement=False),  # 0: the finding fits none
    Column("confirmed", Integer, nullable=False),
    Column("refuted", Integer, nullable=False),
    Column("unverified", Integer, nullable=False),
    # Each holds all that a filter or a trend asks for, sorted by what these put together:
    # submissions.
    Index(
        "ix_tallies_category",
        "category",
        "submission",
        "criterion",
        "reviewer",
        "confirmed",
        "refuted",
        "unverified",
    ),
    Index(
        "ix_tallies_criterion",
        "criterion",
        "submission",
        "category",
        "reviewer",
        "confirmed",
        "refuted",
        "unverified",
    ),
)

# What came of the claims on a submission by whose reading of them counts; all persons are one
# reader.
reader_tallies = Table(
    "reader_tallies",
    METADATA,
    of_submission(primary_key=True),
    Column("reader", AnyText, primary_key=True),
    Column("asked", Integer, nullable=False),
    Column("confirmed", Integer, nullable=False),
    Column("refuted", Integer, nullable=False),
    Column("unverified", Integer, nullable=False),
    Column("reread", Integer, nullable=False),
    Column("ruled_out", Integer, nullable=False),
    Column("two_ways", Integer, nullable=False),
    # Holds all that the screen and the filter of the inbox ask for.
    Index(
        "ix_reader_tallies_reader",
        "reader",
        "asked",
        "confirmed",
        "refuted",
        "unverified",
        "reread",
        "ruled_out",
        "two_ways",
        "submission",
    ),
)

# What the outcomes of a submission, in their order, were for the reviewers who had given a verdict
# on it.
fates = Table(
    "fates",
    METADATA,
    of_submission(primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("reviewer", AnyText, primary_key=True),
    Column("category", AnyText, nullable=False),
    Column("fate", String(20), nullable=False),
)

# For each change of what the trends count, the submissions that it touched: written in the same
# transaction, never taken away, and asked for as `changes.py` says.
changed_submissions = Table(
    "changed_submissions",
    METADATA,
    Column("change", BigInteger, primary_key=True, autoincrement=False),
    of_submission(primary_key=True),
)

# Which submissions are attempts at one experiment. One alone, of which no name is known, has no
# row.
attempts = Table(
    "attempts",
    METADATA,
    of_submission(primary_key=True),
    Column("number", Integer, nullable=False),
    Column(
        "first", Hash, nullable=False, index=True
    ),  # id of a submission of the first attempt: what tells lineages apart
    Column(
        "lineage", AnyText, nullable=False
    ),  # `called`, with digits of `first` where several are called so
    Column("called", AnyText, nullable=False, index=True),
    Column("order_by", String(20), nullable=False),
    Column("why", String(20)),  # what ties it to another member; None for one alone
    Column("score", Float),
    Index("ix_attempts_lineage", "lineage", "submission", "number"),
)

# `words` is what the word index is made of (FTS5 on SQLite; on PostgreSQL a column that it fills
# itself, with a GIN index and a function that asks it: all of them only in the migrations).
search_texts = Table(
    "search_texts",
    METADATA,
    of_submission(primary_key=True),
    Column("text", AnyText, nullable=False),
    Column("words", AnyText, nullable=False),
)
WORD_INDEX = "search_index"
