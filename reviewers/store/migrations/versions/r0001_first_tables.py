"""The first tables, the guards of decisions and rulings, and the word index."""

import sqlalchemy as sa
from alembic import op

from reviewers.store.columns import Hash, Moment, SortedText
from reviewers.store.migrations.guards import refuse, refuse_changes

revision = "0001"
down_revision = None


def upgrade() -> None:
    _make_submissions()
    _make_reviews()
    _make_decisions()
    _make_derived()
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION areachair_refuse() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION '% are never changed or deleted', TG_TABLE_NAME; END $$"
        )
        _index_words_postgresql()
    else:
        _guard_submissions()
        _index_words_sqlite()
    for table, update in _KEPT.items():
        refuse_changes(table, update=update)


def _text(name: str, nullable: bool = True) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _word(name: str, length: int = 20, nullable: bool = True) -> sa.Column[str]:
    return sa.Column(name, sa.String(length), nullable=nullable)


def _whole(name: str, nullable: bool = True) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), nullable=nullable)


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean(), nullable=False)


def _number(table: str) -> tuple[sa.Column[int], sa.PrimaryKeyConstraint]:
    return sa.Column("number", sa.Integer(), nullable=False), sa.PrimaryKeyConstraint(
        "number", name=op.f(f"pk_{table}")
    )


def _submission(table: str) -> tuple[sa.Column[int], sa.ForeignKeyConstraint]:
    key = sa.ForeignKeyConstraint(
        ["submission"], ["submissions.number"], name=op.f(f"fk_{table}_submission")
    )
    return sa.Column("submission", sa.Integer(), nullable=False), key


def _content(table: str) -> tuple[sa.Column[str], sa.ForeignKeyConstraint]:
    key = sa.ForeignKeyConstraint(
        ["content"], ["contents.sha256"], name=op.f(f"fk_{table}_content")
    )
    return sa.Column("content", Hash, nullable=False), key


