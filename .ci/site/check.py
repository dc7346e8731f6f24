# What .ci/check-site checks.
import argparse
import os
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from playwright.sync_api import TimeoutError, sync_playwright

# Of the Javadoc, which has one form for all types, the browser is shown these pages.
JAVADOC = [
    "index.html",
    "search.html",
    "dev.millrace.queues/module-summary.html",
    "dev.millrace.queues/dev/millrace/queues/package-summary.html",
    "dev.millrace.queues/dev/millrace/queues/SpscQueue.html",
    "dev.millrace.disruptor/dev/millrace/disruptor/Pipeline.html",
]
# Tags whose addresses a browser loads by itself.
LOADING = {"script", "img", "iframe", "source", "video", "audio", "object", "embed", "use", "input"}
ADDRESS_IN_CSS = re.compile(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""")


class Page(HTMLParser):
    """The anchors of a page, its links, and what it loads."""

    def __init__(self, text):
        super().__init__()
        self.anchors = {"", "top"}
        self.links = []
        self.loads = []
        self.in_style = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.in_style = tag == "style"
        self.anchors.update(values[name] for name in ("id", "name") if values.get(name))
        for name in ("href", "src", "srcset", "data", "poster"):
            if values.get(name) is not None:
                loads = tag in LOADING or (tag == "link" and values.get("rel") not in ("next", "prev", "canonical"))
                (self.loads if loads else self.links).append(values[name])
        self.loads += in_css(values.get("style") or "")

    def handle_data(self, data):
        if self.in_style:
            self.loads += in_css(data)


def in_css(text):
    return [one or other for one, other in ADDRESS_IN_CSS.findall(text)]


def check_links(site):
    pages = {path.relative_to(site): Page(path.read_text()) for path in sorted(site.rglob("*.html"))}
    mistakes = []

    def follow(origin, link, loads):
        address = urlsplit(link)
        if address.scheme or address.netloc:
            if loads and address.scheme != "data":
                mistakes.append(f"{origin}: loads from another address: {link}")
            elif not loads and address.scheme not in ("https", "http", "mailto", "javascript"):
                mistakes.append(f"{origin}: has a link of another kind: {link}")
            return
        if address.path.startswith("/"):
            mistakes.append(f"{origin}: has a link that holds for one server only: {link}")
            return
        target = Path(os.path.normpath(origin.parent / unquote(address.path))) if address.path else origin
        if (site / target).is_dir():
            target /= "index.html"
        if not (site / target).is_file():
            mistakes.append(f"{origin}: leads nowhere: {link}")
        elif target in pages and unquote(address.fragment) not in pages[target].anchors:
            mistakes.append(f"{origin}: there is no such anchor: {link}")

    for origin, page in pages.items():
        for link in page.links:
            follow(origin, link, False)
        for link in page.loads:
            follow(origin, link, True)
    for path in sorted(site.rglob("*.css")):
        for link in in_css(path.read_text()):
            follow(path.relative_to(site), link, True)
    links = sum(len(page.links) + len(page.loads) for page in pages.values())
    return mistakes, f"{len(pages)} pages, {links} links"


class Visit:
    """A browser of one width and theme, which opens the site from the disk, without a network."""

    def __init__(self, browser, site, width, theme, mistakes):
        self.site = site
        self.name = f"{width} pixels, {theme}"
        self.mistakes = mistakes
        self.open = None
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme, offline=True)
        self.tab = context.new_page()
        self.tab.on("request", self.requested)
        self.tab.on("console", lambda message: message.type == "error" and self.complain(message.text))
        self.tab.on("pageerror", lambda error: self.complain(str(error)))

    def complain(self, mistake):
        self.mistakes.append(f"{self.open} ({self.name}): {mistake}")

    def requested(self, request):
        if urlsplit(request.url).scheme not in ("file", "data", "blob"):
            self.complain(f"asks another address: {request.url}")

    def go(self, page, query=""):
        self.open = page
        self.tab.goto((self.site / page).as_uri() + query)

    def check(self, page):
        self.go(page)
        for diagram in self.tab.locator("pre.mermaid").all():
            self.must_appear(diagram.locator("svg"), "has a diagram that is not drawn")
            if diagram.locator("svg[aria-roledescription=error]").count():
                self.complain("has a diagram that is not understood")
        content, width = self.tab.evaluate(
            "[Math.max(document.documentElement.scrollWidth, document.body.scrollWidth), document.documentElement.clientWidth]"
        )
        if content > width:
            self.complain(f"is {content} pixels wide")
        missing = self.tab.evaluate(
            "[...document.images].filter(one => !one.complete || !one.naturalWidth).map(one => one.getAttribute('src'))"
        )
        for picture in missing:
            self.complain(f"does not show {picture}")

    def must_appear(self, element, otherwise):
        try:
            element.wait_for(timeout=10_000)
        except TimeoutError:
            self.complain(otherwise)

    def search(self):
        self.go("search.html", "?q=producers+that+stall")
        found = self.tab.locator("#search-results a[href*='docs/CHOOSING.html#producers-that-stall']")
        self.must_appear(found, "the section on producers that stall is not found")

    def search_javadoc(self):
        self.go("javadoc/index.html")
        self.tab.locator("#search-input").press_sequentially("SpscQueue")
        found = self.tab.locator(".ui-autocomplete .result-item").get_by_text("SpscQueue")
        self.must_appear(found.first, "the type SpscQueue is not found")


def check_in_browser(site, screenshots):
    mistakes = []
    pages = [str(path.relative_to(site)) for path in sorted(site.rglob("*.html")) if "javadoc" not in path.parts]
    has_javadoc = (site / "javadoc").is_dir()
    if has_javadoc:
        for page in (f"javadoc/{page}" for page in JAVADOC):
            if (site / page).is_file():
                pages.append(page)
            else:
                mistakes.append(f"{page}: does not exist")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ["SITE_BROWSER"])
        for width in (360, 1400):
            for theme in ("light", "dark"):
                visit = Visit(browser, site, width, theme, mistakes)
                for page in pages:
                    visit.check(page)
                    if screenshots:
                        name = f"{page.replace('/', '_').removesuffix('.html')}-{width}-{theme}.png"
                        visit.tab.screenshot(path=screenshots / name)
                visit.search()
                if has_javadoc:
                    visit.search_javadoc()
        browser.close()
    return mistakes, f"{len(pages)} pages in the browser, at 360 and 1400 pixels, light and dark"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("site", type=Path)
    arguments.add_argument("--screenshots", type=Path)
    options = arguments.parse_args()
    site = options.site.resolve()
    if options.screenshots:
        options.screenshots.mkdir(parents=True, exist_ok=True)
    failed = False
    for mistakes, extent in (check_links(site), check_in_browser(site, options.screenshots)):
        for mistake in dict.fromkeys(mistakes):
            print(f"check-site: {mistake}", file=sys.stderr)
        failed |= bool(mistakes)
        print(f"check-site: {extent}: {len(dict.fromkeys(mistakes)) or 'no'} mistakes", file=sys.stderr)
    sys.exit(failed)


main()
