"""Help, exit codes and messages: what a newcomer meets first."""
import unittest

from command import CommandTest

SUBCOMMANDS = ("devices", "doctor", "tune", "bench", "report", "kernel", "profile", "power", "selftest",
               "run", "man", "completion")


class Help(CommandTest):
    def test_names_every_subcommand_and_the_exit_codes(self):
        text = self.duoblas("--help").stdout
        for name in SUBCOMMANDS:
            self.assertIn(f"\n  {name} ", text)
        self.assertIn("Exit codes: 0 done, 1 failed, 2 wrong usage", text)

    def test_of_each_subcommand_has_examples_that_begin_with_it(self):
        for name in SUBCOMMANDS:
            text = self.duoblas(name, "--help").stdout
            self.assertIn("Examples:", text)
            self.assertIn(f"duoblas {name}", text)

    def test_needs_no_settings_that_can_be_understood(self):
        self.duoblas("--help", SPLIT="nonsense")

    def test_version_is_the_librarys(self):
        self.assertRegex(self.duoblas("--version").stdout, r"^duoblas \d+\.\d+\.\d+\n$")


class WrongUsage(CommandTest):
    def refused(self, *arguments, word, **settings):
        message = self.duoblas(*arguments, expect=2, **settings).stderr
        self.assertIn(word, message)

    def test_is_told_what_is_accepted_instead(self):
        self.refused(word="Subcommands:")
        self.refused("multiply", word="multiply")
        self.refused("bench", "--speed", word="--speed")
        self.refused("bench", "--precision", "q", word="s, d, c or z")
        self.refused("bench", "--ops", "n", word="e.g. nt")
        self.refused("bench", "--shape", "12x", word="MxNxK")
        self.refused("bench", "--shape", "1x2x3x4", word="MxNxK")
        self.refused("bench", "--shape", "-1x2x3", word="MxNxK")
        self.refused("bench", "--size", "0", word="positive")
        self.refused("bench", "--size", "many", word="--size")
        self.refused("bench", "--rounds", "0", word="--rounds")
        self.refused("bench", "--strategy", "magic", word="cpu_all")
        self.refused("bench", "--layout", "diagonal", word="column")
        self.refused("bench", "--seconds", "-1", word="--seconds")
        self.refused("tune", "--budget", "0", word="--budget")
        self.refused("kernel", "--set", "tile_depth=3", word="no such parameter")
        self.refused("kernel", "--set", "tile_rows", word="tile_rows=VALUE")
        self.refused("kernel", "--set", "tile_rows=13", word="12, 14, 16")
        self.refused("tune", "--set", "tile_depth=3", word="no such parameter")
        self.refused("tune", "--set", "tile_rows=13", word="12, 14, 16")
        self.refused("selftest", "--only", "magic", word="kernels s")
        self.refused("selftest", "--step-seconds", "0", word="--step-seconds")
        self.refused("profile", word="list, show")
        self.refused("profile", "erase", word="erase")
        self.refused("profile", "remove", "a.json", "--all", word="--all")

    def test_of_memory_or_time_that_cannot_be_is_refused_at_once(self):
        self.refused("bench", "--size", "1000000000", word="GiB")
        self.refused("tune", "--shape", "1000000x1000000x1", word="GiB")
        self.refused("tune", "--budget", "nan", word="--budget")
        self.refused("bench", "--seconds", "nan", word="--seconds")

    def test_places_that_cannot_be_written_are_told_before_the_work(self):
        ran = self.duoblas("tune", "--size", "64", expect=1, PROFILE_DIR="/proc/nowhere")
        self.assertIn("DUOBLAS_PROFILE_DIR", ran.stderr)
        self.assertNotIn("left]", ran.stdout)
        ran = self.duoblas("bench", "--size", "64", "--json", "/nonexistent/out.json", expect=1)
        self.assertIn("/nonexistent/out.json", ran.stderr)
        self.assertNotIn("strategy", ran.stdout)
        ran = self.duoblas("selftest", "--quick", "--json", "/nonexistent/out.json", expect=1)
        self.assertIn("/nonexistent/out.json", ran.stderr)
        self.assertEqual(ran.stdout, "")

    def test_of_the_environment_names_the_variable(self):
        self.refused("devices", "--quick", word="DUOBLAS_SPLIT", SPLIT="17/16")
        self.refused("bench", word="DUOBLAS_STRATEGY", STRATEGY="both")

    def test_kernel_that_breaks_a_rule_is_told_the_rule(self):
        self.refused("kernel", "--family", "panel", "--set", "vector_width=1", "--set",
                     "tile_cols=64", "--set", "tile_rows=16", word="rule ")


class Failure(CommandTest):
    def fails(self, *arguments, word, **settings):
        self.assertIn(word, self.duoblas(*arguments, expect=1, **settings).stderr)

    def test_to_write_the_json_file_names_the_file(self):
        self.fails("kernel", "--json", "/nowhere/at/all.json", word="/nowhere/at/all.json")

    def test_to_tune_without_a_device_says_why_and_what_to_do(self):
        self.fails("tune", word="DUOBLAS_STANDIN=1", DEVICE="none")
        self.fails("tune", word='no device is "warp drive"', DEVICE="warp drive")

    def test_of_a_stand_in_on_one_core_says_what_it_needs(self):
        self.fails("devices", "--quick", word="2", STANDIN="1", CPU_CORES="0")


if __name__ == "__main__":
    unittest.main()
