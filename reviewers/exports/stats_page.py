"""The headline figures as Markdown tables, readable both in a terminal and in a README."""

from collections.abc import Iterator, Sequence
from dataclasses import fields

from reviewers.errors import printable
from reviewers.exports.markdown_table import markdown_table
from reviewers.store.readers import ReaderTally
from reviewers.store.stats_summary import SHARE_NEEDS, ClaimCount, Headline, ReviewerFigures

_READ = ("asked", "judged", "confirmed", "refuted", "unverified", "overruled", "two_ways")


def stats_page(figures: Headline) -> str:
    """Return the page; if nothing was counted it says so instead of showing a share."""
    parts = [f"{figures.submissions} submissions"]
    if figures.reviewers:
        parts.append(
            markdown_table(
                ("reviewer", "reviews", "claims", "confirmed", "refuted", "unverified"),
                map(_reviewer, figures.reviewers),
            )
        )
        parts += [_said_ready(each) for each in figures.reviewers if each.ready]
    if figures.compared:
        parts.append(
            f"Missed: {figures.missed} blockers that the rules prove and no claim covers,"
            f" {figures.missed / figures.compared:.1f} a submission; at least one in"
            f" {figures.missing} of {figures.compared} submissions."
        )
    if len(figures.readers) > 1:  # else the table of reviewers says it all
        head = ("reader", *(name.replace("_", " ") for name in _READ))
        parts.append(markdown_table(head, map(_reader, figures.readers)))
    if figures.said:
        head = ("predicate", "claims", "confirmed", "refuted", "unverified", "share refuted")
        parts.append(markdown_table(head, _kinds(figures.said)))
    return "\n\n".join(parts) + "\n"


def _reviewer(figures: ReviewerFigures) -> tuple[str, ...]:
    name = " ".join(filter(None, (figures.reviewer, figures.model)))
    failed = f" and {figures.failed} failed" if figures.failed else ""
    claims = figures.claims
    return (
        name,
        f"{figures.reviews}{failed}",
        str(claims.total),
        _of(claims.confirmed, claims.total),
        _of(claims.refuted, claims.total),
        _of(claims.unverified, claims.total),
    )


def _reader(figures: ReaderTally) -> tuple[str, ...]:
    return figures.reader, *(str(getattr(figures, name)) for name in _READ)


def _said_ready(figures: ReviewerFigures) -> str:
    name = " ".join(filter(None, (figures.reviewer, figures.model)))
    return printable(
        f"{name} said ready {figures.ready} times; a confirmed blocker contradicts"
        f" {figures.contradicted} of them."
    )


def _kinds(kinds: Sequence[tuple[str, ClaimCount]]) -> Iterator[tuple[str, ...]]:
    """A row for each kind of which a share says something, and one for all the others."""
    few = [claims for _, claims in kinds if claims.refuted_share is None]
    for kind, claims in kinds:
        if claims.refuted_share is not None:
            yield _row(kind, claims, f"{claims.refuted_share:.0%}")
    if few:
        together = ClaimCount(
            *(sum(getattr(claims, field.name) for claims in few) for field in fields(ClaimCount))
        )
        yield _row(f"{len(few)} with fewer than {SHARE_NEEDS} claims each", together, "too few")


def _row(name: str, claims: ClaimCount, share: str) -> tuple[str, ...]:
    return (
        name,
        str(claims.total),
        str(claims.confirmed),
        str(claims.refuted),
        str(claims.unverified),
        share,
    )


def _of(part: int, whole: int) -> str:
    return f"{part} ({part / whole:.0%})" if whole else str(part)
