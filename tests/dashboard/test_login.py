"""Guards signing in: where it is configured nothing is shown before, a deep link outlives it, and
the name signs decisions.
"""

import re
from contextlib import closing

import pytest
from playwright.sync_api import Browser, expect
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from dashboard.login import ReturnAfterLogin
from reviewers import settings
from reviewers.errors import AreachairError
from reviewers.store import Store
from reviewers.store.authors import Signer
from reviewers.store.submission import load_submission
from tests.builders import make_submission
from tests.dashboard.clients import request
from tests.dashboard.conftest import PATIENCE
from tests.dashboard.models import until
from tests.dashboard.screens import components, open_page
from tests.dashboard.serving import Server, free_port
from tests.dashboard.signing_in import login_of, provider, sign_in, written

LOGIN = login_of("https://sso.lab.example", "https://review.lab.example/")


def configure(monkeypatch: pytest.MonkeyPatch, **values: str) -> None:
    given = {f"AREACHAIR_LOGIN_{name}": value for name, value in values.items()}
    for name, value in {**LOGIN, **given}.items():
        monkeypatch.setenv(name, value)


def test_without_configuration_there_is_no_login() -> None:
    assert settings.login() is None


def test_secrets_are_read_and_never_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    configure(monkeypatch)
    login = settings.login()
    assert login is not None
    assert (login.client_secret, login.address) == (
        "kept-to-ourselves",
        "https://review.lab.example",
    )
    assert "kept-to-ourselves" not in repr(login)
    assert "c" * 40 not in repr(login)


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"CLIENT_SECRET": ""}, "set AREACHAIR_LOGIN_CLIENT_SECRET too"),
        ({"ADDRESS": "review"}, "ADDRESS must be an address"),
        ({"ADDRESS": "https://[review"}, "ADDRESS must be an address"),
        ({"COOKIE_SECRET": "short"}, "COOKIE_SECRET must have at least 32 characters"),
    ],
    ids=["by halves", "no address", "half an address", "a secret to be guessed"],
)
def test_half_a_configuration_is_one_line(
    monkeypatch: pytest.MonkeyPatch, values: dict[str, str], problem: str
) -> None:
    configure(monkeypatch, **values)
    with pytest.raises(AreachairError, match=problem):
        settings.login()


def test_where_a_provider_is_configured_nobody_gets_in_by_streamlit_not_knowing_of_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = make_submission(name="not for everybody")
    store.add(submission)
    configure(monkeypatch)
    for path, params in (
        ("", {}),
        ("submission", {"s": submission.id[:16]}),
        ("settings", {"section": "Data"}),
    ):
        at = open_page(path, **params)
        assert [button.label for button in at.button] == ["Sign in"]
        assert not components(at) - {"page"}


async def _page(request: Request) -> Response:
    answer = Response("who is not in sees a wall", 401)
    answer.set_cookie("other", "1")
    return answer


async def _callback(request: Request) -> Response:
    return RedirectResponse("/")


def browser(*, secure: bool) -> TestClient:
    """A client of a small app behind the middleware."""
    routes = [Route("/oauth2callback", _callback), Route("/{path:path}", _page)]
    app = Starlette(routes=routes, middleware=[Middleware(ReturnAfterLogin, secure=secure)])
    address = "https://review.lab.example" if secure else "http://review.lab.example"
    return TestClient(
        app, base_url=address, headers={"accept": "text/html"}, follow_redirects=False
    )


def test_the_page_asked_for_is_where_one_comes_back() -> None:
    client = browser(secure=False)
    client.get("/submission?s=0123456789abcdef&q=a b")
    assert (
        client.get("/oauth2callback").headers["location"]
        == "/submission?s=0123456789abcdef&q=a%20b"
    )
    assert client.get("/oauth2callback").headers["location"] == "/", "the wish is granted once"


