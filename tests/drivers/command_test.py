"""`duoblas tune`, `bench` and `selftest` on one driver's device, which with_driver.sh chose."""
import unittest

from command import CommandTest

ONE_PRODUCT = ("--precision", "s", "--ops", "nn", "--size", "128")
STRATEGIES = {"cpu", "gpu", "simple", "hybrid", "gpu_cotuned", "cpu_all", "auto"}


class DriverTest(CommandTest):
    # Of a budget of 20 s: a driver that takes seconds to compile a kernel, on a loaded machine.
    patience = 400


class Tune(DriverTest):
    def test_writes_a_profile_from_which_every_strategy_multiplies(self):
        told = self.duoblas("tune", *ONE_PRODUCT, "--budget", "20", "--kernels", "4").stdout
        profiles = [path for path in self.profiles.iterdir() if path.suffix == ".json"]
        self.assertEqual(len(profiles), 1, told)
        self.assertIn(f"Profile: {profiles[0]}", told)
        document = self.json_of("bench", *ONE_PRODUCT, "--rounds", "3", "--strategy",
                                ",".join(sorted(STRATEGIES)))
        rows = {row["strategy"]: row for row in document["results"]}
        self.assertEqual(set(rows), STRATEGIES)
        for name, row in rows.items():
            self.assertGreater(row["seconds"], 0, name)
            self.assertLess(row["error"], 1, name)
            self.assertFalse(row["recovered"], name)


class Selftest(DriverTest):
    def test_finds_nothing_wrong(self):
        document = self.json_of("selftest", "--quick")
        self.assertEqual(document["verdict"], "ok")
        # What the device cannot compute is not possible, which is no error.
        verdicts = {section["section"]: section["verdict"] for section in document["sections"]}
        for name in ("kernels s", "kernels c", "sharing", "overlap", "hybrid", "timings"):
            self.assertEqual(verdicts[name], "ok", name)


if __name__ == "__main__":
    unittest.main()
