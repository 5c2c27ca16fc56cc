"""Links of Markdown pages to files and headings of the tree, and files that they name: which are not there?"""
import re

FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
NAMED = re.compile(r"`((?:[\w.-]+/)+[\w.-]+\*?)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
PAGE = re.compile(r"\b((?:docs|kernels)/[\w./-]+\.md)(?:#([\w-]+))?")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)


def anchor_of(heading):
    """As GitHub and GitLab make it."""
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


def anchors_of(page):
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    return {anchor_of(heading) for heading in HEADING.findall(text)}


def broken_links(page):
    """Messages, one for each link of this page that names what is not there."""
    text = CODE.sub("", FENCED.sub("", page.read_text(encoding="utf-8")))
    for link in LINK.findall(text):
        if "://" in link or link.startswith("mailto:"):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists():
            yield f"links to {name}, which is not there"
        elif anchor and target.suffix == ".md" and anchor not in anchors_of(target):
            yield f"links to {link}, and there is no such heading"


def missing_pages(text, root):
    """Messages, one for each page of the tree that this text names, as docs/api.md#calls, and that is not there."""
    for name, anchor in PAGE.findall(text):
        page = root / name
        if not page.is_file():
            yield f"names {name}, which is not there"
        elif anchor and anchor not in anchors_of(page):
            yield f"names {name}#{anchor}, and there is no such heading"


def missing_files(page, root):
    """Messages, one for each file or folder that this page names in code, as `planner/plan.hpp`, `gpu/product/in_place` or
    `lapack/qr*`, and that neither the tree nor its src has. Names that begin with no folder of these are others'."""
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    for name in NAMED.findall(text):
        first = name.split("/")[0]
        homes = [home for home in (root, root / "src") if (home / first).is_dir()]
        if first == "build" or not homes:
            continue
        endings = ("",) if name.endswith("*") else ("", ".*")
        if not any(any(home.glob(name + ending)) for home in homes for ending in endings):
            yield f"names {name}, which is not there"
