# How Sphinx makes the pages: see .ci/build-site, which lays them out as in the repository and then
# starts Sphinx there.
import os
import re
import shutil
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

root = Path(os.environ["SITE_ROOT"])
pom = (root / "pom.xml").read_text()
home = re.search("<home>(.*)</home>", pom)[1]
javadoc = root / os.environ["SITE_JAVADOC"] if os.environ["SITE_JAVADOC"] else None

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
    "has_javadoc": javadoc is not None,
}


def add_chapters(app, docname, source):
    """Appends the list of all pages to the start page."""
    if docname == root_doc:
        for caption, names in chapters.items():
            pages = [name if name.startswith("/") else f"/docs/{name}" for name in names]
            pages = [page for page in pages if (Path(app.srcdir) / f"{page[1:]}.md").exists()]
            source[0] += "\n```{toctree}\n:hidden:\n:caption: " + "\n".join([caption, "", *pages]) + "\n```\n"


def link_sources(app, doctree):
    """Links what is no page: a published type to its Javadoc, and all else to the repository.

    Files in docs, such as the benchmarks' figures, are files of the site, which Sphinx copies."""
    folder = Path(app.env.docname).parent
    for link in list(doctree.findall(addnodes.download_reference)) + list(doctree.findall(addnodes.pending_xref)):
        target = Path(os.path.normpath(folder / link["reftarget"]))
        is_file = isinstance(link, addnodes.download_reference)
        if link["refdomain"] == "doc" or not (root / target).exists() or is_file and target.is_relative_to("docs"):
            continue
        address = javadoc_of(target)
        if address:
            address = os.path.relpath(address, folder)
        else:
            address = f"{home}/{'tree' if (root / target).is_dir() else 'blob'}/main/{target}"
        link.replace_self(nodes.reference("", "", *link.children, refuri=address))


def javadoc_of(source):
    """The page of a type's source among the site's, or None."""
    if javadoc is None or source.suffix != ".java" or "src/main/java" not in str(source):
        return None
    name = str(source).split("src/main/java/")[1].removesuffix(".java")
    pages = list(javadoc.glob(f"*/{name}.html"))
    return Path("javadoc") / pages[0].relative_to(javadoc) if pages else None


def find_diagrams(app, doctree):
    """Leaves Mermaid's diagrams to its script, which the pages that have one load."""
    for block in list(doctree.findall(nodes.literal_block)):
        if block.get("language") == "mermaid":
            app.env.metadata[app.env.docname]["diagrams"] = "yes"
            block.replace_self(nodes.raw("", f'<pre class="mermaid">{escape(block.astext())}</pre>', format="html"))


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
    app.connect("doctree-read", link_sources, priority=0)  # before Sphinx copies the files
    app.connect("doctree-read", find_diagrams)
    app.connect("html-page-context", add_diagrams)
    app.connect("build-finished", add_index)
