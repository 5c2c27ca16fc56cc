"""The page of `duoblas report`: in files, and in a real browser."""
import html.parser
import json
import shutil
import subprocess
import sys
import unittest

from command import CommandTest

NOT_RUN = 77  # what CMakeLists.txt tells CTest to report as skipped
VOID = {"meta", "br", "hr", "img", "input", "link"}
REFERENCES = {"src", "href", "xlink:href", "srcset", "data", "action", "poster"}


class Page(html.parser.HTMLParser):
    """Counts elements, and notes what is left open and what is outside of the page."""

    def __init__(self, text):
        super().__init__()
        self.counts, self.open, self.problems, self.words = {}, [], [], []
        self.feed(text)
        self.close()
        self.problems += [f"<{tag}> is left open" for tag in self.open]

    def handle_starttag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        for name, value in attrs:
            if name in REFERENCES:
                self.problems.append(f"{name}={value}")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> closes another element")

    def handle_data(self, data):
        self.words.append(data)
        if "url(" in data or "@import" in data or "://" in data:
            self.problems.append(data)

    def text(self):
        return " ".join(self.words)


class Report(CommandTest):
    def setUp(self):
        super().setUp()
        self.page = self.folder / "report.html"

    def report(self, *arguments):
        self.duoblas("report", str(self.page), *arguments)
        return self.page.read_text(encoding="utf-8")

    def quick(self):
        return self.report("--quick", "--size", "48,64", "--precision", "s,d", "--json",
                           str(self.folder / "kept.json"))

    def assert_complete(self, page):
        self.assertEqual(page.problems, [])
        self.assertEqual(page.counts["table"], 1 + 4, "the machine, two sizes of two types")
        self.assertEqual(page.counts["svg"], 2 + 2, "speed and split of two types")
        self.assertGreater(page.counts["polyline"], 12)
        for word in ("The machine", "sgemm nn, 64 x 64 x 64", "gpu_cotuned", "size: m = n = k",
                     "GFLOPS", "the GPU's share of C (%)", "time of a call (ms)"):
            self.assertIn(word, page.text())

    def test_is_one_whole_page_that_refers_to_nothing_outside(self):
        text = self.quick()
        self.assertTrue(text.startswith("<!DOCTYPE html>\n<html lang=\"en\">"))
        self.assert_complete(Page(text))

    def test_from_a_file_is_the_same_page(self):
        first = self.quick()
        self.assertEqual(self.report("--from", str(self.folder / "kept.json")), first)

    def test_without_a_gpu_is_of_the_cpu_and_says_so(self):
        self.duoblas("report", str(self.page), "--quick", "--size", "48", DEVICE="none")
        page = Page(self.page.read_text(encoding="utf-8"))
        self.assertEqual(page.problems, [])
        self.assertIn("none, only the CPU was measured", page.text())

    def test_that_cannot_be_made_says_why_before_the_work(self):
        self.assertIn("page", self.duoblas("report", expect=2).stderr)
        self.assertIn("/nonexistent/a.html",
                      self.duoblas("report", "/nonexistent/a.html", expect=1).stderr)
        damaged = self.folder / "damaged.json"
        damaged.write_text(json.dumps({"context": {}, "results": [{}]}), encoding="utf-8")
        message = self.duoblas("report", str(self.page), "--from", str(damaged), expect=1).stderr
        self.assertIn("results[0].precision is missing", message)
        self.assertFalse(self.page.exists())

    def test_opens_in_a_browser_with_its_tables_and_charts(self):
        browser = shutil.which("chromium")
        if browser is None:
            self.skipTest("chromium is missing; it comes with the package chromium")
        self.quick()
        ran = subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu",
             f"--user-data-dir={self.folder}/browser", "--dump-dom", self.page.as_uri()],
            capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assert_complete(Page(ran.stdout))


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=2).result
    sys.exit(1 if not result.wasSuccessful() else NOT_RUN if result.skipped else 0)
