"""Keeps when each submission was generated, as far as the sources of older stores tell, and sorts
the inbox by it.
"""

import sqlalchemy as sa
from alembic import op

from reviewers.bundles.dating import date_in_name, disbelief
from reviewers.records import DatedBy
from reviewers.store.columns import AnyText, Moment

revision = "0015"
down_revision = "0014"

_FLAGS = ("decided", "disagree", "contradicted", "refuted", "decision")
_submissions = sa.table(
    "submissions",
    sa.column("number", sa.Integer()),
    sa.column("name", AnyText()),
    sa.column("imported_at", Moment()),
    sa.column("generated_at", Moment()),
    sa.column("dated_by", sa.String()),
)
_commits = sa.table("commits", sa.column("submission", sa.Integer()), sa.column("at", Moment()))
_standings = sa.table(
    "standings", sa.column("submission", sa.Integer()), sa.column("dated_at", Moment())
)


def upgrade() -> None:
    epoch = "epoch" if op.get_bind().dialect.name == "postgresql" else "0"
    op.add_column("submissions", sa.Column("generated_at", Moment(), nullable=True))
    op.add_column("submissions", sa.Column("dated_by", sa.String(20), nullable=True))
    op.add_column(
        "standings", sa.Column("dated_at", Moment(), nullable=False, server_default=epoch)
    )
    _date()
    op.drop_index("ix_standings_by_imported_at", "standings")
    op.create_index("ix_standings_by_dated_at", "standings", ["dated_at", "submission", *_FLAGS])
    op.drop_index("ix_standings_order", "standings")
    first = [sa.text("rank DESC"), sa.text("dated_at DESC")]
    op.create_index("ix_standings_order", "standings", [*first, "sort_name", "submission", *_FLAGS])


def _date() -> None:
    connection = op.get_bind()
    number, at = _submissions.c.number, _submissions.c.generated_at
    first = sa.select(_commits.c.submission, sa.func.min(_commits.c.at).label("at"))
    committed = {
        row.submission: row.at
        for row in connection.execute(first.group_by(_commits.c.submission))
        if row.at is not None
    }
    rows = connection.execute(sa.select(number, _submissions.c.name, _submissions.c.imported_at))
    dates = []
    for row in rows.all():
        told = (committed.get(row.number), DatedBy.COMMIT), (date_in_name(row.name), DatedBy.NAME)
        for date, by in told:
            if date is not None and not disbelief(date, row.imported_at):
                dates.append({"of": row.number, "date": date, "by": str(by)})
                break
    if dates:
        dated = sa.update(_submissions).where(number == sa.bindparam("of"))
        connection.execute(
            dated.values(generated_at=sa.bindparam("date"), dated_by=sa.bindparam("by")), dates
        )
    known = sa.select(sa.func.coalesce(at, _submissions.c.imported_at))
    own = known.where(number == _standings.c.submission).scalar_subquery()
    connection.execute(sa.update(_standings).values(dated_at=own))
