"""The tables. A change here needs a migration beside it; a test compares the two.

submissions ─┬─ contexts, run_configs, submission_files ─── contents
             ├─ answers              what a bundle brought along, as it came
             ├─ reviews ── findings  never changed once written; `current` says which one of a
             │                       reviewer counts, `version` which of our code came to it last;
             │                       but `as_read` and `read_result` follow from readings
             ├─ commits              where in a repository it lay
             ├─ decisions, rulings, own_findings, remarks, readings, relations, outcomes, authors
             │                       inserted only, the database refuses everything else
             ├─ standings, chips, tallies, reader_tallies, fates, search_texts, attempts
             │                       derived from the above, written anew after each change
             └─ changed_submissions  which change touched what the trends count
"""

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    UniqueConstraint,
    func,
)

from reviewers.store.columns import AnyText, Hash, Json, Moment
from reviewers.store.metadata import METADATA, of_submission
from reviewers.store.tables_derived import (
    WORD_INDEX,
    attempts,
    changed_submissions,
    chips,
    fates,
    reader_tallies,
    search_texts,
    standings,
    tallies,
)

__all__ = [
    "COUNTED",
    "METADATA",
    "RESULT",
    "WORD_INDEX",
    "answers",
    "attempts",
    "authors",
    "batches",
    "changed_submissions",
    "chips",
    "commits",
    "contents",
    "contexts",
    "contract_choices",
    "decisions",
    "fates",
    "findings",
    "login_sessions",
    "outcomes",
    "own_findings",
    "reader_tallies",
    "readings",
    "relations",
    "remarks",
    "reviews",
    "rulings",
    "run_configs",
    "search_texts",
    "standings",
    "submission_files",
    "submissions",
    "tallies",
]

submissions = Table(
    "submissions",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("id", Hash, nullable=False, unique=True),
    Column("imported_at", Moment, nullable=False),
    Column("attempt", Integer),
    Column("name", AnyText, nullable=False),
    Column("source", AnyText, nullable=False),
    Column(
        "lineage", AnyText
    ),  # as the source says; which one it is recognised to belong to stands in attempts
    Column("generator", AnyText, index=True),
    Column("passed_over", Json),  # path, reason, size: what lay in the bundle and is not kept
    Column("base", Integer, index=True),  # number of the base code that it was derived from
    Column(
        "likeness", Hash, index=True
    ),  # what all attempts at one experiment share; None only while a store is migrated
    Column("generated_at", Moment),
    Column("dated_by", String(20)),  # a DatedBy; None exactly where the moment is
    # As it came with the submission; None where its prompt or its files tell.
    Column("contract_source", String(20)),
    Column("contract_text", AnyText),
    # The name of the contract by which it is judged; None in an older store, until the submission
    # is imported again.
    Column("contract", AnyText, index=True),
)

COUNTED = submissions.c.attempt.is_distinct_from(0)
"""Base code is kept to be looked at from its attempts, and counts nowhere."""

# Apart from submissions, so that reading all of those does not read pages of prose.
contexts = Table(
    "contexts",
    METADATA,
    of_submission(primary_key=True),
    Column("hypothesis", Json, nullable=False),
    Column("method", AnyText),
    Column("design", Json, nullable=False),
    Column("primary_metric", AnyText),
    Column("criteria", AnyText),
)

contents = Table(
    "contents",
    METADATA,
    Column("sha256", Hash, primary_key=True),
    Column("data", LargeBinary, nullable=False),
)

