"""A submission that tries everything: markup, Markdown, Streamlit's own marks and control
characters, in every text it has.
"""

from dataclasses import replace

from playwright.sync_api import Page

from reviewers.records import (
    Check,
    DryRun,
    FactCheck,
    Failure,
    Finding,
    Followed,
    RecordedAnswer,
    ResearchContext,
    Review,
    RunConfig,
    Severity,
    SourceFile,
    Span,
    Submission,
    Verdict,
)
from reviewers.store.authors import Signer
from tests.builders import SOUND_FILES, as_bytes

MARKUP = "<script>window.pwned=1</script></span><img src=x onerror=window.pwned=2>"
MARKDOWN = (
    "**b** [x](javascript:window.pwned=3) ![i](http://elsewhere.example/i.png) :material/delete:"
    " :red[r] $x^2$ `c` <b>t</b>"
)
CONTROL = "a\x00b\x1b[31mc\u202ed\u200be"
ALL = f"{MARKUP} {MARKDOWN} {CONTROL}"
FILE = "src/<img src=x onerror=window.pwned=4>\u202e.py"
ABSENT = "src/[x](javascript:window.pwned=5).py"
REVIEWER = "openai:<img src=x onerror=window.pwned=6>**m**"

CODE = (
    f"# {MARKUP}\nx = '</div><svg onload=window.pwned=7>'\ny = '''{MARKDOWN}'''\nz = '{CONTROL}'\n"
)

_FINDINGS = (
    Finding(
        id="h1",
        category=f"odd {MARKUP}",
        severity=Severity.BLOCKER,
        message=f"message {ALL}",
        claim=f"claim {ALL}",
        claim_at=(0, 20),
        kind=f"kind {MARKUP}",
        span=Span(FILE, 2),
        check=FactCheck(Check.CONFIRMED, f"evidence {ALL}", Span(FILE, 4)),
    ),
    Finding(
        id="h2",
        category="file-structure",
        severity=Severity.MAJOR,
        message=f"absent {ALL}",
        span=Span(ABSENT),
        check=FactCheck(Check.UNVERIFIED, f"nothing {ALL}"),
    ),
)

SUBMISSION = Submission(
    name=f"name {MARKUP} **b** :material/delete: {CONTROL}",
    source=f"/bundles/{ALL}",
    files=(
        SourceFile(FILE, as_bytes(CODE)),
        *(SourceFile(path, as_bytes(text)) for path, text in SOUND_FILES.items()),
    ),
    runs=(
        RunConfig(
            f"run {MARKUP}",
            SourceFile("config/runs/odd.yaml", as_bytes(CODE)),
            MARKUP,
            MARKUP,
            MARKUP,
        ),
    ),
    context=ResearchContext(
        hypothesis={f"field {MARKUP}": ALL},
        method=ALL,
        design={"Strategy": ALL},
        primary_metric=f"metric {ALL}",
        criteria=ALL,
    ),
    recorded=(RecordedAnswer(raw=ALL, verdict=Verdict.NOT_READY, text=ALL),),
    lineage=f"lineage {ALL}",
    attempt=1,
)
_STOP = Failure(
    step="main",
    command=f"python -m {ALL}",
    run=ALL,
    mode=ALL,
    error=f"Error{MARKUP}",
    message=f"met {ALL}\n{ALL * 20}",
    place=Span(FILE, 2),
    chain=(Span(FILE, 1), Span(ABSENT, 3)),
    finding="h1",
)
_DRY_RUN = DryRun(
    (Followed("install", f"uv {ALL}", 1), Followed("main", f"python {ALL}", 2, 1, 2)),
    (_STOP, replace(_STOP, message=f"behind {ALL}", place=Span(ABSENT), certain=False)),
    (f"left out {ALL}", ALL),
    3,
)
REVIEWS = (
    Review(
        reviewer=REVIEWER,
        verdict=Verdict.NOT_READY,
        findings=_FINDINGS,
        model=f"model {ALL}",
        text=f"text {ALL}",
        raw=ALL,
        dry_run=_DRY_RUN,
    ),
    Review(reviewer="recorded", verdict=None, failure=f"failure {ALL}", raw=f"raw {ALL}"),
)
REASON = f"reason {ALL.replace(chr(0), '')}"
AUTHOR = Signer("author **b** <img src=x onerror=window.pwned=8>", "https://id.lab", "a")


def assert_harmless(page: Page) -> None:
    """Nothing ran, and no node of the submission's making is in the page or in our components."""
    found = page.evaluate("""() => {
            const roots = [document, ...[...document.querySelectorAll("*")].map((node) => node.shadowRoot).filter(Boolean)]
            const ask = (selector) => roots.flatMap((root) => [...root.querySelectorAll(selector)])
            return {
                pwned: window.pwned ?? null,
                handlers: ask("[onerror], [onload]").length,
                images: ask("img").filter((img) => img.getAttribute("src") === "x" || img.src.includes("elsewhere")).length,
                links: ask("a").filter((a) => a.href.startsWith("javascript:")).length,
                scripts: ask("script").filter((script) => script.textContent.includes("pwned")).length,
            }
        }""")  # noqa: E501
    assert found == {"pwned": None, "handlers": 0, "images": 0, "links": 0, "scripts": 0}
