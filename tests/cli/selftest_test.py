"""`duoblas selftest` on a sound driver, on none, and on drivers that are wrong, crash or hang."""
import json
import math
import os
import subprocess
import unittest

from command import COMMAND, CommandTest

FAULTY_DRIVER = os.environ["DUOBLAS_TEST_FAULTY_DRIVER"]
SECTIONS = ["machine", "cpu", "kernels s", "kernels d", "kernels c", "kernels z", "sharing",
            "overlap", "hybrid", "refusals", "timings"]
WITHOUT_A_DEVICE = ["machine", "cpu"]


class SelftestTest(CommandTest):
    def selftest(self, *arguments, expect=0, fault=None, **settings):
        """The finished process, and the document that it wrote."""
        path = self.folder / "selftest.json"
        environment = self.environment(**settings)
        if fault:
            environment.update(OPENCL_LAYERS=FAULTY_DRIVER, FAULTY_DRIVER=fault)
        ran = subprocess.run([COMMAND, "selftest", "--quick", "--json", str(path), *arguments],
                             env=environment, capture_output=True, text=True, timeout=400,
                             stdin=subprocess.DEVNULL)
        self.assertEqual(ran.returncode, expect, ran.stdout + ran.stderr)
        return ran, json.loads(path.read_text(encoding="utf-8"))

    def verdicts(self, document):
        return {section["section"]: section["verdict"] for section in document["sections"]}

    def steps(self, document, name):
        return next(section["steps"] for section in document["sections"]
                    if section["section"] == name)


class OnASoundDriver(SelftestTest):
    def test_all_is_right_and_told(self):
        ran, document = self.selftest()
        self.assertIn("Verdict: ok", ran.stdout)
        self.assertEqual(document["document"], "duoblas selftest")
        self.assertEqual(document["document_version"], 1)
        self.assertEqual(document["verdict"], "ok")
        self.assertTrue(document["quick"])
        verdicts = self.verdicts(document)
        self.assertEqual(list(verdicts), SECTIONS)
        doubles = {"kernels d", "kernels z"}
        for name, verdict in verdicts.items():
            self.assertIn(verdict, {"ok", "not possible here"} if name in doubles else {"ok"}, name)
            self.assertIn("\n" + name + " ", "\n" + ran.stdout)
        self.check_products(document)
        self.check_measurements(document)

    def check_products(self, document):
        for name in ("cpu", "kernels s", "kernels c", "sharing", "hybrid"):
            counted = [step["facts"] for step in self.steps(document, name)
                       if "products" in step["facts"]]
            self.assertGreater(sum(facts["products"] for facts in counted), 7, name)
            self.assertEqual(sum(facts["wrong"] for facts in counted), 0, name)
            self.assertLess(max(facts["largest_error"] for facts in counted), 1, name)
            self.assertGreater(max(facts["largest_error"] for facts in counted), 0, name)
        tried = {step["facts"].get("kernel") for step in self.steps(document, "kernels s")}
        self.assertGreater(len(tried - {None}), 1)
        hybrid = self.steps(document, "hybrid")[-1]["facts"]
        self.assertEqual((hybrid["recovered_by_the_cpu"], hybrid["without_gpu"]), (0, 0))

    def check_measurements(self, document):
        facts = {step["step"]: step["facts"] for name in ("machine", "overlap", "timings")
                 for step in self.steps(document, name)}
        self.assertGreater(len(facts["OpenCL"]["devices"]), 0)
        self.assertIn("driver", facts["OpenCL"]["devices"][0])
        self.assertIn("cards", facts["graphics"])
        self.assertGreater(facts["launch"]["seconds"], 0)
        self.assertGreater(facts["transfers"]["up_seconds"], 0)
        for side in ("gpu", "cpu", "both"):
            self.assertGreater(facts["sgemm"][side + "_gflops"], 0)
        self.assertIsInstance(facts["flush"]["begins_without_a_flush"], bool)
        # Beside other work it can be anything.
        self.assertTrue(math.isfinite(facts["overlap"]["overlap"]))

    def test_the_document_alone_goes_to_standard_output(self):
        ran = self.duoblas("selftest", "--quick", "--only", "cpu", "--json", "-")
        self.assertEqual(json.loads(ran.stdout)["verdict"], "ok")
        self.assertIn("Verdict: ok", ran.stderr)

    def test_nobody_is_named(self):
        ran, document = self.selftest("--only", "machine", KERNEL_DIR="/home/you-doe/kernels",
                                      DEVICE="none")
        self.assertNotIn("you-doe", ran.stdout + ran.stderr)
        self.assertNotIn("you-doe", json.dumps(document))
        environment = next(step for step in self.steps(document, "machine")
                           if step["step"] == "environment")
        self.assertEqual(environment["facts"]["DUOBLAS_KERNEL_DIR"], "~/kernels")


