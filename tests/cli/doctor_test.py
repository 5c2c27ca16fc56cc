"""`duoblas doctor`: what it finds on this machine as the test sets it up, and its exit code."""
import json
import pathlib
import re
import unittest

from command import CommandTest


class Doctor(CommandTest):
    def found(self, *arguments, expect=1, **settings):
        path = self.folder / "found.json"
        ran = self.duoblas("doctor", "--quick", "--json", str(path), *arguments, expect=expect, **settings)
        self.troubles = json.loads(path.read_text(encoding="utf-8"))["troubles"]
        self.assertEqual([trouble["weight"] for trouble in self.troubles],
                         sorted(trouble["weight"] for trouble in self.troubles))
        return ran.stdout

    def test_names_every_wrong_setting_and_goes_on(self):
        told = self.found(SPLIT="17/16", CPU_CORES="x", STRATGY="gpu", DEVICE="none")
        self.assertRegex(told, r"\n?1\. DUOBLAS_SPLIT=17/16 is not understood: ")
        self.assertIn("   -> unset DUOBLAS_SPLIT\n", told)
        self.assertIn("   -> unset DUOBLAS_CPU_CORES\n", told)
        self.assertIn("DUOBLAS_STRATGY=gpu does nothing", told)

    def test_without_a_device_says_why(self):
        self.found(DEVICE="none")
        self.assertIn(("no GPU can be used, and the CPU does everything: DUOBLAS_DEVICE is \"none\"",
                       "unset DUOBLAS_DEVICE"),
                      [(trouble["what"], trouble["mend"].split("  ")[0]) for trouble in self.troubles])

    def test_names_settings_that_leave_the_gpu_nothing(self):
        self.assertIn("DUOBLAS_STRATEGY=cpu leaves every product to the CPU", self.found(STRATEGY="cpu"))
        self.assertIn("   -> unset DUOBLAS_SPLIT\n", self.found(SPLIT="0/16"))

    def test_of_a_device_that_was_not_tuned_names_the_command(self):
        self.found()
        self.assertIn("duoblas tune", [trouble["mend"] for trouble in self.troubles])

    def test_of_a_damaged_profile_says_what_is_wrong(self):
        told = self.json_of("devices", "--quick")["profile"]
        path = pathlib.Path(re.search(r"it will be (.*?\.json)", told).group(1))
        path.parent.mkdir(exist_ok=True)
        path.write_text("{", encoding="utf-8")
        self.assertIn("the profile cannot be used: ", self.found())

    def test_looks_at_the_program_that_is_named(self):
        plain = self.found(DEVICE="none")
        self.assertEqual(self.found("--", "sh", "-c", "exit", DEVICE="none"), plain)
        script = self.folder / "static"
        script.write_bytes(b"\x7fELF")
        script.chmod(0o755)
        self.assertIn("is static", " ".join(self.found("--", str(script), DEVICE="none").split()))


if __name__ == "__main__":
    unittest.main()
