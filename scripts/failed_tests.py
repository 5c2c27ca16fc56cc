#!/usr/bin/env python3
"""Prints what the failed tests of CTest's last run asserted: the end of a log of hours.

    scripts/failed_tests.py build/release/Testing/Temporary

Each failed test is named, then come the lines of its output that tell why, 40 at most: a failed
assertion of GoogleTest or of Python's unittest, an exception, a sanitizer's report. If no line looks
like one of those, the last lines of the output are printed.
"""
import pathlib
import re
import sys

MOST_LINES = 40
BEGINS = re.compile(r": (Failure|error: .*)$|^(unknown file: Failure|Traceback |(FAIL|ERROR): )"
                    r"|terminate called|Sanitizer|runtime error:|Segmentation|[Aa]ssertion .*failed")
# Lines of GoogleTest and unittest that follow an assertion and say nothing of it.
ENDS = re.compile(r"^(\[[ A-Z=-]+\]|-{30,}$|Ran \d+ tests? in )")
HEAD = re.compile(r"^\d+/\d+ Testing: (.*)$")
RULE = "-" * 58


def outputs(log):
    """Name -> (lines of output, seconds, reason that CTest gives), of every test in LastTest.log."""
    found = {}
    name, lines, in_output, awaits_output = None, [], False, False
    for line in log.splitlines():
        if in_output and not line.startswith("<end of output>"):
            lines.append(line)
        elif in_output:
            in_output = False
        elif head := HEAD.match(line):
            name, lines = head[1], []
            found[name] = [lines, "", ""]
        elif line == "Output:":
            awaits_output = True
        elif line == RULE and awaits_output:
            in_output, awaits_output = True, False
        elif name and line.startswith("Test time ="):
            found[name][1] = line.split("=")[1].strip()
        elif name and line.startswith("Required regular expression"):
            found[name][2] = line
    return found


def telling_lines(output):
    """The lines that tell why a test failed."""
    telling, inside = [], False
    for line in output:
        if BEGINS.search(line):
            inside = True
        elif ENDS.match(line):
            inside = False
        if inside and line.strip():
            telling.append(line)
    if not telling:
        return output[-MOST_LINES:]
    if len(telling) > MOST_LINES:
        return telling[:MOST_LINES] + [f"... {len(telling) - MOST_LINES} lines more"]
    return telling


def summary(folder):
    """The text for a folder with CTest's LastTest.log and LastTestsFailed.log; "" if none failed."""
    failed = folder / "LastTestsFailed.log"
    if not failed.is_file():
        return ""
    names = [line.split(":", 1)[1] for line in failed.read_text().splitlines() if ":" in line]
    found = outputs((folder / "LastTest.log").read_text(errors="replace"))
    text = []
    for name in names:
        lines, seconds, reason = found.get(name, ([], "", ""))
        text.append(f"==> failed: {name}" + (f" ({seconds})" if seconds else ""))
        text += ["    " + line for line in telling_lines(lines) + ([reason] if reason else [])]
    return "".join(line + "\n" for line in text)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.stdout.write(summary(pathlib.Path(sys.argv[1])))