submission_files = Table(
    "submission_files",
    METADATA,
    of_submission(primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("content", Hash, ForeignKey("contents.sha256"), nullable=False),
    Column("path", AnyText, nullable=False),
    Column("repaired", AnyText),
)

run_configs = Table(
    "run_configs",
    METADATA,
    of_submission(primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("content", Hash, ForeignKey("contents.sha256"), nullable=False),
    Column("run_id", AnyText, nullable=False),
    Column("path", AnyText, nullable=False),
    Column("repaired", AnyText),
    Column("method", AnyText),
    Column("model", AnyText),
    Column("dataset", AnyText),
)

answers = Table(
    "answers",
    METADATA,
    Column("number", Integer, primary_key=True),
    of_submission(),
    Column("digest", Hash, nullable=False),
    Column("verdict", String(20)),
    Column("model", AnyText),
    Column("failure", AnyText),
    Column("text", AnyText),
    Column("raw", AnyText, nullable=False),
    UniqueConstraint("submission", "digest"),
)

reviews = Table(
    "reviews",
    METADATA,
    Column("number", Integer, primary_key=True),
    of_submission(),
    Column("digest", Hash, nullable=False),
    Column("slot", Hash, nullable=False),
    Column("current", Boolean, nullable=False),
    Column("at", Moment, nullable=False),
    Column("reviewer", AnyText, nullable=False),
    Column("verdict", String(20)),
    Column("seconds", Float),
    Column("input_tokens", Integer),
    Column("output_tokens", Integer),
    Column("cost_usd", Float),
    Column("model", AnyText),
    Column("failure", AnyText),
    Column("text", AnyText),
    Column("raw", AnyText),
    Column("cached_tokens", Integer),
    Column("prompt", AnyText),
    Column("request", Hash),  # None for reviewers that no request asked
    Column("revises", Hash),
    Column("version", Hash),  # of our own code that made it last; None: not ours, or not whole
    Column("partial", Json),  # None for a whole review
    # What a run would meet; None where nobody looked, or before it was kept.
    Column("dry_run", Json),
    UniqueConstraint("submission", "digest"),
    Index("ix_reviews_request", "request"),
    # Without it SQLite looks for one submission's current reviews among all that are current.
    Index("ix_reviews_submission", "submission", "current"),
    Index("ix_reviews_current", "current", "reviewer", "verdict", "submission"),
    # The middle of what its reviews took is found by counting along.
    Index("ix_reviews_seconds", "current", "reviewer", "seconds"),
    Index("ix_reviews_cost", "current", "reviewer", "cost_usd"),
)

# What was handed to a provider to be answered in its own time. Written before it is sent, so that a
# process that dies in between asks the provider whether it has it before it pays again.
batches = Table(
    "batches",
    METADATA,
    Column("label", Hash, primary_key=True),
    Column("reviewer", AnyText, nullable=False),
    Column("server", AnyText, nullable=False),
    Column("provider_ids", Json, nullable=False),
    Column("questions", Json, nullable=False),
    Column("at", Moment, nullable=False),
    Column("ended", Boolean, nullable=False),
)

# Who is signed in at the dashboard. Of the browser's cookie only a hash is kept.
login_sessions = Table(
    "login_sessions",
    METADATA,
    Column("id", Hash, primary_key=True),
    Column("issuer", AnyText, nullable=False),
    Column("subject", AnyText, nullable=False),
    Column("name", AnyText, nullable=False),
    Column("agent", AnyText, nullable=False),
    Column("began", Moment, nullable=False),
    Column("until", Moment, nullable=False),
    Column("ended", Moment),
)

findings = Table(
    "findings",
    METADATA,
    Column("review", Integer, ForeignKey("reviews.number"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("id", AnyText, nullable=False),
    Column("category", AnyText, nullable=False),
    Column("severity", String(20), nullable=False),
    Column("result", String(20), nullable=False),
    Column("criterion", Integer),
    Column("line", Integer),
    Column("end_line", Integer),
    Column("evidence_line", Integer),
    Column("evidence_end_line", Integer),
    Column("claim_start", Integer),
    Column("claim_end", Integer),
    Column("rule", AnyText),
    Column("kind", AnyText),
    Column("misreading", String(40)),
    Column("file", AnyText),
    Column("evidence_file", AnyText),
    Column("message", AnyText, nullable=False),
    Column("claim", AnyText),
    Column("evidence", AnyText, nullable=False),
    Column("places", Json),  # None: a rule's finding, or written before places were kept
    Column("parts", Json),  # None where it is one statement
    # What the code says to the reading that counts, worked out of `readings`; None: nobody read it.
    Column("as_read", Json),
    Column("read_result", String(20)),
    Column("says", AnyText),  # a rule's finding as a proposition; None where it has none
)
RESULT = func.coalesce(findings.c.read_result, findings.c.result)
"""What the code says to a finding, as it is read where somebody read it."""

# How claims are read, by people and by readers; the newest of each counts, people's first.
readings = Table(
    "readings",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("submission_id", Hash, nullable=False, index=True),
    Column("claim", AnyText, nullable=False),
    Column("vocabulary", Hash, nullable=False),
    Column("reader", AnyText, nullable=False),
    Column("proposition", Json),  # None: not read, and why_not says why
    Column("why_not", AnyText, nullable=False),
    Column("leftover", Json),
    Column("author", AnyText),  # None: a reader, no person
    Column("signer", Hash),
    Column("at", Moment, nullable=False),
    ForeignKeyConstraint(["submission_id"], ["submissions.id"]),
    CheckConstraint("author <> ''", name="author"),
    CheckConstraint("reader <> ''", name="reader"),
)

# The names of who writes records; a record points at them by `signer`, the key, and keeps the name
# that stood there when it was signed. None: from before authors were told apart.
authors = Table(
    "authors",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("key", Hash, nullable=False),
    Column("given", String(20), nullable=False),
    Column("name", AnyText, nullable=False),
    Column("at", Moment, nullable=False),
    Column("issuer", AnyText),
    Column("subject", AnyText),
    CheckConstraint("given IN ('recorded', 'named', 'provider')", name="given"),
    CheckConstraint("name <> ''", name="name"),
)

# Both name the submission by its hash, so that a record says by itself what was decided on.
decisions = Table(
    "decisions",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("submission_id", Hash, nullable=False, index=True),
    Column("verdict", String(20)),
    Column("reason", AnyText, nullable=False),
    Column("author", AnyText, nullable=False),
    Column("signer", Hash),
    Column("at", Moment, nullable=False),
    Column("blind", Boolean),  # None: not known, as of what was kept before it was asked
    ForeignKeyConstraint(["submission_id"], ["submissions.id"]),
    CheckConstraint("verdict IN ('ready', 'not_ready')", name="verdict"),
    CheckConstraint("verdict IS NULL OR reason <> ''", name="reason"),
    CheckConstraint("author <> ''", name="author"),
)

rulings = Table(
    "rulings",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("submission_id", Hash, nullable=False, index=True),
    Column("finding_id", AnyText, nullable=False),
    Column("ruling", String(20), nullable=False),
    Column("reason", AnyText, nullable=False),
    Column("author", AnyText, nullable=False),
    Column("signer", Hash),
    Column("at", Moment, nullable=False),
    Column("blind", Boolean),
    ForeignKeyConstraint(["submission_id"], ["submissions.id"]),
    CheckConstraint("ruling IN ('confirm', 'dismiss', 'withdrawn')", name="ruling"),
    CheckConstraint("ruling <> 'dismiss' OR reason <> ''", name="reason"),
    CheckConstraint("author <> ''", name="author"),
)

# What a person found; its id is told from all that it says, so that the same is not kept twice.
own_findings = Table(
    "own_findings",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("submission_id", Hash, nullable=False),
    Column("author", AnyText, nullable=False),
    Column("signer", Hash),
    Column("at", Moment, nullable=False),
    Column("id", AnyText, nullable=False),
    Column("category", AnyText, nullable=False),
    Column("severity", String(20), nullable=False),
    Column("criterion", Integer),
    Column("line", Integer),
    Column("end_line", Integer),
    Column("file", AnyText, nullable=False),
    Column("message", AnyText, nullable=False),
    ForeignKeyConstraint(["submission_id"], ["submissions.id"]),
    UniqueConstraint("submission_id", "id"),
    CheckConstraint("author <> ''", name="author"),
    CheckConstraint("severity IN ('blocker', 'major', 'minor')", name="severity"),
    CheckConstraint("message <> ''", name="message"),
)

# A person's comment on a finding, or the severity that it has in that person's eyes, or both; the
# newest severity counts, and so does the newest category under which it is filed.
remarks = Table(
    "remarks",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("submission_id", Hash, nullable=False, index=True),
    Column("author", AnyText, nullable=False),
    Column("signer", Hash),
    Column("at", Moment, nullable=False),
    Column("finding_id", AnyText, nullable=False),
    Column("severity", String(20)),
    Column("comment", AnyText, nullable=False),
    Column("category", AnyText),
    ForeignKeyConstraint(["submission_id"], ["submissions.id"]),
    CheckConstraint("author <> ''", name="author"),
    CheckConstraint("severity IN ('blocker', 'major', 'minor')", name="severity"),
    CheckConstraint("severity IS NOT NULL OR comment <> ''", name="comment"),
)

# By which contract a submission is judged, in a person's eyes; the newest counts, and one without
# text takes earlier ones back.
contract_choices = Table(
    "contract_choices",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("submission_id", Hash, nullable=False, index=True),
    Column("author", AnyText, nullable=False),
    Column("signer", Hash),
    Column("at", Moment, nullable=False),
    Column("text", AnyText),
    ForeignKeyConstraint(["submission_id"], ["submissions.id"]),
    CheckConstraint("author <> ''", name="author"),
)

# A person's word on whether two submissions are attempts at one experiment; the newest of a pair
# counts.
relations = Table(
    "relations",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("one", Hash, nullable=False, index=True),
    Column("other", Hash, nullable=False, index=True),
    Column("together", Boolean, nullable=False),
    Column("reason", AnyText, nullable=False),
    Column("author", AnyText, nullable=False),
    Column("signer", Hash),
    Column("at", Moment, nullable=False),
    ForeignKeyConstraint(["one"], ["submissions.id"]),
    ForeignKeyConstraint(["other"], ["submissions.id"]),
    CheckConstraint("one <> other", name="other"),
    CheckConstraint("reason <> ''", name="reason"),
    CheckConstraint("author <> ''", name="author"),
)

# Real runs, and fixes that were needed before one.
outcomes = Table(
    "outcomes",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("submission_id", Hash, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("stage", String(20), nullable=False),
    Column("source", AnyText, nullable=False),
    Column("exit_code", Integer),
    Column("at", Moment, nullable=False),
    Column("error", AnyText),
    Column("message", AnyText),
    Column("form", String(20)),
    Column("category", AnyText),
    Column("spans", Json, nullable=False),
    Column("excerpt", AnyText, nullable=False),
    ForeignKeyConstraint(["submission_id"], ["submissions.id"]),
    UniqueConstraint("submission_id", "digest", "stage", "source"),
)

commits = Table(
    "commits",
    METADATA,
    of_submission(primary_key=True),
    Column("commit", Hash, primary_key=True),
    Column("at", Moment),
    Column("repository", AnyText, nullable=False),
    Column("message", AnyText, nullable=False),
    Column("branches", Json, nullable=False),
)
