"""Take the README's pictures: the dashboard on the samples, light and dark, into
docs/images/.

python -m docs.screenshots [CHROMIUM]

The two models on them are scripted: a local server gives them the answers below.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Page, sync_playwright

from reviewers.settings import sample_bundles
from tests.dashboard.serving import Server
from tests.model_server import ModelServer, Received

IMAGES = Path(__file__).parent / "images"
SIZE = {"width": 1440, "height": 860}
ASKED = "gated-sam"
SHOWN = "sparse-forecast"  # its review mixes true claims, invented ones and missed blockers


def finding(
    criterion: int, category: str, severity: str, file: str, line: int, quote: str, message: str
) -> dict[str, Any]:
    """Return a finding as models are asked to give it."""
    said = {
        "criterion": criterion,
        "category": category,
        "severity": severity,
        "file": file,
        "line": line,
        "end_line": line,
    }
    return {**said, "quote": quote, "message": message}


LIMIT = (
    "The trial mode writes training.batch_limit, which config/config.yaml does not have:"
    " ConfigAttributeError in trial mode."
)
ANSWERS: Mapping[str, dict[str, Any]] = {
    "large-model": {
        "verdict": "not_ready",
        "findings": [
            finding(
                9,
                "hydra-composition",
                "blocker",
                "src/main.py",
                15,
                "cfg.training.batch_limit",
                LIMIT,
            ),
            finding(
                6,
                "tracking-mismatch",
                "major",
                "src/train.py",
                150,
                "results.json",
                "train.py writes results.json.",
            ),
        ],
    },
    "small-model": {
        "verdict": "not_ready",
        "findings": [
            finding(
                1,
                "undefined-name",
                "blocker",
                "src/train.py",
                4,
                "import math",
                "`math` is never imported.",
            )
        ],
    },
}


def answer(asked: Received) -> str:
    """Answer for the submission that the pictures show."""
    return json.dumps(ANSWERS[asked.body["model"]])


def configured(folder: str, url: str) -> dict[str, str]:
    """Write the configuration of the two models; return the environment that finds it."""
    models = {
        "large": "{ input = 2.0, cached = 0.5, output = 8.0 }",
        "small": "{ input = 0.15, output = 0.6 }",
    }
    server = f'base_url = "{url}"\nkey_env = ""\nwindow = 128_000'
    tables = [
        f'[[reviewer]]\nname = "{name}"\nmodel = "{name}-model"\n{server}\nprices = {prices}\n'
        for name, prices in models.items()
    ]
    path = Path(folder) / "reviewers.toml"
    path.write_text("\n".join(tables), "utf-8")
    return {
        **os.environ,
        "AREACHAIR_REVIEWERS": str(path),
        "AREACHAIR_CACHE": f"{folder}/cache/replies",
    }


def filled(folder: str, environment: Mapping[str, str]) -> tuple[str, str]:
    """Return the address of an empty store, which the desk itself fills with a history, and of one
    with the sample bundles and what both models say of one of them.
    """
    history, samples = f"sqlite:///{folder}/history.sqlite3", f"sqlite:///{folder}/store.sqlite3"
    shown, reviewers = sample_bundles() / f"{SHOWN}.txt", "recorded,rules,large,small"
    for store, words in (
        (samples, ["import", sample_bundles()]),
        (samples, ["review", shown, "--reviewers", reviewers]),
    ):
        subprocess.run(
            [Path(sys.executable).with_name("areachair"), *words, "--store", store],
            capture_output=True,
            env=environment,
            check=False,
        )
    return history, samples


def settled(page: Page) -> None:
    """Wait until the script has run, and its fonts are there and all parts in sight."""
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    page.wait_for_selector("html:not(.veiled)", state="attached")
    page.evaluate("document.fonts.ready")
    page.wait_for_load_state("networkidle")


def take_history(page: Page, address: str, theme: str) -> None:
    """Take the screens of many submissions, once the desk has them."""
    page.goto(address)
    page.wait_for_selector("tbody tr")
    page.get_by_text("are being reviewed").wait_for(state="hidden", timeout=300_000)
    page.get_by_role("button", name="No hints").click()
    settled(page)
    page.screenshot(path=IMAGES / f"inbox-{theme}.png")
    page.goto(f"{address}/reviewers")
    page.get_by_text("recorded").first.wait_for()
    settled(page)
    page.screenshot(path=IMAGES / f"reviewers-{theme}.png")
    page.goto(f"{address}/trends")
    page.wait_for_selector(".st-key-card-claims")  # the last one to be drawn
    settled(page)
    page.screenshot(path=IMAGES / f"trends-{theme}.png")


def take_samples(page: Page, address: str, theme: str) -> None:
    """Take the screens of one submission."""
    page.goto(address)
    page.wait_for_selector("tbody tr")
    page.get_by_role("button", name="No hints").click()
    page.get_by_role("link", name=SHOWN).click()
    page.wait_for_selector(".card.current")
    page.get_by_text("is being looked for and proven").wait_for(state="hidden", timeout=60_000)
    folded = page.locator(".card.current").get_by_role("button", name="Show", exact=True)
    if folded.count():  # what came while the card was read
        folded.click()
    page.mouse.move(0, 0)
    settled(page)
    page.screenshot(path=IMAGES / f"submission-{theme}.png")
    page.goto(address)
    page.wait_for_selector("tbody tr")
    settled(page)
    page.get_by_role("link", name=ASKED).click()
    page.wait_for_selector(".code")  # the inbox has a button of this name, too
    page.get_by_role("button", name="Ask reviewers").click()
    page.get_by_text("Show the prompt").first.wait_for()
    settled(page)
    page.screenshot(path=IMAGES / f"ask-{theme}.png")


def main() -> None:
    """Take every picture in both themes."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    chromium = sys.argv[1] if len(sys.argv) > 1 else "/usr/bin/chromium"
    with (
        TemporaryDirectory() as folder,
        ModelServer(answer) as models,
        sync_playwright() as playwright,
    ):
        environment = configured(folder, models.url)
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        for store, take in zip(
            filled(folder, environment), (take_history, take_samples), strict=True
        ):
            with Server(store, environment=environment) as server:
                for theme in ("light", "dark"):
                    context = browser.new_context(viewport=SIZE, color_scheme=theme)
                    take(context.new_page(), server.address, theme)
                    context.close()
        browser.close()
    for image in sorted(IMAGES.glob("*.png")):
        print(f"{image.name}: {image.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
