"""Checks a DuoBLAS tree against its own rules and prints every violation.

usage: check_tree.py ROOT        exit code 0: none, 1: some
"""
import fnmatch
import pathlib
import re
import sys

from class_names import repeated_classes
from include_rules import IncludeRules
from markdown_links import broken_links, missing_files, missing_pages

LINE_LIMIT = 400
C_FAMILY = {".cpp", ".hpp", ".c", ".h", ".cl", ".clh"}
SCRIPTS = {".py", ".sh", ".cmake"}
TEXT = C_FAMILY | SCRIPTS | {".md", ".txt", ".json", ".in", ".map", ""}
SKIPPED_FOLDERS = {"build", "__pycache__"}
# They may name files that are gone; and a table of folders, which the include rules read.
UNCHECKED_NAMES = ("docs/experiments", "docs/results", "docs/design.md")
VAGUE_NAMES = {"util", "utils", "utility", "utilities", "common", "misc"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
# Homes and work folders of the machine that something was written on; a placeholder is no one's.
MACHINE_PATH = re.compile(r"(?<![\w./}$])/(?:home|Users|root|work)/(?!(?:u|user|you)\b)\w+")
# GPUs that one can buy. What was measured on one is in facts or on a page, not in code.
GPU_MODEL = re.compile(r"\b(?:[ABHV][1-8]00|G[BH]200|L40S?|RTX|GTX|GeForce|Quadro|Tesla|Radeon|Instinct|MI\d{3}\w?)\b")
MODELLESS = ("src", "include", "kernels", "tuner")
GLOB_OR_FETCH = re.compile(r"\bfile\s*\(\s*GLOB|\bFetchContent\w*", re.IGNORECASE)
UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|GTEST_" r"SKIP)\b")
# What a port replaces: headers of the system, which are neither the C library's own nor of a processor's
# instructions, are included in one folder. The drop-in's shim is plain C, loaded into every program, and may need
# nothing but the C library.
SYSTEM_FOLDERS = ("src/os/", "src/dropin/shim/")
SYSTEM_FREE = ("src", "power", "tuner", "include")
STANDARD_HEADERS = set(
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp stdarg stdalign stdatomic stdbool "
    "stddef stdint stdio stdlib stdnoreturn string tgmath time uchar wchar wctype emmintrin immintrin arm_neon".split())
# The drop-in decides by settings before it loads the library that has a reader; `run` hands
# LD_PRELOAD and ASAN_OPTIONS on to the program that it starts.
ENVIRONMENT_READERS = {"src/api/settings.cpp", "src/dropin/shim/settings.c", "src/cli/run.cpp"}
# Tests of instructions that most devices do not have, and of cores that a process may not have, say so where there
# are none.
MACHINE_SKIPS = {("GTEST_" "SKIP", "tests/gpu/tf32x3_test.cpp"),
                 ("GTEST_" "SKIP", "tests/engine/unequal_cores_test.cpp")}


def files_of(root):
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        hidden = any(part.startswith(".") and part not in (".ci", ".clang-tidy") for part in parts)
        if path.is_file() and not hidden and not SKIPPED_FOLDERS & set(parts):
            if path.suffix in TEXT:
                yield path


def included_layer(rules, quote, name):
    """"planner/plan.hpp" is of planner, <duoblas/error.hpp> of include; (None, _) is not ours."""
    header = name.rsplit(".", 1)[0]
    if name.startswith("duoblas/"):
        return "include", "include/" + header.removeprefix("duoblas/")
    if quote == "<":  # <memory> is no folder of ours
        return None, name
    if name.startswith("support/"):
        return "tests/support", "tests/" + header
    return rules.longest_layer(name), header


def is_systems(quote, name):
    """<sched.h> and <sys/stat.h> are; <string.h>, <vector> and what is ours are not."""
    return quote == "<" and name.endswith(".h") and not name.startswith("duoblas/") \
        and name.removesuffix(".h") not in STANDARD_HEADERS


def check_includes(rules, relative, text, report):
    layer, allowed = rules.layer_of_file(relative.as_posix())
    if layer is None and relative.parts[0] == "src" and len(relative.parts) > 2:
        report("lies in a folder that the table of docs/design.md does not name")
    for quote, name in INCLUDE.findall(text):
        first = name.split("/")[0].split(".")[0]
        if first in rules.foreign and ("/" in name or first == "hwloc"):
            patterns = rules.foreign[first]
            if not any(fnmatch.fnmatch(relative.as_posix(), p) for p in patterns):
                report(f"includes <{name}>, which only {', '.join(patterns)} may")
            continue
        if is_systems(quote, name) and relative.parts[0] in SYSTEM_FREE \
                and not relative.as_posix().startswith(SYSTEM_FOLDERS):
            report(f"includes <{name}>, a header of the system, which only src/os may")
            continue
        target, header = included_layer(rules, quote, name)
        if target is None:
            if layer == "include" and (quote == '"' or name.endswith(".h") and "/" in name):
                report(f"is public and includes {name}: only the standard library and duoblas/")
            continue
        if layer is None or target == layer or header in allowed or rules.allows(allowed, target):
            continue
        report(f"is of {layer} and must not include {name}")