class WithoutADevice(SelftestTest):
    def test_the_cpu_is_tested_and_the_rest_is_not_possible(self):
        ran, document = self.selftest(DEVICE="none")
        for name, verdict in self.verdicts(document).items():
            self.assertEqual(verdict, "ok" if name in WITHOUT_A_DEVICE else "not possible here")
        self.assertIn("Not possible here: kernels s", ran.stdout)
        self.assertIn("DUOBLAS_DEVICE", ran.stdout)


class OnABadDriver(SelftestTest):
    def test_wrong_results_are_found_by_the_sections_that_were_asked_for(self):
        ran, document = self.selftest("--only", "hybrid", "--only", "kernels", "--only", "cpu",
                                      expect=1, fault="short clEnqueueNDRangeKernel")
        verdicts = self.verdicts(document)
        self.assertEqual(list(verdicts), [*SECTIONS[1:6], "hybrid"])
        self.assertEqual(document["verdict"], "wrong")
        self.assertEqual(verdicts["cpu"], "ok")
        self.assertEqual(verdicts["kernels s"], "wrong")
        self.assertEqual(verdicts["hybrid"], "wrong")
        self.assertIn("WRONG: default nn", ran.stdout)
        self.assertIn("something is wrong: kernels s", ran.stdout)

    def test_a_crash_costs_its_section(self):
        _, document = self.selftest("--only", "kernels s", "--only", "refusals", "--only",
                                    "timings", expect=1, fault="crash clBuildProgram refusals")
        self.assertEqual(self.verdicts(document),
                         {"kernels s": "ok", "refusals": "wrong", "timings": "ok"})
        self.assertIn("SIGABRT", json.dumps(self.steps(document, "refusals")))

    def test_a_hang_is_ended_and_told(self):
        _, document = self.selftest("--step-seconds", "10", "--only", "kernels s", "--only", "cpu",
                                    "--only", "refusals", expect=1,
                                    fault="hang clEnqueueNDRangeKernel kernels")
        self.assertEqual(self.verdicts(document),
                         {"cpu": "ok", "kernels s": "wrong", "refusals": "ok"})
        texts = [step["text"] for step in self.steps(document, "kernels s")
                 if step["verdict"] == "wrong"]
        self.assertIn("hung: no answer within 10 s", texts)

    def test_a_driver_that_hangs_at_the_start_is_told_by_every_section(self):
        _, document = self.selftest("--step-seconds", "5", "--only", "machine", "--only", "cpu",
                                    "--only", "sharing", expect=1, fault="hang clGetDeviceIDs")
        self.assertEqual(self.verdicts(document),
                         {"machine": "wrong", "cpu": "ok", "sharing": "wrong"})
        verdicts = {step["step"]: step["verdict"] for step in self.steps(document, "machine")}
        self.assertEqual([verdicts[step] for step in ("software", "graphics", "CPU BLAS")],
                         ["ok"] * 3)


if __name__ == "__main__":
    unittest.main()
