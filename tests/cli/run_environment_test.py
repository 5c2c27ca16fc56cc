"""What `duoblas run` sets for a program besides what loads the drop-in."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from command import COMMAND, CommandTest


class AVariable(CommandTest):
    def seen(self, variable, *chosen):
        command = ["env", "-u", variable, *chosen, COMMAND, "run", "sh", "-c", f'echo "${variable}"']
        return subprocess.check_output(command, env=self.environment(), text=True, timeout=60).strip()

    def test_has_threads_sleep_after_two_milliseconds_unless_the_user_chose(self):
        variable = "OPENBLAS_THREAD_TIMEOUT"
        self.assertEqual(self.seen(variable), "22")
        self.assertEqual(self.seen(variable, variable + "=26"), "26")

    def test_asks_the_malloc_of_a_rank_for_large_pages_unless_the_user_chose(self):
        variable, large = "GLIBC_TUNABLES", "glibc.malloc.hugetlb"
        self.assertEqual(self.seen(variable), "")
        for chosen, seen in (("", large + "=1"), (large + "=0", large + "=0"),
                             ("glibc.malloc.check=0", f"glibc.malloc.check=0:{large}=1")):
            self.assertEqual(self.seen(variable, "OMPI_COMM_WORLD_SIZE=2", f"{variable}={chosen}"), seen)
        for without_device in ("DUOBLAS_DEVICE=none", "DUOBLAS_STRATEGY=cpu"):
            self.assertEqual(self.seen(variable, "OMPI_COMM_WORLD_SIZE=2", without_device), "")


class ACoreType(CommandTest):
    """Of a library that was measured. What the shell needs stands in for a BLAS."""

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.settings = {"PROFILE_DIR": folder.name}
        self.store = pathlib.Path(folder.name) / "blas.core-types"
        subprocess.run([COMMAND, "devices"], env=self.environment(**self.settings), check=True,
                       capture_output=True, timeout=120)
        self.measured = json.loads(self.store.read_text())

    def remember(self, **changes):
        """That the C library takes Prescott, and SkylakeX is five times as fast."""
        maps = pathlib.Path("/proc/self/maps").read_text()
        library = os.path.realpath(re.search(r"/\S*/libc[.-]\S*", maps).group())
        file = os.stat(library)
        (entry,) = self.measured.values()
        identity = {**entry["identity"], "size": file.st_size,
                    "changed": file.st_mtime_ns // 10**9, "changed_ns": file.st_mtime_ns % 10**9}
        types = [{"type": "", "name": "Prescott", "sgemm": 20.0, "dgemm": 10.0},
                 {"type": "SkylakeX", "name": "SkylakeX", "sgemm": 100.0, "dgemm": 50.0}]
        self.store.write_text(json.dumps({library: {"identity": {**identity, **changes},
                                                    "types": types}}))

    def seen_by_a_shell(self, **variables):
        environment = self.environment(**self.settings)
        environment.pop("OPENBLAS_CORETYPE", None)
        environment.update(variables)
        ran = subprocess.run([COMMAND, "run", "sh", "-c", 'echo "$OPENBLAS_CORETYPE"'], check=True,
                             env=environment, capture_output=True, text=True, timeout=60)
        return ran.stdout.strip(), ran.stderr

    def test_is_remembered_for_the_file_that_was_measured(self):
        ((library, entry),) = self.measured.items()
        self.assertEqual(entry["identity"]["size"], os.stat(library).st_size)
        self.assertEqual(entry["types"][0]["type"], "")
        self.assertEqual(self.store.stat().st_mode & 0o777, 0o600, "the user's alone, whatever the umask")
        self.assertGreater(entry["types"][0]["sgemm"], 0)

    def test_that_is_faster_is_set_and_named(self):
        self.remember()
        seen, said = self.seen_by_a_shell()
        self.assertEqual(seen, "SkylakeX")
        self.assertRegex(said, r"takes core type Prescott; SkylakeX was 5.00 times as fast")

    def test_that_the_user_chose_stays(self):
        self.remember()
        self.assertEqual(self.seen_by_a_shell(OPENBLAS_CORETYPE="Haswell"), ("Haswell", ""))

    def test_of_another_file_or_processor_says_nothing(self):
        for change in ({"size": 1}, {"changed_ns": 1}, {"cpu": "another"}):
            self.remember(**change)
            self.assertEqual(self.seen_by_a_shell(), ("", ""), change)

    def test_that_cannot_be_read_says_nothing(self):
        for text in ("", "{", "[]", '{"/lib": 3}', '{"/bin/sh": {"identity": {}}}'):
            self.store.write_text(text)
            self.assertEqual(self.seen_by_a_shell(), ("", ""), text)

    def test_of_a_program_that_needs_no_measured_library_is_left_alone(self):
        self.assertEqual(self.seen_by_a_shell(), ("", ""))


if __name__ == "__main__":
    unittest.main()
