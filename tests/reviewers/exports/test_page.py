"""Guards the page of a submission: whole, of one piece, bounded, and nothing of a submission
becomes markup in it.
"""

import hashlib
import re
import time
from base64 import b64encode
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from reviewers.exports.markup import element
from reviewers.exports.page import html_page
from reviewers.records import (
    Check,
    FactCheck,
    ResearchContext,
    Review,
    Ruling,
    Severity,
    Span,
    Verdict,
)
from reviewers.store import Store
from reviewers.store.full_record import kept
from reviewers.store.submission import StoredReview, SubmissionRecord, load_submission
from tests.builders import make_submission
from tests.cases import cases
from tests.reviewers.exports.recorded import (
    AT,
    REFUTED,
    decided,
    dismissed,
    make_finding,
    make_record,
    remarked,
    seen,
)
from tests.shared_data import needs_shared

ELEMENTS = set(
    re.findall(
        r"\w+",
        "html head meta title style body main header section article h1 h2 h3 dl dt dd div p span b"
        " i em a q ul li small pre code details summary table thead tbody tr th td",
    )
)
ATTRIBUTES = frozenset({"lang", "charset", "http-equiv", "content", "name", "class", "id", "href"})
HOSTILE = (
    "<script>alert(1)</script>",
    "</code></div><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "</style><style>*{display:none}</style>",
    "<!-- ]]> &lt;b&gt; &#60;",
    "javascript:alert(1)",
)


