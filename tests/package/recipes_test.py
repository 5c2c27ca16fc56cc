#!/usr/bin/env python3
"""Recipes, CHANGELOG.md and CITATION.cff have the version of the header; recipes set options that the build knows.

    recipes_test.py SOURCE VERSION
"""
import pathlib
import re
import sys
import unittest

SOURCE, VERSION = pathlib.Path(sys.argv[1]), sys.argv.pop(2)
RECIPES = {"spack/package.py": r'version\("([^"]+)"\)', "conda/meta.yaml": r"(?m)^  version: (\S+)$"}


class Recipes(unittest.TestCase):
    def test_have_the_version_of_the_header_as_changes_and_citation_do(self):
        citation = (SOURCE / "CITATION.cff").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"(?m)^version: (\S+)$", citation), [VERSION])
        newest = re.search(r"(?m)^## (\d+\.\d+)", (SOURCE / "CHANGELOG.md").read_text(encoding="utf-8")).group(1)
        self.assertEqual(newest, VERSION.rpartition(".")[0])
        for name, pattern in RECIPES.items():
            text = (SOURCE / "packaging" / name).read_text(encoding="utf-8")
            self.assertEqual(re.findall(pattern, text), [VERSION], name)

    def test_set_what_the_build_knows(self):
        build = "".join(path.read_text(encoding="utf-8")
                        for path in [SOURCE / "CMakeLists.txt", *SOURCE.glob("cmake/*.cmake")])
        for name in RECIPES:
            text = (SOURCE / "packaging" / name).read_text(encoding="utf-8")
            options = set(re.findall(r"DUOBLAS_(?:BUILD|OPENCL)_\w+", text))
            self.assertGreaterEqual(len(options), 2, name)
            for option in options:
                self.assertRegex(build, rf"(?:option|find_path)\({option}\b", name)

    def test_of_spack_is_python(self):
        path = SOURCE / "packaging/spack/package.py"
        compile(path.read_text(encoding="utf-8"), str(path), "exec")


if __name__ == "__main__":
    sys.argv.pop(1)
    unittest.main()
