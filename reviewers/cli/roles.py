"""`areachair role`: lists who may do what at the dashboard, and gives roles."""

from collections.abc import Iterator
from contextlib import closing
from typing import Annotated

import typer

from reviewers import settings
from reviewers.cli.authors import acting
from reviewers.cli.options import StoreUrl
from reviewers.errors import AreachairError, printable
from reviewers.roles import Role
from reviewers.store import Store
from reviewers.store.person_roles import find_person, give_role, people_with_roles

_NONE = "none"
_SHOWN = 10


def command(
    person: Annotated[
        str | None,
        typer.Argument(help="A name, a subject, or the beginning of a person's key."),
    ] = None,
    role: Annotated[
        str | None,
        typer.Argument(
            metavar="ROLE",
            help=f"{', '.join(Role)}; or none, to take back what was given here.",
        ),
    ] = None,
    issuer: Annotated[
        str | None,
        typer.Option(help="The provider of a subject who has not signed in yet."),
    ] = None,
    store: StoreUrl = None,
) -> None:
    """List who signs in with their roles; or give a person a role.

    The higher one counts of what is given here and what the provider's groups give.
    """
    if role is not None and role not in (*Role, _NONE):
        raise AreachairError(
            f"there is no role {role[:40]!r}; name one of: {', '.join(Role)}, none"
        )
    if person is not None and role is None:
        raise AreachairError(f"say which role: areachair role PERSON {'|'.join(Role)}|none")
    groups = settings.group_roles()
    with closing(Store.open(store or settings.store_url())) as opened:
        if person is None:
            typer.echo("\n".join(_told(opened, groups.otherwise)))
            return
        found = find_person(opened, person, issuer)
        new = None if role in (None, _NONE) else Role(role)
        changed = give_role(opened, found, new, acting())
        now = find_person(opened, found.subject, found.issuer)
        words = f"{now.name} is {now.role(groups.otherwise)}{'' if changed else ' already'}"
        typer.echo(printable(words))


def _told(store: Store, otherwise: Role) -> Iterator[str]:
    people = people_with_roles(store)
    if not people:
        yield "nobody has signed in"
    for each in people:
        given = f"given here: {each.given or _NONE}"
        groups = f"by groups: {each.by_groups or _NONE}"
        who = f"{each.name} ({each.subject} at {each.issuer})"
        yield printable(
            "  ".join((each.key[:_SHOWN], who, each.role(otherwise), f"{given}, {groups}"))
        )
    yield f"everybody else who signs in: {otherwise}"