class Page(HTMLParser):
    """What a browser would find."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.style = self.text = ""
        self.policy = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.elements.add(tag)
        self.attributes.update(found)
        self.links += [found["href"] or ""] if "href" in found else []
        self.ids += [found["id"] or ""] if "id" in found else []
        if found.get("http-equiv") == "Content-Security-Policy":
            self.policy = found["content"] or ""
        if tag not in ("meta", "br"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "style":
            self.style += data
        else:
            self.text += data


def hostile_record(text: str) -> SubmissionRecord:
    """A record with the text wherever text can be."""
    submission = make_submission(
        {
            "src/train.py": f"x = 1\n# {text}\n{text}\n",
            "config/config.yaml": f"a: {text}\n",
            f"{text.replace('/', '')}.py": text,
        },
        name=text,
        source=text,
        lineage=text,
        attempt=1,
        context=ResearchContext(
            hypothesis={text: text},
            method=text,
            design={text: text},
            primary_metric=text,
            criteria=text,
        ),
    )
    said: dict[str, Any] = {"message": text, "category": text, "severity": Severity.MAJOR}
    findings = (
        make_finding("f", claim=text, kind=text, **said),
        make_finding(
            "g",
            rule=text,
            span=Span(text, 3),
            check=FactCheck(Check.REFUTED, text, Span(text, 2)),
            **said,
        ),
        make_finding("h", span=None, claim=text, **said),
    )
    reviews = (
        Review(
            reviewer=text or "x",
            verdict=Verdict.READY,
            findings=findings,
            text=text,
            raw=text,
            model=text,
        ),
        Review(reviewer="failed", verdict=None, failure=text or "x", raw=text),
    )
    return make_record(
        submission=submission,
        reviews=tuple(StoredReview(review, AT) for review in reviews),
        decisions=(decided(Verdict.READY, text),),
        rulings=(dismissed("f", reason=text),),
        own=(seen("o", Span("src/train.py", 2), text, text), seen("p", Span(text), text, text)),
        remarks=(remarked("f", Severity.MINOR, text, text),),
    )


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_becomes_markup(text: str) -> None:
    page = Page(html_page(hostile_record(text)))
    assert page.elements <= ELEMENTS
    assert page.attributes <= ATTRIBUTES
    assert all(re.fullmatch(r"#f\d+(l\d+)?", link) for link in page.links)
    assert text in page.text


def test_no_attribute_can_be_left() -> None:
    assert (
        element("a", "x", href='"><b>', title="\u202e")
        == '<a href="&quot;&gt;&lt;b&gt;" title="⟦U+202E⟧">x</a>'
    )


def test_what_hides_is_shown_as_its_code_point() -> None:
    text = html_page(hostile_record("a\u202eb\0c\u200bd\x1be"))
    assert not set(text) & {"\u202e", "\0", "\u200b", "\x1b"}
    assert "a⟦U+202E⟧b⟦U+0000⟧c⟦U+200B⟧d⟦U+001B⟧e" in text


def test_half_a_surrogate_pair_can_be_written() -> None:
    record = make_record(
        make_finding("f", message="\ud800", claim="\ud800"),
        rulings=(dismissed("f", reason="\ud800"),),
    )
    html_page(record).encode()


def test_the_policy_forbids_everything_but_the_one_style() -> None:
    page = Page(html_page(make_record()))
    digest = b64encode(hashlib.sha256(page.style.encode()).digest()).decode()
    assert (
        page.policy
        == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    assert not re.search(r"url\(|@import|https?:", page.style)


def test_findings_stand_under_their_lines_and_links_lead_to_lines() -> None:
    text = html_page(make_record(make_finding("f")))
    page = Page(text)
    assert {link[1:] for link in page.links} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    after = text.split("claim of f")[0]
    assert after.rindex('l4"') > after.rindex("src/train.py</h3>")
    assert 'l5"' not in after[after.rindex("src/train.py</h3>") :]


def test_verdicts_people_and_context_are_all_there() -> None:
    record = make_record(
        make_finding("f"),
        REFUTED,
        decisions=(decided(None, ""), decided(Verdict.NOT_READY, "it crashed")),
        rulings=(dismissed("f", Ruling.WITHDRAWN, ""), dismissed("f")),
    )
    text = Page(html_page(record)).text
    for words in (
        "not ready",
        "withdrawn by Bob, 2026-03-01 12:00:00 UTC",
        "it crashed",
        "dismissed by Ann",
        "took back the ruling by Ann",
        "The reviewer's mistake: misread code.",
        "Plain networks waste units.",
        "message of r1",
    ):
        assert words in text


def test_what_people_found_and_remarked_stands_where_it_belongs() -> None:
    said = (
        remarked("f", Severity.MINOR, "it only warns"),
        remarked("o", comment="I saw it too", author="Bob"),
    )
    text = html_page(
        make_record(
            make_finding("f"), own=(seen("o", Span("src/train.py", 2), author="Cid"),), remarks=said
        )
    )
    assert '<div class="card confirmed minor">' in text
    before = text.split("seen by a person")[0]
    assert before.rindex('l2"') > before.rindex("src/train.py</h3>")
    assert before.rindex(">Cid<") > before.rindex('l2"')
    for words in (
        "set to minor by Ann, 2026-03-01 12:00:00 UTC",
        "it only warns",
        "I saw it too",
        "it trains on the test set",
    ):
        assert Page(text).text.count(words) > 1, "once on the card, once among what people said"


def test_what_is_refuted_is_folded() -> None:
    assert '<details class="card refuted major">' in html_page(make_record(REFUTED))
    assert '<details class="card refuted blocker">' in html_page(
        make_record(make_finding("f"), rulings=(dismissed("f"),))
    )


def test_a_file_that_is_absent_and_a_claim_without_a_place_are_listed() -> None:
    text = Page(
        html_page(
            make_record(
                make_finding("f", span=Span("src/gone.py", 3)), make_finding("g", span=None)
            )
        )
    ).text
    assert "src/gone.py (absent)" in text
    assert "Without a place" in text


def test_twenty_thousand_lines_stay_below_ten_megabytes() -> None:
    code = "".join(
        f"    value_{number} = function({number}, 'text', key=[{number}, None])  # why\n"
        for number in range(5_000)
    )
    record = make_record(
        submission=make_submission({f"src/part{number}.py": code for number in range(4)})
    )
    start = time.process_time()
    text = html_page(record)
    assert len(text.encode()) < 10_000_000
    assert time.process_time() - start < 30
    assert "value_4999" in text


@cases(
    ("path", "text"),
    {
        "one line": ("src/train.py", "x" * 1_900_000),
        "marks": ("src/train.py", "<\u202e" * 600_000),
        "brackets": ("src/train.py", "(" * 150_000 + "\n'''" * 50_000),
        "empty lines": ("src/train.py", "\n" * 1_900_000),
        "dashes": ("config/config.yaml", "- " * 100_000),
        "deep yaml": ("config/config.yaml", "? [" * 6_000 + "\n" + "&a *b " * 3_000),
        "deep toml": ("pyproject.toml", "[" * 49_000),
        "open strings": ("pyproject.toml", "a = '''" * 7_000),
    },
)
def test_a_hostile_file_is_shown_in_time_and_in_bounds(path: str, text: str) -> None:
    start = time.process_time()
    page = html_page(make_record(submission=make_submission({path: text})))
    assert len(page.encode()) < 16_000_000
    assert time.process_time() - start < 30


def test_thousands_of_findings_are_bounded() -> None:
    many = [
        make_finding(f"f{number}", claim="x" * 10_000, message=f"{number}")
        for number in range(2_100)
    ]
    text = html_page(
        make_record(
            reviews=(
                StoredReview(
                    Review(reviewer="a", verdict=Verdict.NOT_READY, findings=tuple(many)), AT
                ),
            )
        )
    )
    assert "100 further findings are not shown" in text
    assert len(text) < 20_000_000


@needs_shared
def test_every_real_log_becomes_a_page_the_same_each_time(logs_store: Store) -> None:
    for place, each in enumerate(kept(logs_store)):
        text = html_page(load_submission(logs_store, each.submission.id))
        page = Page(text)
        assert page.elements <= ELEMENTS
        assert {link[1:] for link in page.links} <= set(page.ids)
        if place % 10 == 0:
            assert text == html_page(load_submission(logs_store, each.submission.id))


@pytest.mark.parametrize("width", [1300, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_runs_nothing_asks_nothing_and_scrolls_one_way(
    chromium: Browser, tmp_path: Path, width: int, scheme: Any
) -> None:
    path = tmp_path / "page.html"
    path.write_text(html_page(hostile_record(" ".join(HOSTILE) + "w" * 3_000)), "utf-8")
    size: Any = {"width": width, "height": 900}
    with closing(chromium.new_context(viewport=size, color_scheme=scheme)) as context:
        page = context.new_page()
        told: list[str] = []
        page.on("console", lambda message: told.append(message.text))
        page.on("dialog", lambda dialog: told.append(dialog.message))
        page.on(
            "request",
            lambda request: told.append(request.url) if request.url != path.as_uri() else None,
        )
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") == width
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert paper == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 31)"}[scheme]
        assert told == []