def says_what_it_is(relative, text):
    """By a comment at its beginning, or by that of the header of its name, which comes first."""
    first = text.lstrip().split("\n", 1)[0]
    header = INCLUDE.match(first)
    return first.startswith(("//", "/*")) or (header and pathlib.Path(header[2]).stem == relative.stem)


def check_source(rules, relative, text, report):
    if not says_what_it_is(relative, text):
        report("does not begin with what it is")
    code = COMMENT.sub("", text)
    check_includes(rules, relative, code, report)
    path = relative.as_posix()
    if re.search(r"\b(?:secure_)?getenv\b", code):
        if path not in ENVIRONMENT_READERS and relative.parts[0] != "tests":
            report("reads the environment: only the settings' readers do")
    if "clSetEventCallback" in code and relative.parts[0] != "tests":
        report("names clSetEventCallback: no event callbacks, anywhere")


PAGE_WIDTH = 120
FENCE = re.compile(r"^\s*```")
DIAGRAM = re.compile("[\u2500-\u257f]")  # lines and corners of boxes


def check_page_width(text, report):
    """Prose and diagrams. Tables, and what programs print, are as wide as they are."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
        is_free = not DIAGRAM.search(line) if fenced else line.lstrip().startswith("|")
        if len(line) > PAGE_WIDTH and not is_free:
            report(f"line {number} has {len(line)} characters; the limit is {PAGE_WIDTH}")


QUESTION_PAGES = ("README.md", "docs/where-to-look.md")


def links_in_question_tables(text):
    """The links of each row of a table "question | file"."""
    in_table = False
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.lstrip().startswith("|"):
            in_table = False
        elif cells[0].lower().startswith("question"):
            in_table = True
        elif in_table:
            yield from re.findall(r"\]\(([^)#]+)", " ".join(cells[1:]))


def check_question_tables(root, report):
    """A reader who has a question finds the file."""
    for page in QUESTION_PAGES:
        if not (root / page).is_file():
            report(f"{page} is missing")
        elif not any(links_in_question_tables((root / page).read_text(encoding="utf-8"))):
            report(f'{page} has no table "question | file" that links to files')


def check_tree(root):
    problems, cpp_files = [], []
    rules = IncludeRules((root / "docs/design.md").read_text(encoding="utf-8"))
    for path in files_of(root):
        relative = path.relative_to(root)

        def report(what, where=relative.as_posix()):
            problems.append(f"{where}: {what}")

        text = path.read_text(encoding="utf-8", errors="replace")
        is_cmake = path.suffix == ".cmake" or path.name == "CMakeLists.txt"
        lines = text.count("\n")
        if (path.suffix in C_FAMILY | SCRIPTS or is_cmake) and lines > LINE_LIMIT:
            report(f"has {lines} lines; the limit is {LINE_LIMIT}")
        if path.stem.lower() in VAGUE_NAMES:
            report("is named after nothing: name the concept")
        if MACHINE_PATH.search(text):
            report(f"names a path of one machine: {MACHINE_PATH.search(text).group(0)}")
        unfinished = UNFINISHED.search(text) if path.suffix in C_FAMILY | SCRIPTS else None
        if unfinished and (unfinished.group(0), str(relative)) not in MACHINE_SKIPS:
            report(f"is unfinished: {unfinished.group(0)}")
        if is_cmake and relative.parts[0] != "tests" and GLOB_OR_FETCH.search(text):
            report("globs or fetches: list files, find packages")
        model = GPU_MODEL.search(text) if relative.parts[0] in MODELLESS else None
        if model and path.suffix != ".json":
            report(f"names a GPU's model, {model.group(0)}: facts and docs do, code does not")
        if path.suffix in C_FAMILY:
            check_source(rules, relative, text, report)
        if path.suffix in (".cpp", ".hpp"):
            cpp_files.append((relative.as_posix(), text))
        if relative.parts[0] == "facts":
            for problem in missing_pages(text, root):
                report(problem)
        if path.suffix == ".md":
            check_page_width(text, report)
            for problem in broken_links(path):
                report(problem)
            if not relative.as_posix().startswith(UNCHECKED_NAMES):
                for problem in missing_files(path, root):
                    report(problem)
    problems += [f"{path}: {what}" for path, what in repeated_classes(cpp_files)]
    check_question_tables(root, problems.append)
    return problems


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    problems = check_tree(pathlib.Path(sys.argv[1]).resolve())
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
