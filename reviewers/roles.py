"""Who may do what: three roles, the acts that change something, and the least role for each act.

Every write to the store names its acts, so this table decides about all of them. Who works on the
machine itself, on the command line or as a worker, is an operator.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Role(StrEnum):
    """What a person is at the desk, the least first; each may do what those before it may."""

    VIEWER = "viewer"  # reads, and arranges their own views
    REVIEWER = "reviewer"  # judges, imports, and asks models at the lab's cost
    OPERATOR = "operator"  # configures, gives roles, deletes

    @property
    def rank(self) -> int:
        """Its place among the roles, counted from 0."""
        return [*Role].index(self)

    def may(self, act: "Act | None") -> bool:
        """Whether this role allows an act; what has no name, None, needs an operator."""
        return self.rank >= least_role(act).rank


class Act(StrEnum):
    """Something that changes what others see, costs money, or is kept."""

    ARRANGE = "arrange views and columns"
    END_SESSION = "end a session"
    EXPORT = "export"
    PROVE = "have repairs proven"
    DECIDE = "decide"
    RULE = "rule on findings"
    COMMENT = "comment"
    FIND = "add findings"
    READ_CLAIM = "read claims"
    CATEGORISE = "categorise claims"
    REPAIR = "take repairs"
    ASSIGN = "assign submissions"
    RELATE = "join and split lineages"
    DATE = "date submissions"
    CHOOSE_CONTRACT = "choose a contract"
    CORRECT_NAME = "correct a name"
    IMPORT = "import"
    REVIEW = "review again"
    ASK = "ask models"
    STEER = "cancel and retry jobs"
    SET_ASIDE = "set submissions aside"
    CONFIGURE = "configure"
    GIVE_ROLE = "give roles"
    DELETE = "delete submissions"
    RESTORE = "restore a backup"
    SIGN_IN = "begin sessions"
    WORK = "do jobs"
    IMPORT_PATHS = "import from the server's disk"
    UPKEEP = "bring the store up to date"


_LEAST = {
    Role.VIEWER: (Act.ARRANGE, Act.END_SESSION, Act.EXPORT, Act.PROVE),
    Role.REVIEWER: (
        *(Act.DECIDE, Act.RULE, Act.COMMENT, Act.FIND, Act.READ_CLAIM, Act.CATEGORISE),
        *(Act.REPAIR, Act.ASSIGN, Act.RELATE, Act.DATE, Act.CHOOSE_CONTRACT, Act.CORRECT_NAME),
        *(Act.IMPORT, Act.REVIEW, Act.ASK, Act.STEER, Act.SET_ASIDE),
    ),
}


def least_role(act: Act | None) -> Role:
    """Return the least role that allows an act: operator where none is said, and for what has no
    name.
    """
    return next((role for role, acts in _LEAST.items() if act in acts), Role.OPERATOR)


def highest(roles: Iterable[Role | None], otherwise: Role) -> Role:
    """Return the highest of the roles that are known; `otherwise` if none is."""
    known = [role for role in roles if role is not None]
    return max(known, key=lambda role: role.rank, default=otherwise)


def refusal(role: Role | None, act: Act | None) -> str:
    """Say in one sentence why an act is refused, and what to do.

    Args:
        role: None for who is not signed in.
    """
    if role is None:
        return "You are not signed in: sign in first."
    return (
        f"You are {_with_article(role)} here: ask an operator for the role of"
        f" {_with_article(least_role(act))}."
    )


def _with_article(role: Role) -> str:
    return f"{'an' if role is Role.OPERATOR else 'a'} {role}"


@dataclass(frozen=True, slots=True)
class GroupRoles:
    """Which groups of the provider have which role, as the machine's owner says.

    Attributes:
        claim: the name of what the provider tells of a person's groups; with dots where it is
            nested, such as `realm_access.roles`.
        groups: the groups of each role.
        otherwise: the role of who is signed in where neither groups nor the store say one.
    """

    claim: str = "groups"
    groups: Mapping[Role, frozenset[str]] = field(default_factory=dict)
    otherwise: Role = Role.VIEWER

    def of(self, claims: Mapping[str, Any]) -> Role | None:
        """Return the highest role of a person's groups; None if they give none.

        Args:
            claims: what the provider tells of the person; anything may be in it.
        """
        told = _claim(claims, self.claim)
        theirs = {told} if isinstance(told, str) else set()
        if isinstance(told, list):
            theirs = {each for each in told if isinstance(each, str)}
        return max(
            (role for role, groups in self.groups.items() if groups & theirs),
            key=lambda role: role.rank,
            default=None,
        )

    def __str__(self) -> str:
        """What is configured, in one line."""
        groups = (
            f"{role}: {', '.join(sorted(groups))}" for role, groups in sorted(self.groups.items())
        )
        return "; ".join([*groups, f"everybody else: {self.otherwise}"])


def _claim(claims: Mapping[str, Any], name: str) -> object:
    if name in claims:
        return claims[name]  # a name with dots may be one, such as an address
    found: object = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found
