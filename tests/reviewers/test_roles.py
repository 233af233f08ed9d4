"""Guards which role a person has by what the provider tells, and in which words an act is
refused.
"""

from typing import Any

import pytest

from reviewers import settings
from reviewers.errors import AreachairError
from reviewers.roles import Act, GroupRoles, Role, highest, refusal

ROLES = GroupRoles(
    "groups", {Role.REVIEWER: frozenset({"lab"}), Role.OPERATOR: frozenset({"admins", "/lab/ops"})}
)


@pytest.mark.parametrize(
    ("claims", "role"),
    [
        ({"groups": ["lab"]}, Role.REVIEWER),
        ({"groups": ["lab", "/lab/ops"]}, Role.OPERATOR),
        ({"groups": "admins"}, Role.OPERATOR),
        ({"groups": ["Admins"]}, None),
        ({"groups": "admins,lab"}, None),
        ({"groups": [["admins"], {"admins": 1}, None, 7]}, None),
        ({"groups": {"admins": True}}, None),
        ({"groups": None}, None),
        ({"roles": ["admins"]}, None),
        ({}, None),
    ],
    ids=repr,
)
def test_the_highest_role_of_a_persons_groups_counts(
    claims: dict[str, Any], role: Role | None
) -> None:
    assert ROLES.of(claims) is role


def test_groups_may_be_nested_and_a_claims_name_may_have_dots() -> None:
    nested = GroupRoles("realm_access.roles", {Role.OPERATOR: frozenset({"admins"})})
    assert nested.of({"realm_access": {"roles": ["admins"]}}) is Role.OPERATOR
    assert nested.of({"realm_access.roles": ["admins"]}) is Role.OPERATOR
    assert nested.of({"realm_access": ["admins"]}) is None


def test_settings_say_which_groups_have_which_role(monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings.group_roles() == GroupRoles()
    monkeypatch.setenv("AREACHAIR_ROLE_OPERATOR", " admins, /lab/ops,")
    monkeypatch.setenv("AREACHAIR_ROLE_REVIEWER", "lab")
    assert settings.group_roles() == ROLES
    monkeypatch.setenv("AREACHAIR_DEFAULT_ROLE", "reviewer")
    monkeypatch.setenv("AREACHAIR_LOGIN_GROUPS_CLAIM", "teams")
    told = settings.group_roles()
    assert (told.otherwise, told.claim) == (Role.REVIEWER, "teams")
    monkeypatch.setenv("AREACHAIR_DEFAULT_ROLE", "admin")
    with pytest.raises(AreachairError, match="one of: viewer, reviewer, operator"):
        settings.group_roles()


def test_the_higher_role_counts_and_the_default_only_where_there_is_none() -> None:
    assert highest((Role.VIEWER, Role.OPERATOR), Role.REVIEWER) is Role.OPERATOR
    assert highest((None, Role.VIEWER), Role.REVIEWER) is Role.VIEWER
    assert highest((None, None), Role.REVIEWER) is Role.REVIEWER


def test_a_refusal_is_one_sentence_that_says_what_to_do() -> None:
    told = refusal(Role.VIEWER, Act.DECIDE)
    assert told == "You are a viewer here: ask an operator for the role of a reviewer."
    assert refusal(Role.REVIEWER, Act.CONFIGURE).endswith("for the role of an operator.")
    assert refusal(None, Act.DECIDE) == "You are not signed in: sign in first."
