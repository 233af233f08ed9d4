"""The columns of the inbox table: which there are, which a person sees, and what each holds as CSV.

A column of text is an entry here; any other kind has its cell in inbox_row.js and its width in
inbox_table.css.
"""

import csv
import io
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from dashboard import session, signing
from dashboard.parts.plain import one_line, safe_cell
from dashboard.parts.words import verdict_words
from reviewers.exports.wording import date_words
from reviewers.store import Store
from reviewers.store.desk_choices import choose_columns, shown_columns
from reviewers.store.inbox import InboxRow, ReviewChip
from reviewers.store.inbox_choices import Choices
from reviewers.store.triage import RECORDED, RULES

TABLE = "inbox"
_FEW = 0.05
_REVIEWER = "reviewer:"
_CHOSEN = "inbox-columns"  # of who has no name yet
_Cells = Callable[[InboxRow], Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class InboxColumn:
    """One column.

    Attributes:
        id: by which a person's choice is kept.
        kind: what draws it in inbox_row.js; `text` shows what the first of its cells holds.
        about: what it holds, where the title does not say.
        cells: what it holds of a row, by the heading in the CSV.
        fixed: nobody can hide it.
        shown: whether this person sees it.
        chosen: whether that is this person's own choice.
        reviewers: whose reviews it holds.
        opinion: whether it says what others say of a submission.
        width: of a `text` column, in pixels; others have theirs in inbox_table.css.
    """

    id: str
    kind: str
    title: str
    cells: _Cells
    about: str = ""
    fixed: bool = False
    shown: bool = True
    chosen: bool = False
    reviewers: tuple[str, ...] = ()
    opinion: bool = True
    width: int = 0


def columns(
    reviewers: Collection[str],
    known: Choices,
    total: int,
    chosen: Mapping[str, bool],
    *,
    contracts: bool,
    by_lineage: bool,
) -> Sequence[InboxColumn]:
    """Return all columns from left to right.

    A reviewer with reviews on less than 5 % of the submissions shares a column with others of that
    kind, unless this person chose otherwise.

    Args:
        reviewers: all that have a review in the store, so that no page and no filter moves a
            column.
        total: how many submissions the store holds.
        chosen: which columns this person shows or hides.
        contracts: whether it matters by which contract each is judged.
    """
    names = sorted(reviewers, key=lambda name: (name != RECORDED, name == RULES, name))
    few = {
        name
        for name in names
        # Who came after the choices were counted has a column until they are counted again.
        if known.filled.get(name, total) < _FEW * total and name not in (RECORDED, RULES)
    }
    every = [
        InboxColumn("title", "title", "About", lambda row: {"about": row.title}, opinion=False),
        InboxColumn(
            "blockers", "blockers", "Blockers", lambda row: {"blockers": row.blockers},
            "Confirmed blockers of one reviewer, at most; the line shows every attempt of the"
            " lineage, the oldest at the left", shown=by_lineage,
        ),
        *(_reviewer(name, names, few=name in few) for name in names),
        InboxColumn(
            "missed", "missed", "Missed", lambda row: {"missed": row.missed},
            "Confirmed blockers that no LLM reviewer reported", shown=not by_lineage,
        ),
        InboxColumn(
            "attention", "attention", "Why it needs you",
            lambda row: {"why_it_needs_you": row.attention},
        ),
        InboxColumn("decision", "decision", "Decision", _decision, fixed=True, opinion=False),
        InboxColumn(
            "contract", "contract", "Contract", lambda row: {"contract": row.contract},
            shown=contracts, opinion=False,
        ),
        InboxColumn(
            "age", "age", "Generated",
            lambda row: {"generated": row.generated and date_words(row.generated)},
            "≈ marks a date guessed from a name or an archive; if the date is unknown, the import"
            " date is shown", opinion=False,
        ),
    ]  # fmt: skip
    told = [_chosen(column, chosen) for column in every]
    folded = [name for name in few if not chosen.get(_REVIEWER + name, False)]
    return _with_others(told, sorted(folded), chosen)


def chosen_columns(store: Store) -> Mapping[str, bool]:
    """Return which columns this person shows or hides; of who has no name, in this session."""
    if me := signing.author():
        return shown_columns(store, me, TABLE)
    kept: Mapping[str, bool] = st.session_state.get(_CHOSEN, {})
    return kept


def choose(store: Store, shown: Mapping[str, object]) -> None:
    """Keep which columns this person shows or hides; an empty choice takes all earlier ones
    back.
    """
    kept = {str(id): bool(on) for id, on in list(shown.items())[:200]}
    if kept:
        kept = {**chosen_columns(store), **kept}
    signer = signing.signer()
    if signer is None:
        st.session_state[_CHOSEN] = kept
    else:
        with session.reporting():
            choose_columns(store, TABLE, kept, signer)


def as_csv(
    rows: Sequence[InboxRow],
    shown: Sequence[InboxColumn],
    hidden: Collection[str],
    *,
    by_lineage: bool,
) -> str:
    """Return rows as CSV with exactly the columns that are shown; what a spreadsheet would run as a
    formula gets an apostrophe before it.

    Args:
        hidden: ids of the submissions whose reviews blind mode hides.
    """
    out = io.StringIO()
    writer: csv.DictWriter[str] | None = None
    for row in rows:
        cells: dict[str, object] = {"submission": row.name, "attempt": row.attempt}
        if by_lineage:
            cells |= {"lineage": row.lineage, "attempts_that_match": row.matching}
        for column in shown:
            told = column.cells(row)
            hides = row.id in hidden and (column.opinion or column.id == "decision")
            cells |= {
                name: "hidden" if hides and name != "assigned_to" else value
                for name, value in told.items()
            }
        safe = {str(safe_cell(name)): safe_cell(value) for name, value in cells.items()}
        if writer is None:
            writer = csv.DictWriter(out, list(safe))
            writer.writeheader()
        writer.writerow(safe)
    return out.getvalue()


def _reviewer(name: str, names: Sequence[str], *, few: bool) -> InboxColumn:
    return InboxColumn(
        _REVIEWER + name,
        "reviewer",
        short_name(name, names),
        lambda row: _reviews(row, name),
        one_line(name),
        shown=not few,
        reviewers=(name,),
    )


def _with_others(
    told: list[InboxColumn], folded: Sequence[str], chosen: Mapping[str, bool]
) -> Sequence[InboxColumn]:
    """The columns with one for all reviewers that have none of their own."""
    if not folded:
        return told
    words = "reviewer" if len(folded) == 1 else "reviewers"
    others = InboxColumn(
        "others",
        "others",
        f"+{len(folded)} {words}",
        lambda row: {
            "other_reviewers": "; ".join(
                f"{chip.reviewer}: {verdict_words(chip.verdict, partial=chip.partial > 0)}"
                for chip in row.chips
                if chip.reviewer in folded
            )
        },
        "Reviewers of less than 5 % of the submissions: "
        + ", ".join(one_line(name) for name in folded),
        reviewers=tuple(folded),
    )
    after = max(place for place, column in enumerate(told) if column.kind == "reviewer") + 1
    return [*told[:after], _chosen(others, chosen), *told[after:]]


def _chosen(column: InboxColumn, chosen: Mapping[str, bool]) -> InboxColumn:
    if column.fixed or column.id not in chosen:
        return column
    return replace(column, shown=chosen[column.id], chosen=True)


def _reviews(row: InboxRow, name: str) -> Mapping[str, object]:
    """A bundle may bring several recorded answers along: they share the cells."""
    own = [chip for chip in row.chips if chip.reviewer == name]

    def joined(of: Callable[[ReviewChip], object]) -> object:
        return of(own[0]) if len(own) == 1 else "; ".join(str(of(chip)) for chip in own)

    return {
        f"{name} verdict": joined(lambda chip: verdict_words(chip.verdict)),
        f"{name} confirmed": joined(lambda chip: chip.confirmed),
        f"{name} refuted": joined(lambda chip: chip.refuted),
        f"{name} unverified": joined(lambda chip: chip.unverified),
    }


def _decision(row: InboxRow) -> Mapping[str, object]:
    return {
        "decision": verdict_words(row.decision) if row.decision else "",
        "decided_by": row.decided_by.name if row.decided_by else "",
        "assigned_to": row.assignee.name if row.assignee else "",
    }


def short_name(name: str, reviewers: Collection[str]) -> str:
    """Return the name without its provider, unless another one is called so too."""
    own = name.rpartition(":")[2]
    alone = [each.rpartition(":")[2] for each in reviewers].count(own) == 1
    return one_line(own if own and alone else name)
