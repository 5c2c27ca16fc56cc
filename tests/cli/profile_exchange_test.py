"""Profiles go from machine to machine as files, and nothing is lost on the way."""
import fcntl
import json
import os
import pathlib
import subprocess
import unittest

from command import COMMAND, CommandTest

STANDIN_PROFILE = (pathlib.Path(__file__).parent.parent / "profile" / "profiles" /
                   "pocl_standin.json")


class Exchange(CommandTest):
    def setUp(self):
        super().setUp()
        tuned = self.tuned()
        self.path = tuned["path"]
        self.text = self.read(self.path)
        self.file = self.folder / "exported.json"

    @staticmethod
    def read(path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def changed(self, change):
        """The exported profile after a change, as a file."""
        document = json.loads(self.text)
        change(document)
        self.file.write_text(json.dumps(document), encoding="utf-8")
        return str(self.file)

    def noted(self, note):
        return self.changed(lambda document: document.update(note=note))

    def test_there_and_back_changes_nothing(self):
        self.duoblas("profile", "export", str(self.file))
        self.assertEqual(self.read(self.file), self.text)
        self.duoblas("profile", "remove")
        ran = self.duoblas("profile", "import", str(self.file))
        self.assertIn("Imported as " + self.path, ran.stdout)
        self.assertIn("That is this machine", ran.stdout)
        self.assertEqual(self.read(self.path), self.text)
        self.assertIn(": good", self.duoblas("profile", "verify").stdout)

    def test_through_a_pipe_and_by_name(self):
        name = os.path.basename(self.path)
        self.assertEqual(self.duoblas("profile", "export", "-").stdout, self.text)
        self.assertEqual(self.duoblas("profile", "export", name, "-").stdout, self.text)
        self.duoblas("profile", "remove")
        environment = {**os.environ, "DUOBLAS_PROFILE_DIR": str(self.profiles),
                       "DUOBLAS_STRATEGY": "hybrid", "DUOBLAS_CACHE_DIR": self.cache.name}
        subprocess.run([COMMAND, "profile", "import", "-"], input=self.text, text=True,
                       env=environment, check=True, timeout=240, stdout=subprocess.DEVNULL)
        self.assertEqual(self.read(self.path), self.text)

    def test_keeps_what_was_there_before(self):
        ran = self.duoblas("profile", "import", self.noted("From elsewhere."))
        self.assertIn(".before-import", ran.stdout)
        self.assertEqual(self.read(self.path + ".before-import"), self.text)
        self.assertEqual(json.loads(self.read(self.path))["note"], "From elsewhere.")
        again = self.duoblas("profile", "import", str(self.file))
        self.assertIn("there already", again.stdout)
        self.assertEqual(self.read(self.path + ".before-import"), self.text)

    def test_keeps_even_a_damaged_one(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("damaged, but mine")
        self.file.write_text(self.text, encoding="utf-8")
        self.duoblas("profile", "import", str(self.file))
        self.assertEqual(self.read(self.path + ".before-import"), "damaged, but mine")
        self.assertEqual(self.read(self.path), self.text)

    def test_says_that_another_machines_is_not_this_ones(self):
        file = self.changed(lambda document: document["key"].update(driver="another"))
        ran = self.duoblas("profile", "import", file)
        self.assertIn("not this machine, but the same device", ran.stdout)
        self.assertEqual(self.read(self.path), self.text)
        matches = sorted(e["match"] for e in self.json_of("profile", "list")["profiles"])
        self.assertEqual(matches, ["device", "exact"])

    def test_says_that_a_stand_ins_is_for_stand_ins_only(self):
        ran = self.duoblas("profile", "import", str(STANDIN_PROFILE))
        self.assertIn("only DUOBLAS_STANDIN=1 may use it", ran.stdout)
        matches = sorted(e["match"] for e in self.json_of("profile", "list")["profiles"])
        self.assertEqual(matches, ["exact", "none"])

    def test_of_what_is_damaged_loses_nothing(self):
        def damage(document):
            document["points"][0]["hybrid"]["gpu_parts"] = -1
        damaged = {
            "truncated": lambda: self.file.write_text(self.text[:-40], encoding="utf-8"),
            "empty": lambda: self.file.write_text("", encoding="utf-8"),
            "binary": lambda: self.file.write_bytes(bytes(range(256))),
            "future": lambda: self.changed(lambda document: document.update(version=99)),
            "illegal": lambda: self.changed(damage),
            "nested": lambda: self.file.write_text("[" * 100000, encoding="utf-8"),
            "huge number": lambda: self.changed(
                lambda document: document["points"][0].update(m=10**400)),
            "not a number": lambda: self.changed(
                lambda document: document["points"][0].update(noise=float("nan"))),
            "no device": lambda: self.changed(lambda document: document["key"].update(device="")),
        }
        for name, make in damaged.items():
            with self.subTest(name):
                make()
                ran = self.duoblas("profile", "import", str(self.file), expect=1)
                self.assertIn(str(self.file), ran.stderr)
                self.assertEqual(self.read(self.path), self.text)
                self.assertEqual(self.stored(), [os.path.basename(self.path)])
        self.duoblas("profile", "import", str(self.folder / "missing.json"), expect=1)
        self.duoblas("profile", "import", str(self.folder), expect=1)
        self.duoblas("profile", "export", self.path, self.path, expect=1)
        self.assertEqual(self.read(self.path), self.text)

    def stored(self):
        """All files but what else the tuning that made the first one has left."""
        return sorted(name for name in os.listdir(self.profiles)
                      if not name.endswith((".journal", "blas.core-types")))

    def test_writes_no_file_but_the_profiles(self):
        file = self.changed(lambda document: document["key"].update(device="../../outside"))
        self.duoblas("profile", "import", file)
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["exported.json", "profiles"])
        self.assertEqual(len(self.stored()), 2)

    def test_waits_for_no_tuning_under_way_and_names_it(self):
        with open(self.path + ".lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lock.write(str(os.getpid()))
            lock.flush()
            process = f"another tuning of this machine is under way (process {os.getpid()})"
            ran = self.duoblas("profile", "import", self.noted("x"), expect=1)
            self.assertIn(process, ran.stderr)
            self.assertIn(process, self.duoblas("profile", "remove", expect=1).stderr)
            # Of products that have another profile, on the same device.
            of_integers = self.duoblas("tune", "--precision", "d", expect=1, FP64="integers")
            self.assertIn(process, of_integers.stderr)
            self.assertEqual(self.read(self.path), self.text)
        self.duoblas("profile", "remove")

    def test_shows_the_note(self):
        self.duoblas("profile", "import", self.noted("Too noisy at 96."))
        self.assertIn("Too noisy at 96.", self.duoblas("profile", "list").stdout)
        self.assertEqual(self.json_of("profile", "list")["profiles"][0]["note"],
                         "Too noisy at 96.")


class StandingIn(CommandTest):
    def test_is_said_once_and_named(self):
        tuned = self.tuned()
        document = tuned["profile"]
        document["key"]["driver"] = "another driver"
        os.remove(tuned["path"])
        file = self.folder / "other.json"
        file.write_text(json.dumps(document), encoding="utf-8")
        self.duoblas("profile", "import", str(file))
        bench = self.duoblas("bench", "--precision", "s", "--size", "96", "--rounds", "3",
                             VERBOSE="1")
        self.assertEqual(bench.stderr.count("stands in"), 1)
        self.assertIn("another driver", bench.stderr)
        self.assertIn("duoblas tune", bench.stderr)
        self.assertIn("another driver", bench.stdout)
        context = self.json_of("bench", "--precision", "s", "--size", "64", "--rounds", "3")["context"]
        self.assertFalse(context["tuned"])
        self.assertEqual(context["profile_match"], "device")
        self.assertIn("stands in", self.duoblas("devices", "--quick").stdout)


if __name__ == "__main__":
    unittest.main()
