"""What all tables share: how their constraints are called, and how a row names its submission."""

from sqlalchemy import Column, ForeignKey, Integer, MetaData

METADATA = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
    }
)


def of_submission(primary_key: bool = False) -> Column[int]:
    """Return the column of a row that belongs to a submission."""
    return Column(
        "submission",
        Integer,
        ForeignKey("submissions.number"),
        primary_key=primary_key,
        nullable=False,
    )
