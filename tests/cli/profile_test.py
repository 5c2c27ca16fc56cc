"""A profile's life: tuned, found, shown, used, damaged, removed."""
import json
import os
import shutil
import unittest

from command import CommandTest


class Profile(CommandTest):
    def tune(self):
        document = self.tuned()
        return document["path"], document

    def test_that_was_tuned_is_found_shown_and_used(self):
        path, tuned = self.tune()
        self.assertIn(os.path.basename(path), self.duoblas("profile", "list").stdout)
        shown = json.loads(self.duoblas("profile", "show").stdout)
        self.assertEqual(shown, tuned["profile"])
        entries = self.json_of("profile", "list")["profiles"]
        self.assertEqual([entry["problem"] for entry in entries], [""])
        self.assertEqual(entries[0]["points"], 1)
        self.assertEqual(entries[0]["match"], "exact")
        # On a noisy machine the note says so: what is listed is what the profile holds.
        self.assertEqual(entries[0]["note"], tuned["profile"]["note"])
        self.assertGreaterEqual(entries[0]["noise"], 0)
        memory = tuned["profile"]["memory"]
        self.assertGreater(memory["gpu_host"], 1e6)
        self.assertAlmostEqual(entries[0]["bandwidth"]["cpu_all_gbs"], memory["cpu_all"] * 1e-9, 6)
        self.assertIn("this machine", self.duoblas("profile", "list").stdout)
        self.assertIn(": good", self.duoblas("profile", "verify").stdout)
        bench = self.json_of("bench", "--precision", "s", "--size", "96", "--rounds", "3")
        self.assertTrue(bench["context"]["tuned"])

    def test_progress_outside_a_terminal_is_plain_lines(self):
        self.tuned()
        self.assertNotIn("\r", self.told)
        self.assertIn("sgemm nn 96 x 96 x 96", self.told)
        self.assertIn("left]", self.told)
        self.assertIn("both at once, of the host's memory", self.told)
        self.assertIn("\nProfile: " + str(self.profiles), self.told)

    def test_that_was_damaged_is_told_of_and_not_used(self):
        path, _ = self.tune()
        with open(path, "w", encoding="utf-8") as file:
            file.write('{"version": 1, "points": "none"}')
        ran = self.duoblas("profile", "verify", expect=1)
        self.assertIn(path, ran.stdout)
        self.assertNotIn("good", ran.stdout)
        self.duoblas("profile", "show", expect=1)
        bench = self.duoblas("bench", "--precision", "s", "--size", "64", "--rounds", "3")
        self.assertIn("duoblas tune", bench.stdout)
        self.assertIn(path, bench.stdout)

    def test_of_another_machines_name_is_not_taken_for_good(self):
        path, _ = self.tune()
        shutil.copy(path, self.profiles / "stranger.json")
        ran = self.duoblas("profile", "verify", "stranger.json", expect=1)
        self.assertIn("never found", ran.stdout)

    def test_of_one_type_stays_when_another_is_tuned(self):
        path, _ = self.tune()
        second = self.json_of("tune", "--precision", "d", "--size", "96", "--ops", "nn", "--budget", "2")
        points = [(p["precision"], p["m"]) for p in second["profile"]["points"]]
        self.assertEqual(sorted(points), [("d", 96), ("s", 96)])
        fresh = self.json_of("tune", "--precision", "d", "--size", "96", "--ops", "nn", "--budget", "2", "--fresh")
        self.assertEqual(len(fresh["profile"]["points"]), 1)
        self.assertEqual(fresh["path"], path)

    def test_is_all_that_remove_removes(self):
        precious = self.folder / "precious.txt"
        precious.write_text("not a profile")
        self.duoblas("profile", "remove", str(precious), expect=1)
        self.assertTrue(precious.exists())

    def test_can_be_removed_once(self):
        path, _ = self.tune()
        self.assertIn("removed " + path, self.duoblas("profile", "remove").stdout)
        self.assertIn(path, self.duoblas("profile", "remove", expect=1).stderr)
        self.assertIn("No profiles", self.duoblas("profile", "list").stdout)

    def test_folder_that_is_not_there_holds_no_profiles(self):
        self.assertIn("No profiles", self.duoblas("profile", "list").stdout)
        self.assertIn("No profiles", self.duoblas("profile", "verify").stdout)
        self.duoblas("profile", "remove", "--all")


if __name__ == "__main__":
    unittest.main()
