# How Sphinx makes the pages: see .ci/build-site, which lays them out as in the repository and then
# starts Sphinx there.
import os
import re
import shutil
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

root = Path(os.environ["SITE_ROOT"])
pom = (root / "pom.xml").read_text()
home = re.search("<home>(.*)</home>", pom)[1]

# The pages in their order. Sphinx refuses a page that is in none of these lists.
chapters = {
    "Guides": ["CHOOSING", "MESSAGES", "PIPELINES", "TELEMETRY", "CACHE", "OPERATING", "MIGRATING", "/ohlcv-example/README"],
    "Evidence": ["PROOF", "PROOF-REPORT", "LISTINGS", "BENCHMARKS", "ARTICLES"],
    "Formats": ["QUEUE-FORMAT", "TELEMETRY-FORMAT"],
    "Contributing": ["/CONTRIBUTING", "ARCHITECTURE", "STYLE", "DECISIONS", "RELEASING"],
    "Project": ["/CHANGELOG"],
}

project = "Millrace"
version = release = re.search("<version>(.*)</version>", pom)[1]
copyright = "The Millrace maintainers, Apache-2.0"
root_doc = "README"
extensions = ["myst_parser"]
include_patterns = ["**.md"]
templates_path = ["templates"]
highlight_language = "text"
# Pygments takes a variable named record for the keyword, says so, and goes on.
suppress_warnings = ["misc.highlighting_failure"]

# The anchors of the code host: whatever works there works here.
myst_heading_anchors = 4

html_theme = "furo"
html_title = f"Millrace {version}"
smartquotes = False
html_static_path = ["static", f"{os.environ['SITE_WORK']}/static"]
html_css_files = ["look.css"]
# The excerpts of pages in the search's results have to be fetched, which browsers do of a server only.
html_js_files = [(None, {"body": "DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = location.protocol !== 'file:'"})]
html_search_scorer = str(Path(__file__).with_name("scorer.js"))
html_copy_source = False
html_use_index = False
html_show_sourcelink = False
html_show_sphinx = False
html_permalinks_icon = "#"
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/elsewhere.html",
        "sidebar/scroll-end.html",
    ]
}
html_context = {
    "home": home,
    "has_javadoc": os.environ["SITE_JAVADOC"],
}


def add_chapters(app, docname, source):
    """Appends the list of all pages to the start page."""
    if docname == root_doc:
        for caption, names in chapters.items():
            pages = [name if name.startswith("/") else f"/docs/{name}" for name in names]
            pages = [page for page in pages if (Path(app.srcdir) / f"{page[1:]}.md").exists()]
            source[0] += "\n```{toctree}\n:hidden:\n:caption: " + "\n".join([caption, "", *pages]) + "\n```\n"


def link_to_repository(app, doctree):
    """Links what is no page, such as sources, to the repository. Figures are files of the site."""
    for link in list(doctree.findall(lambda node: node.get("reftype") == "myst" if isinstance(node, nodes.Element) else False)):
        if link.get("refdomain") == "doc":
            continue
        target = Path(os.path.normpath(Path(app.env.docname).parent / link["reftarget"]))
        if isinstance(link, addnodes.download_reference) and target.is_relative_to("docs"):
            continue
        if (root / target).exists():
            kind = "tree" if (root / target).is_dir() else "blob"
            link.replace_self(nodes.reference("", "", *link.children, refuri=f"{home}/{kind}/main/{target}"))


def find_diagrams(app, doctree):
    """Leaves Mermaid's diagrams to its script, which the pages that have one load."""
    for block in list(doctree.findall(nodes.literal_block)):
        if block.get("language") == "mermaid":
            app.env.metadata[app.env.docname]["diagrams"] = "yes"
            block.replace_self(nodes.raw("", f'<pre class="mermaid">{nodes.unescape(block.astext())}</pre>', format="html"))


def add_diagrams(app, pagename, templatename, context, doctree):
    if "diagrams" in app.env.metadata.get(pagename, {}):
        app.add_js_file("mermaid.min.js")
        app.add_js_file("diagrams.js")


def add_index(app, exception):
    """The start page also has the name that web servers look for."""
    if exception is None:
        shutil.copy(Path(app.outdir) / f"{root_doc}.html", Path(app.outdir) / "index.html")


def setup(app):
    app.connect("source-read", add_chapters)
    app.connect("doctree-read", link_to_repository, priority=0)
    app.connect("doctree-read", find_diagrams)
    app.connect("html-page-context", add_diagrams)
    app.connect("build-finished", add_index)
