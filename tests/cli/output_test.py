"""What devices and bench print and record."""
import json
import subprocess
import unittest

from command import COMMAND, CommandTest

STRATEGIES = ["cpu", "gpu", "simple", "hybrid", "gpu_cotuned", "cpu_all"]


class Output(CommandTest):
    def test_that_cannot_be_written_is_an_error(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            ran = subprocess.run([COMMAND, "--help"], stdout=full, stderr=subprocess.PIPE,
                                 text=True, timeout=60)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("standard output", ran.stderr)


class Devices(CommandTest):
    def test_marks_the_device_that_is_used_and_says_why(self):
        document = self.json_of("devices")
        used = [device for device in document["devices"] if device["used"]]
        self.assertEqual(len(used), 1)
        self.assertEqual(used[0]["name"], document["context"]["device"]["name"])
        text = self.duoblas("devices", "--quick").stdout
        self.assertIn(f"* {used[0]['index']}  {used[0]['name']}", text)
        self.assertIn("used: ", text)

    def test_measures_the_core_types_of_the_cpu_blas(self):
        findings = self.json_of("devices")["core_types"]
        self.assertEqual(findings[0]["core_type"], "")
        for finding in findings:
            self.assertGreater(finding["sgemm_gflops"], 0)
            self.assertGreater(finding["dgemm_gflops"], 0)

    def test_without_a_device_says_that_the_cpu_does_everything(self):
        text = self.duoblas("devices", "--quick", DEVICE="none").stdout
        self.assertIn("the CPU does everything", text)
        self.assertIn("DUOBLAS_DEVICE", text)

    def test_require_gpu_fails_where_none_may_be_used(self):
        self.duoblas("devices", "--require-gpu", expect=1, DEVICE="none")


class Bench(CommandTest):
    def test_records_every_strategy_with_the_promised_fields(self):
        document = self.json_of("bench", "--precision", "s,d,c,z", "--ops", "nt", "--shape",
                                "96x80x64", "--rounds", "3", "--layout", "column")
        results = document["results"]
        self.assertEqual([row["strategy"] for row in results], STRATEGIES * 4)
        self.assertEqual([row["precision"] for row in results[::6]], ["s", "d", "c", "z"])
        for row in results:
            self.assertEqual((row["m"], row["n"], row["k"]), (96, 80, 64))
            self.assertEqual((row["ops"], row["layout"]), ("nt", "column"))
            self.assertLess(row["error"], 1)
            self.assertLessEqual(row["seconds_q1"], row["seconds"])
            self.assertLessEqual(row["seconds"], row["seconds_q3"])
            operations = 2 * 96 * 80 * 64 * (4 if row["precision"] in "cz" else 1)
            self.assertAlmostEqual(row["gflops"] * row["seconds"] * 1e9 / operations, 1, 6)
            self.assertTrue(0 <= row["gpu_parts"] <= row["parts"])
            share = {"cpu": 0, "cpu_all": 0, "gpu": row["parts"]}.get(row["strategy"])
            if share is not None:
                self.assertEqual(row["gpu_parts"], share)
        self.assertIn("cpu_blas", document["context"])

    def test_without_a_device_measures_the_cpu_and_says_so(self):
        ran = self.duoblas("bench", "--size", "64", "--precision", "d", "--rounds", "3", "--json",
                           "-", DEVICE="none")
        rows = json.loads(ran.stdout)["results"]
        self.assertEqual({row["strategy"] for row in rows}, {"cpu", "cpu_all"})
        self.assertIn("GPU: none, so only the CPU is measured", ran.stderr)

    def test_says_that_nothing_was_tuned(self):
        text = self.duoblas("bench", "--size", "64", "--precision", "s", "--rounds", "3").stdout
        self.assertIn("Not tuned", text)
        self.assertIn("sgemm nn, 64 x 64 x 64, row-major, 3 interleaved rounds", text)

    def test_measures_only_the_strategies_that_were_named(self):
        rows = self.json_of("bench", "--strategy", "cpu,hybrid", "--size", "64", "--precision", "s",
                            "--rounds", "3")["results"]
        self.assertEqual([row["strategy"] for row in rows], ["cpu", "hybrid"])


if __name__ == "__main__":
    unittest.main()
