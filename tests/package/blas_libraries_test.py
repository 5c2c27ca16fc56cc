"""CMake's FindBLAS with the drop-in and a BLAS after it, as docs/drop-in.md says: the program
that is built has level 3 from the first and the rest from the second."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

CMAKE, DROPIN, WHOLE, PAGE, MODULE = sys.argv[1:6]
USER = pathlib.Path(__file__).resolve().parent / "blas_user"
# Where the page has them.
IN_PAGE = ("$HOME/.local/lib/libduoblas_blas.so",
           "/usr/lib/x86_64-linux-gnu/openblas-pthread/libblas.so.3")


def option_of_page():
    """What the page gives to CMake, with this build's libraries."""
    text = pathlib.Path(PAGE).read_text(encoding="utf-8")
    blas, option = re.search(r'^blas=(.*)\ncmake (-DBLAS_LIBRARIES=".*?")', text, re.M).groups()
    option = option.replace('"', "").replace("$blas", blas)
    for path, here in zip(IN_PAGE, (DROPIN, WHOLE)):
        assert option.count(path) == 1, option
        option = option.replace(path, here)
    return option


class BlasLibraries(unittest.TestCase):
    def assert_both_are_linked(self, *options, **variables):
        with tempfile.TemporaryDirectory() as build:
            for command in ([CMAKE, "-S", USER, "-B", build, "-G", "Ninja", *options],
                            [CMAKE, "--build", build]):
                done = subprocess.run(command, capture_output=True, text=True, check=False,
                                      env={**os.environ, **variables})
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            ran = subprocess.run([build + "/user"], capture_output=True, text=True, check=False,
                                 env={**os.environ, "LD_LIBRARY_PATH": str(pathlib.Path(DROPIN).parent)})
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        owner = dict(line.split(" ", 1) for line in ran.stdout.splitlines())
        for name in ("dgemm_", "dtrsm_"):
            self.assertEqual(pathlib.Path(owner[name]).resolve(), pathlib.Path(DROPIN).resolve())
        self.assertEqual(pathlib.Path(owner["ddot_"]).resolve(), pathlib.Path(WHOLE).resolve())

    def test_give_a_program_of_find_blas_both_libraries_the_drop_in_first(self):
        self.assert_both_are_linked(option_of_page())

    def test_are_found_by_pkg_config_too(self):
        with tempfile.TemporaryDirectory() as prefix:
            modules = pathlib.Path(prefix, "lib", "pkgconfig")
            modules.mkdir(parents=True)
            shutil.copy(MODULE, modules)
            pathlib.Path(prefix, "lib", "libduoblas_blas.so").symlink_to(DROPIN)
            whole = pathlib.Path(WHOLE)
            (modules / "blas.pc").write_text(f"Name: blas\nDescription: that of this test\nVersion: 3\n"
                                             f"Libs: -L{whole.parent} -l:{whole.name}\n", encoding="utf-8")
            self.assert_both_are_linked("-DBLA_PREFER_PKGCONFIG=ON", "-DBLA_PKGCONFIG_BLAS=duoblas-blas",
                                        PKG_CONFIG_PATH=str(modules))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
