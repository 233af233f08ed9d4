"""The tables. A change here needs a migration beside it; a test compares the two.

submissions ─┬─ contexts, run_configs, submission_files ─── contents
             ├─ answers              what a bundle brought along, as it came
             ├─ reviews ── findings  never changed once written; `current` says which one of a
             │                       reviewer counts, `version` which of our code made it last;
             │                       but `as_read` and `read_result` follow from readings
             │                       (the database refuses all other changes of what is above)
             ├─ commits              where in a repository it lay
             ├─ decisions, rulings, own_findings, remarks, readings, relations, outcomes, authors,
             │  assignments, repair_choices
             │                       inserted only, the database refuses everything else
             ├─ standings, chips, tallies, reader_tallies, fates, search_texts, attempts,
             │  groupings, rollup_parts
             │                       derived from the above, written again after each change
             └─ changed_submissions  which change touched what the trends count

rollups                             sums over all rollup_parts, kept along with them
deletions                           that a submission was deleted, by whom and why
upkeep                              what a migration left to be done
change_log                          what was changed of configuration, roles and contracts
roles                               who may do what
login_sessions, desk_choices         a person's own, changed and deleted as they like
looks                               who saw what others say of a submission, for blind mode
works ── jobs ── job_files           what workers are to do or did; dropped after a month
rate_limits, requests_sent           what servers of models allow, for all workers together
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    func,
    text,
)

from reviewers.records import OWN_GENERATOR
from reviewers.store.columns import (
    AnyText,
    Hash,
    Json,
    Moment,
    PackedBytes,
    PackedJson,
    PackedText,
    SortedText,
)

METADATA = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
    }
)


_COUNTS = ("confirmed", "refuted", "unverified")


def _of_submission(primary_key: bool = False) -> Column[int]:
    """Return the column of a row that belongs to a submission."""
    return Column(
        "submission",
        Integer,
        ForeignKey("submissions.number"),
        primary_key=primary_key,
        nullable=False,
    )


def _content() -> Column[str]:
    # To be found by what is kept: whether another submission holds it.
    return Column("content", Hash, ForeignKey("contents.sha256"), nullable=False, index=True)


def _number() -> Column[int]:
    return Column("number", Integer, primary_key=True)


def _each(kind: Any, *names: str, nullable: bool = True) -> list[Column[Any]]:
    """Columns of one type."""
    return [Column(name, kind, nullable=nullable) for name in names]


def _said(name: str, *columns: Any, indexed: bool = True) -> Table:
    """What a person said of a submission, named by its hash, so that a record says by itself what
    it is about.
    """
    return Table(
        name,
        METADATA,
        _number(),
        Column("submission_id", Hash, nullable=False, index=indexed),
        *columns,
        *_signed(),
        ForeignKeyConstraint(["submission_id"], ["submissions.id"]),
    )


def _signed() -> list[Any]:
    """Who said it, and when; `signer` is the key in `authors`, None from before authors were told
    apart.
    """
    return [
        Column("author", AnyText, nullable=False),
        Column("signer", Hash),
        Column("at", Moment, nullable=False),
        CheckConstraint("author <> ''", name="author"),
    ]


submissions = Table(
    "submissions",
    METADATA,
    _number(),
    Column("id", Hash, nullable=False, unique=True),
    Column("imported_at", Moment, nullable=False),
    Column("attempt", Integer),
    Column("name", AnyText, nullable=False),
    Column("source", AnyText, nullable=False),
    # As the source says; which one it is recognised to belong to is in attempts.
    Column("lineage", AnyText),
    Column("generator", AnyText, index=True),
    Column("passed_over", Json),  # path, reason, size: what lay in the bundle and is not kept
    Column("base", Integer, index=True),  # number of the base code that it was derived from
    # What all attempts at one experiment share; None only while a store is migrated.
    Column("likeness", Hash, index=True),
    Column("generated_at", Moment),
    Column("dated_by", String(20)),  # a DatedBy; None exactly where the moment is
    # As it came with the submission; None if its prompt or its files tell.
    Column("contract_source", String(20)),
    Column("contract_text", AnyText),
    # The name of the contract by which it is judged; None in an older store, until the submission
    # is imported again.
    Column("contract", AnyText, index=True),
    Column("aside", Boolean),  # None: never set aside
)

SHOWN = submissions.c.aside.is_not(True)
"""What is set aside is kept, opened by its address alone, and neither listed nor exported."""
IN_LINEAGES = submissions.c.attempt.is_distinct_from(0) & SHOWN
COUNTED = IN_LINEAGES & submissions.c.generator.is_distinct_from(OWN_GENERATOR)
"""Base code and what we repaired are kept to be looked at from the attempts, and count nowhere."""

contents = Table(
    "contents",
    METADATA,
    Column("sha256", Hash, primary_key=True),
    Column("data", PackedBytes, nullable=False),
)

# What a submission says of its research: the fields of a ResearchContext as a content, which all
# attempts at one experiment share.
contexts = Table(
    "contexts",
    METADATA,
    _of_submission(primary_key=True),
    _content(),
)

submission_files = Table(
    "submission_files",
    METADATA,
    _of_submission(primary_key=True),
    Column("position", Integer, primary_key=True),
    _content(),
    Column("path", AnyText, nullable=False),
    Column("repaired", AnyText),
)

run_configs = Table(
    "run_configs",
    METADATA,
    _of_submission(primary_key=True),
    Column("position", Integer, primary_key=True),
    _content(),
    Column("run_id", AnyText, nullable=False),
    Column("path", AnyText, nullable=False),
    *_each(AnyText, "repaired", "method", "model", "dataset"),
)

answers = Table(
    "answers",
    METADATA,
    _number(),
    _of_submission(),
    Column("digest", Hash, nullable=False),
    Column("verdict", String(20)),
    *_each(AnyText, "model", "failure"),
    Column("text", PackedText),
    Column("raw", PackedText, nullable=False),
    UniqueConstraint("submission", "digest"),
)

reviews = Table(
    "reviews",
    METADATA,
    _number(),
    _of_submission(),
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
    *_each(AnyText, "model", "failure"),
    *_each(PackedText, "text", "raw"),
    Column("cached_tokens", Integer),
    Column("prompt", AnyText),
    Column("request", Hash),  # None for reviewers that no request asked
    Column("revises", Hash),
    Column("version", Hash),  # of our own code that made it last; None: not ours, or not whole
    Column("partial", Json),  # None for a whole review
    # What a run would meet; None if nobody looked, or before it was kept.
    Column("dry_run", PackedJson),
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
    *_each(AnyText, "issuer", "subject", "name", "agent", nullable=False),
    Column("began", Moment, nullable=False),
    Column("until", Moment, nullable=False),
    Column("ended", Moment),
    Column("role", String(20)),  # a Role by the provider's groups; None if they gave none
)

# The roles that people were given at the desk, beside those that the provider's groups give.
roles = Table(
    "roles",
    METADATA,
    Column("person", Hash, primary_key=True),  # as `Signer.id`
    *_each(AnyText, "issuer", "subject", "name", nullable=False),
    Column("role", String(20), nullable=False),
)

# What was changed of configuration, roles and contracts, in words and without secrets; by whom is
# None where a file was changed on disk.
change_log = Table(
    "change_log",
    METADATA,
    _number(),
    Column("kind", String(20), nullable=False),
    Column("about", AnyText, nullable=False),
    *_each(AnyText, "before", "after", "author"),
    Column("signer", Hash),
    Column("at", Moment, nullable=False),
    Index("ix_change_log_about", "kind", "about", "number"),
)

# What somebody had done with one click or command, and what it may cost. Money is counted in whole
# picodollars, so that sums are exact.
works = Table(
    "works",
    METADATA,
    _number(),
    Column("by", AnyText, nullable=False),
    Column("at", Moment, nullable=False),
    *_each(BigInteger, "most_pico", "most_tokens"),  # None for no limit
    *_each(BigInteger, "spent_pico", "spent_tokens", nullable=False),
    # What requests under way can cost at most.
    *_each(BigInteger, "held_pico", "held_tokens", nullable=False),
    Column("put_away", Boolean, nullable=False),
)

# What workers do. `lease` is until when the worker has it; who is dead does not renew it.
jobs = Table(
    "jobs",
    METADATA,
    _number(),
    Column("work", Integer, ForeignKey("works.number"), nullable=False),
    Column("task", String(20), nullable=False),
    Column("submission_id", Hash),  # None where it is about no submission of the store
    Column("reviewer", AnyText),
    Column("about", AnyText, nullable=False),
    Column("arguments", Json, nullable=False),
    Column("data", LargeBinary),  # an uploaded file, until it is read
    Column("state", String(20), nullable=False),
    *_each(Integer, "attempts", "deaths", nullable=False),
    Column("worker", AnyText),
    *_each(Moment, "lease", "begun", "ended"),
    *_each(AnyText, "progress", "problem", nullable=False),
    *_each(BigInteger, "spent_pico", "held_pico", "held_tokens", nullable=False),
    Index("ix_jobs_work", "work", "state"),
    Index("ix_jobs_state", "state", "number"),
    Index("ix_jobs_submission_id", "submission_id"),
    Index("ix_jobs_lease", "lease"),
    Index("ix_jobs_ended", "ended"),
)
LIVE = "state IN ('waiting', 'running')"
# Nobody is asked twice at a time about one submission.
ONE_AT_A_TIME = Index(
    "uq_jobs_live",
    jobs.c.submission_id,
    jobs.c.reviewer,
    unique=True,
    sqlite_where=text(LIVE),
    postgresql_where=text(LIVE),
)

# The file that a job made, in parts, until it is a day old.
job_files = Table(
    "job_files",
    METADATA,
    Column("job", Integer, ForeignKey("jobs.number"), primary_key=True),
    Column("part", Integer, primary_key=True),
    Column("data", LargeBinary, nullable=False),
)

# What a server allows for one model and key, for all workers together: until when it wants no
# request (`closed`), and what it was asked within the last minute.
rate_limits = Table(
    "rate_limits",
    METADATA,
    Column("lane", Hash, primary_key=True),
    Column("closed", Moment),
)
requests_sent = Table(
    "requests_sent",
    METADATA,
    _number(),
    Column("lane", Hash, nullable=False),
    Column("at", Moment, nullable=False),
    Column("tokens", BigInteger, nullable=False),
    Index("ix_requests_sent_lane", "lane", "at"),
)

# What a person arranged for themselves: their saved views, and the columns of their tables.
desk_choices = Table(
    "desk_choices",
    METADATA,
    _number(),
    Column("owner", Hash, nullable=False),  # a key in authors
    Column("kind", String(20), nullable=False),
    Column("name", AnyText, nullable=False),
    Column("value", Json, nullable=False),
    UniqueConstraint("owner", "kind", "name"),
)

# Who had a submission before them with what others say of it: an author by id, or a browser by a
# hash of its cookie.
looks = Table(
    "looks",
    METADATA,
    Column("viewer", Hash, primary_key=True),
    _of_submission(primary_key=True),
    Column("until", Moment, index=True),  # None for an author; a browser's cookie ends
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
    *_each(
        Integer,
        "criterion",
        "line",
        "end_line",
        "evidence_line",
        "evidence_end_line",
        "claim_start",
        "claim_end",
    ),
    Column("rule", AnyText),
    Column("kind", AnyText),
    Column("misreading", String(40)),
    Column("file", AnyText),
    Column("evidence_file", AnyText),
    Column("message", AnyText, nullable=False),
    Column("claim", AnyText),
    Column("evidence", AnyText, nullable=False),
    Column("places", PackedJson),  # None: a rule's finding, or written before places were kept
    Column("parts", PackedJson),  # None if it is one statement
    # What the code says to the reading that counts, computed from `readings`; None: nobody read it.
    Column("as_read", PackedJson),
    Column("read_result", String(20)),
    Column("says", PackedText),  # a rule's finding as a proposition; None if it has none
    Column("names", PackedJson),  # what it names beside that; None if it names nothing
)
RESULT = func.coalesce(findings.c.read_result, findings.c.result)
"""What the code says to a finding, as it is read where somebody read it."""

# How claims are read, by people and by readers; the newest of each counts, people's first.
readings = Table(
    "readings",
    METADATA,
    _number(),
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
# that stood there when it was signed. None: from before authors had keys.
authors = Table(
    "authors",
    METADATA,
    _number(),
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
decisions = _said(
    "decisions",
    Column("verdict", String(20)),
    Column("reason", AnyText, nullable=False),
    Column("blind", Boolean),  # None: not known, as of what was kept before it was asked
    CheckConstraint("verdict IN ('ready', 'not_ready')", name="verdict"),
    CheckConstraint("verdict IS NULL OR reason <> ''", name="reason"),
)
# On which submissions somebody has a verdict that stands.
_BY_SIGNER = (decisions.c[name] for name in ("signer", "submission_id", "number", "verdict"))
Index("ix_decisions_signer", *_BY_SIGNER)

rulings = _said(
    "rulings",
    Column("finding_id", AnyText, nullable=False),
    Column("ruling", String(20), nullable=False),
    Column("reason", AnyText, nullable=False),
    Column("blind", Boolean),
    CheckConstraint("ruling IN ('confirm', 'dismiss', 'withdrawn')", name="ruling"),
    CheckConstraint("ruling <> 'dismiss' OR reason <> ''", name="reason"),
)

# What a person found; its id is made of all that it says, so that the same is not kept twice.
own_findings = _said(
    "own_findings",
    Column("id", AnyText, nullable=False),
    Column("category", AnyText, nullable=False),
    Column("severity", String(20), nullable=False),
    *_each(Integer, "criterion", "line", "end_line"),
    Column("file", AnyText, nullable=False),
    Column("message", AnyText, nullable=False),
    UniqueConstraint("submission_id", "id"),
    CheckConstraint("severity IN ('blocker', 'major', 'minor')", name="severity"),
    CheckConstraint("message <> ''", name="message"),
    indexed=False,
)

# A person's comment on a finding, or the severity that it has in that person's eyes, or both; the
# newest severity counts, and so does the newest category under which it is filed.
remarks = _said(
    "remarks",
    Column("finding_id", AnyText, nullable=False),
    Column("severity", String(20)),
    Column("comment", AnyText, nullable=False),
    Column("category", AnyText),
    CheckConstraint("severity IN ('blocker', 'major', 'minor')", name="severity"),
    CheckConstraint("severity IS NOT NULL OR comment <> ''", name="comment"),
)

# By which contract a submission is judged, in a person's eyes; the newest counts, and one without
# text takes earlier ones back.
contract_choices = _said(
    "contract_choices",
    Column("text", AnyText),
)

# Who looks after a submission; the newest counts, and one without an assignee takes earlier ones
# back. `assigned` is the assignee's key in authors, `assignee` the name as it was given.
assignments = _said(
    "assignments",
    Column("assignee", AnyText),
    Column("assigned", Hash),
    CheckConstraint("(assignee IS NULL) = (assigned IS NULL)", name="assigned"),
)

# Which repairs a person takes: `way` is the answer or the intent of the way that was chosen, or
# names `edited`, what the person wrote instead. The newest of a finding counts; one that is not
# taken takes earlier ones back, and one with a reason declines the repair.
repair_choices = _said(
    "repair_choices",
    Column("finding_id", AnyText, nullable=False),
    Column("rule", AnyText, nullable=False),
    Column("way", AnyText, nullable=False),
    Column("taken", Boolean, nullable=False),
    CheckConstraint("NOT taken OR way <> ''", name="way"),
    Column("reason", AnyText),
    Column("edited", PackedText),
)

# A person's word on whether two submissions are attempts at one experiment; the newest of a pair
# counts.
relations = Table(
    "relations",
    METADATA,
    _number(),
    Column("one", Hash, nullable=False, index=True),
    Column("other", Hash, nullable=False, index=True),
    Column("together", Boolean, nullable=False),
    Column("reason", AnyText, nullable=False),
    *_signed(),
    ForeignKeyConstraint(["one"], ["submissions.id"]),
    ForeignKeyConstraint(["other"], ["submissions.id"]),
    CheckConstraint("one <> other", name="other"),
    CheckConstraint("reason <> ''", name="reason"),
)

# Real runs, and fixes that were needed before one.
outcomes = Table(
    "outcomes",
    METADATA,
    _number(),
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
    _of_submission(primary_key=True),
    Column("commit", Hash, primary_key=True),
    Column("at", Moment),
    Column("repository", AnyText, nullable=False),
    Column("message", AnyText, nullable=False),
    Column("branches", Json, nullable=False),
)

# Worked out of the others, and written again after each change.
_FLAGS = ("decided", "disagree", "contradicted", "refuted", "decision", "assigned")

standings = Table(
    "standings",
    METADATA,
    _of_submission(primary_key=True),
    *_each(Integer, "version", "rank", "open_rank", nullable=False),
    Column("imported_at", Moment, nullable=False),
    Column("dated_at", Moment, nullable=False),  # generated, or imported if that is not known
    Column("sort_name", SortedText, nullable=False),
    *_each(Boolean, "decided", "disagree", "contradicted", "refuted", nullable=False),
    Column("missed", Integer),
    Column("blockers", Integer, nullable=False),  # that one reviewer found, at most
    Column("claims_refuted", Integer, nullable=False),
    Column("known_missed", Integer, nullable=False),  # -1: unknown, and so behind all that is known
    Column("decision", String(20)),
    Column("decided_at", Moment),
    Column("decided_by", AnyText),
    Column("assigned", Hash),  # the keys of the assignee and of who said so
    Column("assigned_by", Hash),
    Column("assigned_at", Moment),
    Column("title", AnyText, nullable=False),
    Column("attention", AnyText, nullable=False),  # of the open submission, as open_rank
    Column("chips", Json, nullable=False),
    # Led by a column that no view asks for: it is to be counted from, never to take the place of
    # the order below.
    Index("ix_standings_views", "version", *_FLAGS),
    Index(
        "ix_standings_assigned",
        "assigned",
        "decided",
        "submission",
        sqlite_where=text("assigned IS NOT NULL"),
        postgresql_where=text("assigned IS NOT NULL"),
    ),
)

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
    _of_submission(primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("reviewer", AnyText, nullable=False),
    Column("model", AnyText),
    Column("verdict", String(20)),
    *_each(Integer, *_COUNTS, "blockers", nullable=False),
    Column("missed", Integer),
    # Without the model, whose name a bundle gives: it may be longer than an index can hold.
    Index("ix_chips_reviewer", "reviewer", "verdict", "submission", *_COUNTS, "blockers", "missed"),
)

tallies = Table(
    "tallies",
    METADATA,
    _of_submission(primary_key=True),
    Column("reviewer", AnyText, primary_key=True),
    Column("category", AnyText, primary_key=True),
    Column("criterion", Integer, primary_key=True, autoincrement=False),  # 0: the finding fits none
    *_each(Integer, *_COUNTS, nullable=False),
    # Each holds all that a filter or a trend asks for, sorted by what these put together:
    # submissions.
    Index("ix_tallies_category", "category", "submission", "criterion", "reviewer", *_COUNTS),
    # The findings that are refuted, of whatever category.
    Index(
        "ix_tallies_refuted",
        "submission",
        "category",
        "criterion",
        "reviewer",
        sqlite_where=text("refuted > 0"),
        postgresql_where=text("refuted > 0"),
    ),
    Index("ix_tallies_criterion", "criterion", "submission", "category", "reviewer", *_COUNTS),
)

_READ = ("asked", *_COUNTS, "reread", "ruled_out", "two_ways")

# The results of the claims on a submission by the reader whose reading counts; all persons are
# one reader.
reader_tallies = Table(
    "reader_tallies",
    METADATA,
    _of_submission(primary_key=True),
    Column("reader", AnyText, primary_key=True),
    *_each(Integer, *_READ, nullable=False),
    # Holds all that the screen and the filter of the inbox ask for.
    Index("ix_reader_tallies_reader", "reader", *_READ, "submission"),
)

# What the outcomes of a submission, in their order, were for the reviewers who had given a verdict
# on it.
fates = Table(
    "fates",
    METADATA,
    _of_submission(primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("reviewer", AnyText, primary_key=True),
    Column("category", AnyText, nullable=False),
    Column("fate", String(20), nullable=False),
)

# Which findings of a large submission are one defect, and what each reviewer missed; see `Grouped`.
groupings = Table(
    "groupings",
    METADATA,
    _of_submission(primary_key=True),
    Column("version", Integer, nullable=False),  # of the code that compared them
    Column("told", PackedJson, nullable=False),
)

# What a submission adds to the counts of the whole store, by their keys; see `rollups.py`.
rollup_parts = Table(
    "rollup_parts",
    METADATA,
    _of_submission(primary_key=True),
    Column("told", PackedJson, nullable=False),
)

ROLLUP_SUMS = ("n1", "n2", "n3", "n4", "n5", "n6", "n7")

# The sums of all parts. A key holds names that bundles give, of any length: its hash is the id.
rollups = Table(
    "rollups",
    METADATA,
    Column("id", Hash, primary_key=True),
    Column("what", String(20), nullable=False, index=True),
    Column("key", Json, nullable=False),
    *_each(BigInteger, *ROLLUP_SUMS, nullable=False),
)

# What a worker proved: the repairs of a submission, and those that people took of them together.
repair_plans = Table(
    "repair_plans",
    METADATA,
    _of_submission(primary_key=True),
    Column("chosen", Hash, primary_key=True),  # of the repairs taken; empty for the whole plan
    Column("version", Hash, nullable=False),  # of the code that proved them
    Column("at", Moment, nullable=False),
    Column("told", PackedJson, nullable=False),  # a ProvenRepairs
)

# For each change of what the trends count, the submissions that it touched: written in the same
# transaction, never taken away, and asked for as `changes.py` says.
changed_submissions = Table(
    "changed_submissions",
    METADATA,
    Column("change", BigInteger, primary_key=True, autoincrement=False),
    # No foreign key: of one that is deleted it says so.
    Column("submission", Integer, primary_key=True, autoincrement=False),
)

# What a migration left to be done afterwards, and how far it came.
upkeep = Table(
    "upkeep",
    METADATA,
    Column("task", String(40), primary_key=True),
    Column("after", String(64), nullable=False),
)

# Who deleted which submission, and why: all that is left of it. It names the import, since the same
# may be imported again.
deletions = Table(
    "deletions",
    METADATA,
    _number(),
    Column("submission_id", Hash, nullable=False, index=True),
    Column("imported_at", Moment, nullable=False),
    Column("reason", AnyText, nullable=False),
    *_signed(),
    CheckConstraint("reason <> ''", name="reason"),
)

# Which submissions are attempts at one experiment. One alone, of which no name is known, has no
# row.
attempts = Table(
    "attempts",
    METADATA,
    _of_submission(primary_key=True),
    # Of an attempt as we repaired it the negative number of that attempt: it is the last of no
    # lineage.
    Column("number", Integer, nullable=False),
    # The id of a submission of the first attempt: what tells lineages apart.
    Column("first", Hash, nullable=False),
    # As `called`, with digits of `first` where several are called so.
    Column("lineage", AnyText, nullable=False),
    Column("called", AnyText, nullable=False, index=True),
    Column("order_by", String(20), nullable=False),
    Column("why", String(20)),  # what ties it to another member; None for one alone
    Column("score", Float),
    Index("ix_attempts_lineage", "lineage", "submission", "number"),
    Index("ix_attempts_first", "first", "number", "submission"),
)

# `words` is what the word index is made of (FTS5 on SQLite; on PostgreSQL a column that it fills
# itself, with a GIN index and a function that asks it: all of them only in the migrations).
search_texts = Table(
    "search_texts",
    METADATA,
    _of_submission(primary_key=True),
    Column("text", PackedText, nullable=False),
    Column("words", PackedText, nullable=False),
)
WORD_INDEX = "search_index"