def _make_submissions() -> None:
    op.create_table(
        "submissions",
        *_number("submissions"),
        sa.Column("id", Hash, nullable=False),
        sa.Column("imported_at", Moment(), nullable=False),
        _whole("attempt"),
        _text("name", nullable=False),
        _text("source", nullable=False),
        _text("lineage"),
        sa.UniqueConstraint("id", name=op.f("uq_submissions_id")),
    )
    op.create_table(
        "contexts",
        *_submission("contexts"),
        _text("hypothesis", nullable=False),
        _text("method"),
        _text("design", nullable=False),
        _text("primary_metric"),
        _text("criteria"),
        sa.PrimaryKeyConstraint("submission", name=op.f("pk_contexts")),
    )
    op.create_table(
        "contents",
        sa.Column("sha256", Hash, nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_contents")),
    )
    op.create_table(
        "submission_files",
        *_submission("submission_files"),
        _whole("position", nullable=False),
        *_content("submission_files"),
        _text("path", nullable=False),
        _text("repaired"),
        sa.PrimaryKeyConstraint("submission", "position", name=op.f("pk_submission_files")),
    )
    op.create_table(
        "run_configs",
        *_submission("run_configs"),
        _whole("position", nullable=False),
        *_content("run_configs"),
        _text("run_id", nullable=False),
        _text("path", nullable=False),
        _text("repaired"),
        _text("method"),
        _text("model"),
        _text("dataset"),
        sa.PrimaryKeyConstraint("submission", "position", name=op.f("pk_run_configs")),
    )


def _make_reviews() -> None:
    op.create_table(
        "answers",
        *_number("answers"),
        *_submission("answers"),
        sa.Column("digest", Hash, nullable=False),
        _word("verdict"),
        _text("model"),
        _text("failure"),
        _text("text"),
        _text("raw", nullable=False),
        sa.UniqueConstraint("submission", "digest", name=op.f("uq_answers_submission")),
    )
    op.create_table(
        "reviews",
        *_number("reviews"),
        *_submission("reviews"),
        sa.Column("digest", Hash, nullable=False),
        sa.Column("slot", Hash, nullable=False),
        _flag("current"),
        sa.Column("at", Moment(), nullable=False),
        _text("reviewer", nullable=False),
        _word("verdict"),
        sa.Column("seconds", sa.Float()),
        _whole("input_tokens"),
        _whole("output_tokens"),
        sa.Column("cost_usd", sa.Float()),
        _text("model"),
        _text("failure"),
        _text("text"),
        _text("raw"),
        sa.UniqueConstraint("submission", "digest", name=op.f("uq_reviews_submission")),
    )
    op.create_index(
        "ix_reviews_current", "reviews", ["current", "reviewer", "verdict", "submission"]
    )
    op.create_table(
        "findings",
        _whole("review", nullable=False),
        _whole("position", nullable=False),
        _text("id", nullable=False),
        _text("category", nullable=False),
        _word("severity", nullable=False),
        _word("result", nullable=False),
        *map(
            _whole,
            (
                "criterion",
                "line",
                "end_line",
                "evidence_line",
                "evidence_end_line",
                "claim_start",
                "claim_end",
            ),
        ),
        _text("rule"),
        _text("kind"),
        _word("misreading", 40),
        _text("file"),
        _text("evidence_file"),
        _text("message", nullable=False),
        _text("claim"),
        _text("evidence", nullable=False),
        sa.ForeignKeyConstraint(["review"], ["reviews.number"], name=op.f("fk_findings_review")),
        sa.PrimaryKeyConstraint("review", "position", name=op.f("pk_findings")),
    )


def _make_decisions() -> None:
    own = {
        "decisions": [
            _word("verdict"),
            sa.CheckConstraint(
                "verdict IN ('ready', 'not_ready')", name=op.f("ck_decisions_verdict")
            ),
            sa.CheckConstraint("verdict IS NULL OR reason <> ''", name=op.f("ck_decisions_reason")),
        ],
        "rulings": [
            _text("finding_id", nullable=False),
            _word("ruling", nullable=False),
            sa.CheckConstraint(
                "ruling IN ('confirm', 'dismiss', 'withdrawn')", name=op.f("ck_rulings_ruling")
            ),
            sa.CheckConstraint(
                "ruling <> 'dismiss' OR reason <> ''", name=op.f("ck_rulings_reason")
            ),
        ],
    }
    for table, columns in own.items():
        op.create_table(
            table,
            *_number(table),
            sa.Column("submission_id", Hash, nullable=False),
            _text("reason", nullable=False),
            _text("author", nullable=False),
            sa.Column("at", Moment(), nullable=False),
            *columns,
            sa.ForeignKeyConstraint(
                ["submission_id"], ["submissions.id"], name=op.f(f"fk_{table}_submission_id")
            ),
            sa.CheckConstraint("author <> ''", name=op.f(f"ck_{table}_author")),
        )
        op.create_index(f"ix_{table}_submission_id", table, ["submission_id"])


def _make_derived() -> None:
    op.create_table(
        "standings",
        *_submission("standings"),
        *(_whole(name, nullable=False) for name in ("version", "rank", "open_rank")),
        sa.Column("imported_at", Moment(), nullable=False),
        sa.Column("sort_name", SortedText, nullable=False),
        *map(_flag, ("decided", "disagree", "contradicted", "refuted")),
        _whole("missed"),
        _word("decision"),
        sa.Column("decided_at", Moment()),
        _text("decided_by"),
        *(_text(name, nullable=False) for name in ("title", "attention", "chips")),
        sa.PrimaryKeyConstraint("submission", name=op.f("pk_standings")),
    )
    flags = ["decided", "disagree", "contradicted", "refuted", "decision"]
    newest_first = [sa.text("rank DESC"), sa.text("imported_at DESC")]
    op.create_index(
        "ix_standings_order", "standings", [*newest_first, "sort_name", "submission", *flags]
    )
    op.create_index("ix_standings_views", "standings", ["version", *flags])
    op.create_table(
        "tallies",
        *_submission("tallies"),
        _text("reviewer", nullable=False),
        _text("category", nullable=False),
        *(
            _whole(name, nullable=False)
            for name in ("criterion", "confirmed", "refuted", "unverified")
        ),
        sa.PrimaryKeyConstraint(
            "submission", "reviewer", "category", "criterion", name=op.f("pk_tallies")
        ),
    )
    rest = ["reviewer", "confirmed", "refuted", "unverified"]
    op.create_index(
        "ix_tallies_category", "tallies", ["category", "submission", "criterion", *rest]
    )
    op.create_index(
        "ix_tallies_criterion", "tallies", ["criterion", "submission", "category", *rest]
    )
    op.create_table(
        "search_texts",
        *_submission("search_texts"),
        _text("text", nullable=False),
        _text("words", nullable=False),
        sa.PrimaryKeyConstraint("submission", name=op.f("pk_search_texts")),
    )


# What a review says; which one of a reviewer is the current one may change.
_SAID = "number, submission, digest, slot, reviewer, verdict, failure, model, text, raw"
_KEPT = {"decisions": "UPDATE", "rulings": "UPDATE", "reviews": f"UPDATE OF {_SAID}"}


def _guard_submissions() -> None:
    decided = " OR ".join(
        f"EXISTS (SELECT 1 FROM {table} WHERE submission_id = OLD.id)"
        for table in ("decisions", "rulings")
    )
    kept = "EXISTS (SELECT 1 FROM submissions WHERE id = NEW.id OR number = NEW.number)"
    never = "submissions are never changed"
    refuse("submissions_update", "UPDATE OF number, id ON submissions", never)
    refuse("submissions_replace", f"INSERT ON submissions WHEN {kept}", never)
    refuse(
        "submissions_delete",
        f"DELETE ON submissions WHEN {decided}",
        "what was decided on is never deleted",
    )


def _index_words_sqlite() -> None:
    # The words are ASCII already (reviewers.store.search makes them), so the plainest tokenizer
    # does.
    op.execute(
        "CREATE VIRTUAL TABLE search_index USING fts5(words, content='search_texts',"
        " content_rowid='submission', tokenize='ascii', detail=none, prefix='1 2 3')"
    )
    add = "INSERT INTO search_index(rowid, words) VALUES (NEW.submission, NEW.words);"
    remove = (
        "INSERT INTO search_index(search_index, rowid, words) VALUES ('delete', OLD.submission,"
        " OLD.words);"
    )
    op.execute(f"CREATE TRIGGER search_texts_added AFTER INSERT ON search_texts BEGIN {add} END")
    op.execute(
        f"CREATE TRIGGER search_texts_removed AFTER DELETE ON search_texts BEGIN {remove} END"
    )
    op.execute(
        f"CREATE TRIGGER search_texts_changed AFTER UPDATE OF words ON search_texts BEGIN {remove}"
        f" {add} END"
    )


def _index_words_postgresql() -> None:
    # Made of an array, so that PostgreSQL's own ideas of what a word is stay out of it. At its true
    # cost the planner never takes it for cheaper to work the words of every row out than to look
    # into the index.
    op.execute(
        "CREATE FUNCTION areachair_words(words text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE"
        " PARALLEL SAFE COST 10000 AS $$ BEGIN RETURN array_to_tsvector(string_to_array(words, '"
        " ')); END $$"
    )
    op.execute("CREATE INDEX search_index ON search_texts USING gin (areachair_words(words))")
