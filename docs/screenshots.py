"""Take the README's pictures: the dashboard on the sample bundles, light and dark, into docs/images/.

python docs/screenshots.py [CHROMIUM]
"""

import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, sync_playwright

IMAGES = Path(__file__).parent / "images"
SIZE = {"width": 1440, "height": 860}
SHOWN = "sparse-forecast"  # its review mixes true claims, invented ones and missed blockers


@contextmanager
def dashboard(folder: str) -> Iterator[str]:
    """Serve a new store, which the command fills with the sample bundles, and give the address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [Path(sys.executable).with_name("areachair"), "--store", f"sqlite:///{folder}/store.sqlite3", "--port", str(port)]
    with subprocess.Popen([*words, "--no-browser"], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = next(found[1] for line in server.stdout if (found := re.match(r"areachair is ready: (\S+)", line)))
        try:
            yield address
        finally:
            server.terminate()


def settled(page: Page) -> None:
    """Wait until the script has run and its fonts are there."""
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    page.evaluate("document.fonts.ready")
    page.wait_for_load_state("networkidle")


def take(page: Page, address: str, theme: str) -> None:
    """Take the three screens."""
    page.goto(address)
    page.wait_for_selector("tbody tr")
    settled(page)
    page.screenshot(path=IMAGES / f"inbox-{theme}.png")
    page.locator("tbody tr", has_text=SHOWN).click()
    page.wait_for_selector(".card.current")
    page.mouse.move(0, 0)
    settled(page)
    page.screenshot(path=IMAGES / f"submission-{theme}.png")
    page.goto(f"{address}/trends")
    page.wait_for_selector(".st-key-criterion .bars")
    settled(page)
    page.screenshot(path=IMAGES / f"trends-{theme}.png")


def main() -> None:
    """Take every picture in both themes."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    chromium = sys.argv[1] if len(sys.argv) > 1 else "/usr/bin/chromium"
    with TemporaryDirectory() as folder, dashboard(folder) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for theme in ("light", "dark"):
            context = browser.new_context(viewport=SIZE, color_scheme=theme)
            take(context.new_page(), address, theme)
            context.close()
        browser.close()
    for image in sorted(IMAGES.glob("*.png")):
        print(f"{image.name}: {image.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