@pytest.mark.parametrize(
    "wish", ["//evil.example/", "/%5Cevil.example", "https:evil.example", "/x%0d%0aset-cookie:a=b"]
)
def test_no_wish_leads_elsewhere(wish: str) -> None:
    client = browser(secure=False)
    client.cookies.set("areachair_wish", wish)
    answer = client.get("/oauth2callback")
    assert answer.headers["location"] == "/"
    assert "a" not in answer.cookies


def test_over_tls_every_cookie_is_for_tls_alone() -> None:
    answer = browser(secure=True).get("/submission?s=1")
    assert [line.count("ecure") for line in answer.headers.get_list("set-cookie")] == [1, 1]


def test_long_wishes_and_broken_cookies_do_no_harm() -> None:
    client = browser(secure=False)
    assert "areachair_wish" not in client.get("/submission?q=" + "x" * 5_000).cookies
    assert client.get("/trends", headers={"cookie": "=;;\x01bad"}).status_code == 401


def test_a_deep_link_outlives_signing_in_and_the_name_signs(
    store: Store, url: str, chromium: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = chromium.new_context()
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    # The provider's own page asks for a style sheet elsewhere.
    page.route(re.compile("^https:"), lambda route: route.abort())
    submission = make_submission({"src/train.py": "print(absent)\n"})
    store.add(submission)
    port = free_port()
    with provider() as issuer:
        configure(
            monkeypatch,
            METADATA=f"{issuer}/.well-known/openid-configuration",
            ADDRESS=f"http://127.0.0.1:{port}",
        )
        monkeypatch.setenv("AREACHAIR_DEFAULT_ROLE", "reviewer")
        with Server(url, port=port) as server, closing(context):
            page.goto(f"{server.address}/submission?s={submission.id[:16]}")
            expect(page.get_by_role("button", name="Sign in")).to_be_visible()
            assert "train.py" not in page.content()
            page.get_by_role("button", name="Sign in").click()
            page.locator("input[name=sub]").fill("grace")
            page.locator("input[name=sub]").press("Enter")
            expect(page.get_by_text("train.py").first).to_be_visible()
            assert page.url.startswith(f"{server.address}/submission?s={submission.id[:16]}")
            expect(page.get_by_label("Reason", exact=True)).to_be_visible()
            # Nobody is asked for a name here; issuer and subject are the author.
            page.keyboard.press("2")
            page.keyboard.type("`absent` is not defined")
            page.keyboard.press("Enter")
            until(lambda: load_submission(store, submission.id).decision is not None)
            (decision,) = load_submission(store, submission.id).decisions
            assert decision.author.name == "Grace Hopper"
            assert decision.author.id == Signer("", issuer, "grace").id
            page.goto(f"{server.address}/settings")
            expect(page.get_by_text("Signed in as Grace Hopper")).to_contain_text("reviewer")
            assert "kept-to-ourselves" not in page.content() + "".join(server.log)
            # Another session of the same person is ended from here, and only that.
            other, stranger = (sign_in(server.address, each) for each in ("grace", "ada"))
            page.reload()
            expect(page.get_by_role("button", name="End", exact=True)).to_have_count(1)
            page.get_by_role("button", name="End", exact=True).click()
            expect(page.get_by_role("button", name="End", exact=True)).to_have_count(0)
            for cookies, status in ((other, 401), (stranger, 200)):
                asked = {"accept": "text/html", "cookie": written(cookies)}
                assert request(server.address, "/", **asked).status == status
            # A page that stays open is shut out with the session, and comes back where it was.
            second = context.new_page()
            second.set_default_timeout(PATIENCE)
            second.goto(f"{server.address}/submission?s={submission.id[:16]}")
            expect(second.get_by_text("train.py").first).to_be_visible()
            page.get_by_role("button", name="Sign out").click()
            # The provider asks whether to end its own session, too; ours is over by now.
            page.get_by_role("button", name="End session").click()
            expect(page.get_by_role("button", name="Sign in")).to_be_visible()
            second.get_by_role("link", name="Trends").click()
            expect(second.get_by_role("button", name="Sign in")).to_be_visible()
            assert "train.py" not in second.content()
