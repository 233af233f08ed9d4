"""`areachair jobs`: what was handed in to workers, and handing in without the dashboard."""

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Annotated

import typer

from reviewers import settings
from reviewers.backends.configured import load
from reviewers.cli.options import StoreUrl
from reviewers.errors import AreachairError
from reviewers.jobs.handing_in import Ask, claims_job, import_job, rules_job
from reviewers.jobs.names import ASK, READ
from reviewers.records import counted
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, matching_ids
from reviewers.store.jobs import (
    JobState,
    NewJob,
    Work,
    cancel,
    enqueue_jobs,
    retry,
    shown_works,
)
from reviewers.store.submission import load_submission


def command(
    submissions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SUBMISSION]...",
            help="Id prefixes of what to hand in.  [default: everything in the store]",
        ),
    ] = None,
    ask: Annotated[
        list[str] | None,
        typer.Option(metavar="REVIEWER", help="Have a model review them; repeatable."),
    ] = None,
    read: Annotated[
        str | None, typer.Option(metavar="READER", help="Have a model read their claims.")
    ] = None,
    rules: Annotated[bool, typer.Option("--rules", help="Have the rules run again.")] = False,
    claims: Annotated[bool, typer.Option("--claims", help="Have claims checked again.")] = False,
    bring: Annotated[
        list[str] | None,
        typer.Option(
            "--import", metavar="PATH", help="Have a worker import what its machine has there."
        ),
    ] = None,
    budget_usd: Annotated[
        float | None, typer.Option(min=0, help="Maximum cost of what is handed in, in dollars.")
    ] = None,
    budget_tokens: Annotated[
        int | None, typer.Option(min=0, help="Maximum tokens of what is handed in.")
    ] = None,
    cancel_work: Annotated[
        int | None, typer.Option("--cancel", metavar="NUMBER", help="Stop what is not done of it.")
    ] = None,
    retry_work: Annotated[
        int | None, typer.Option("--retry", metavar="NUMBER", help="Do again what failed of it.")
    ] = None,
    store: StoreUrl = None,
) -> None:
    """List what was handed in, newest last; or hand in, cancel or retry first."""
    with closing(Store.open(store or settings.store_url())) as opened:
        own = [rules_job] * rules + [claims_job] * claims
        new = _new(opened, submissions or [], ask or [], read, own)
        new += map(import_job, bring or [])
        if submissions and not new:
            raise AreachairError("say what to hand in: --ask, --read, --rules or --claims")
        if new:
            budget = load(settings.reviewers_file()).budget
            enqueue_jobs(
                opened,
                new,
                by=settings.author(),
                most_usd=budget.usd if budget_usd is None else budget_usd,
                most_tokens=budget.tokens if budget_tokens is None else budget_tokens,
            )
        if cancel_work is not None:
            cancel(opened, work=cancel_work)
        if retry_work is not None and not retry(opened, retry_work):
            raise AreachairError(f"nothing of {retry_work} failed, or it is asked anew already")
        for work in shown_works(opened, every=True):
            typer.echo("\n".join(_lines(work)))


def _new(
    store: Store,
    given: Sequence[str],
    ask: Sequence[str],
    read: str | None,
    own: Sequence[Callable[[str], NewJob]],
) -> list[NewJob]:
    if not (ask or read or own):
        return []
    find = load(settings.reviewers_file()).find
    asked = [(find(name), ASK) for name in ask] + ([(find(read), READ)] if read else [])
    ids = [load_submission(store, each).submission.id for each in given]
    new = []
    for id in ids or matching_ids(store, InboxQuery()):
        for config, task in asked:
            new.append(Ask(id, config, task, unless_answered=True).job(made_up=True))
        new += [job(id) for job in own]
    return new


def _lines(work: Work) -> list[str]:
    known = [state for state in JobState if work.counts[state]]
    counts = ", ".join(f"{work.counts[state]:,} {state}" for state in known)
    who = ", ".join(work.reviewers) or counted(work.counts.total(), "job")
    cost = f"  ${work.usd:,.4f}" if work.usd else ""
    head = f"{work.number}  {work.at:%Y-%m-%d %H:%M}  {'/'.join(work.tasks)} {who}: {counts}{cost}"
    return [head, *(f"    {job.about or 'a job'}: {job.problem}" for job in work.troubles)]
