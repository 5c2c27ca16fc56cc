"""What `duoblas bench` makes of its measurements: sweeps, files, pictures, what has changed."""
import csv
import io
import json
import shutil
import subprocess
import unittest

from command import COMMAND, CommandTest

SMALL = ("bench", "--rounds", "5", "--precision", "s", "--strategy", "cpu,hybrid")


class BenchFiles(CommandTest):
    def setUp(self):
        super().setUp()
        self.kept = self.folder / "kept.json"

    def measure(self, *arguments, **settings):
        """A comparison that --json has kept."""
        self.duoblas(*SMALL, *arguments, "--json", str(self.kept), **settings)
        return json.loads(self.kept.read_text(encoding="utf-8"))

    def change(self, change):
        """Another file, with what `change` makes of the document."""
        document = json.loads(self.kept.read_text(encoding="utf-8"))
        change(document)
        path = self.folder / "changed.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        return str(path)


class Sweep(BenchFiles):
    def test_measures_each_shape_once_beside_sizes_and_shapes(self):
        rows = self.measure("--sweep", "m=16:64:*2,n=24,k=8", "--sweep", "mnk=16:32:+16", "--shape",
                            "32x24x8", "--size", "16", "--ops", "nn,tn")["results"]
        shapes = [(r["ops"], r["m"], r["n"], r["k"]) for r in rows if r["strategy"] == "cpu"]
        expected = [(32, 24, 8), (16, 16, 16), (16, 24, 8), (64, 24, 8), (32, 32, 32)]
        self.assertEqual(shapes, [(ops, *s) for ops in ("nn", "tn") for s in expected])

    def test_that_is_not_understood_names_the_form(self):
        for sweep in ("m=16", "m=64:16:*2", "x=1:2:*2", "m=1:2:3"):
            message = self.duoblas("bench", "--sweep", sweep, expect=2).stderr
            self.assertIn("EXTENTS=FIRST:LAST:*FACTOR", message)
            self.assertIn(sweep, message)

    def test_of_more_memory_than_there_is_is_refused(self):
        self.assertIn("GiB", self.duoblas("bench", "--sweep", "mnk=1024:1000000000:*2",
                                          expect=2).stderr)


class Csv(BenchFiles):
    def test_has_the_numbers_of_the_json_file_and_the_machine(self):
        path = self.folder / "out.csv"
        document = self.measure("--size", "48,64", "--csv", str(path))
        with open(path, encoding="utf-8", newline="") as file:
            table = list(csv.DictReader(file))
        self.assertEqual(len(table), len(document["results"]))
        for line, row in zip(table, document["results"]):
            self.assertEqual((line["strategy"], int(line["m"])), (row["strategy"], row["m"]))
            self.assertAlmostEqual(float(line["seconds"]) / row["seconds"], 1, 6)
            self.assertEqual(len(line["samples"].split()), int(line["rounds"]))
            self.assertEqual(line["device"], document["context"]["device"]["name"])
            self.assertEqual(line["cpu"], document["context"]["cpu_model"])
            self.assertEqual(line["joules"], "", "nothing was measured, which is no zero")

    def test_to_standard_output_is_all_that_is_there(self):
        ran = self.duoblas(*SMALL, "--size", "32", "--csv", "-")
        self.assertEqual(len(list(csv.DictReader(io.StringIO(ran.stdout, newline="")))), 2)
        self.assertIn("sgemm nn, 32 x 32 x 32", ran.stderr)
        self.duoblas(*SMALL, "--csv", "-", "--json", "-", expect=2)


class Peak(BenchFiles):
    def test_is_measured_in_the_run_and_told_with_each_strategy(self):
        path = self.folder / "out.csv"
        ran = self.duoblas("bench", "--rounds", "3", "--precision", "s,d", "--size", "64", "--strategy", "cpu,gpu,hybrid",
                           "--json", str(self.kept), "--csv", str(path))
        document = json.loads(self.kept.read_text(encoding="utf-8"))
        peaks = {peak["precision"]: peak for peak in document["peaks"]}
        self.assertEqual(sorted(peaks), ["d", "s"])
        with open(path, encoding="utf-8", newline="") as file:
            table = list(csv.DictReader(file))
        for line, row in zip(table, document["results"]):
            peak = peaks[row["precision"]]
            cpu, gpu = peak["cpu_gflops"], peak["gpu_gflops"]
            whole = {"cpu": cpu, "gpu": gpu}.get(row["strategy"], cpu + gpu)
            self.assertAlmostEqual(row["percent_of_peak"] * whole / row["gflops"], 100, 6)
            self.assertAlmostEqual(float(line["percent_of_peak"]) / row["percent_of_peak"], 1, 6)
        self.assertIn("% peak", ran.stdout)
        self.assertIn("chains of", ran.stdout)
        again = self.duoblas("bench", "--from", str(self.kept)).stdout
        self.assertIn("% peak", again)

    def test_of_the_cpu_alone_is_no_devices(self):
        document = self.measure("--size", "32", DEVICE="none", STRATEGY="auto")
        self.assertNotIn("gpu_gflops", document["peaks"][0])
        self.assertGreater(document["peaks"][0]["cpu_gflops"], 0)

    def test_of_strategies_that_need_a_gpu_where_there_is_none_names_what_to_do(self):
        for routine in ("gemm", "gemv"):
            ran = self.duoblas("bench", "--routine", routine, "--size", "32", "--strategy", "gpu", expect=1,
                               DEVICE="none", STRATEGY="auto")
            self.assertIn("needs a GPU", ran.stderr)

    def test_is_shown_by_devices_where_it_is_asked_for(self):
        self.assertNotIn("Peak", self.duoblas("devices", "--quick").stdout)
        told = self.duoblas("devices", "--quick", "--peak", "--json", str(self.kept)).stdout
        self.assertIn("single precision: device", told)
        document = json.loads(self.kept.read_text(encoding="utf-8"))
        self.assertEqual([peak["precision"] for peak in document["peaks"]], ["s", "d"])
        self.assertIn("chains of", document["peaks"][1]["gpu_how"])


class Bandwidth(BenchFiles):
    def test_is_shown_by_devices_where_it_is_asked_for(self):
        self.assertNotIn("Memory, measured", self.duoblas("devices", "--quick").stdout)
        told = self.duoblas("devices", "--quick", "--bandwidth", "--json", str(self.kept)).stdout
        self.assertIn("device: its own memory", told)
        self.assertIn("both at once, of the host's memory", told)
        self.assertNotIn("not measured", told)
        rates = json.loads(self.kept.read_text(encoding="utf-8"))["bandwidth"]
        self.assertTrue(rates["in_place"])
        for name in ["cpu_gbs", "cpu_all_gbs", "gpu_gbs", "gpu_host_gbs", "launch_seconds"]:
            self.assertGreater(rates[name], 0, name)
        self.assertAlmostEqual(rates["both_gbs"], rates["cpu_beside_gbs"] + rates["gpu_beside_gbs"], 6)

    def test_of_the_cpu_alone_is_no_devices(self):
        rates = self.json_of("devices", "--quick", "--bandwidth", DEVICE="none", STRATEGY="auto")["bandwidth"]
        self.assertGreater(rates["cpu_all_gbs"], 0)
        self.assertNotIn("gpu_gbs", rates)


class Gemv(BenchFiles):
    def test_is_compared_in_bytes_and_parts_of_what_memory_gives(self):
        path = self.folder / "out.csv"
        ran = self.duoblas("bench", "--routine", "gemv", "--precision", "s", "--shape", "700x500", "--size", "640",
                           "--rounds", "3", "--json", str(self.kept), "--csv", str(path))
        document = json.loads(self.kept.read_text(encoding="utf-8"))
        rows = document["results"]
        self.assertEqual([row["strategy"] for row in rows[:6]],
                         ["cpu", "gpu", "prepared", "hybrid", "cpu_all", "auto"])
        self.assertEqual([(r["ops"], r["m"], r["n"]) for r in rows[::6]],
                         [("n", 700, 500), ("n", 640, 640), ("t", 700, 500), ("t", 640, 640)])
        most = document["bandwidth"]
        for row in rows[:6]:
            self.assertLess(row["error"], 1)
            self.assertAlmostEqual(row["gbs"] * row["seconds"] * 1e9 / (4 * (700 * 500 + 1200)), 1, 6)
        self.assertAlmostEqual(rows[0]["percent_of_bandwidth"] * most["cpu_gbs"] / rows[0]["gbs"], 100, 6)
        self.assertAlmostEqual(rows[1]["percent_of_bandwidth"] * most["gpu_host_gbs"] / rows[1]["gbs"], 100, 6)
        self.assertAlmostEqual(rows[2]["percent_of_bandwidth"] * most["gpu_gbs"] / rows[2]["gbs"], 100, 6)
        self.assertAlmostEqual(rows[3]["percent_of_bandwidth"] * most["both_gbs"] / rows[3]["gbs"], 100, 6)
        with open(path, encoding="utf-8", newline="") as file:
            table = list(csv.DictReader(file))
        self.assertEqual({line["routine"] for line in table}, {"gemv"})
        self.assertAlmostEqual(float(table[0]["gbs"]) / rows[0]["gbs"], 1, 6)
        for text in (ran.stdout, self.duoblas("bench", "--from", str(self.kept)).stdout):
            self.assertIn("sgemv n, 700 x 500, row-major", text)
            self.assertIn("% memory", text)
            self.assertNotIn("GFLOPS", text)

    def test_is_measured_again_where_a_file_of_it_is_compared_with(self):
        kept = self.duoblas("bench", "--routine", "gemv", "--precision", "s", "--size", "64", "--ops", "t",
                            "--rounds", "3", "--json", str(self.kept))
        self.assertIn("sgemv t, 64 x 64", kept.stdout)
        again = self.duoblas("bench", "--compare", str(self.kept), "--rounds", "3").stdout
        self.assertIn("Of 6 times:", again)
        self.assertIn("GB/s then", again)

    def test_has_options_of_its_own(self):
        self.assertIn("one matrix", self.duoblas("bench", "--routine", "gemv", "--ops", "nt", expect=2).stderr)
        self.assertIn("no such", self.duoblas("bench", "--routine", "gemv", "--strategy", "simple", expect=2).stderr)
        self.assertIn("no such", self.duoblas("bench", "--strategy", "prepared", expect=2).stderr)


class Transfers(BenchFiles):
    def test_are_told_apart_from_the_kernel_for_each_size(self):
        ran = self.duoblas(*SMALL, "--size", "48,96", "--layout", "column", "--ops", "tn", "--transfers", "--json",
                           str(self.kept))
        document = json.loads(self.kept.read_text(encoding="utf-8"))
        self.assertEqual([(t["ops"], t["m"]) for t in document["transfers"]], [("tn", 48), ("tn", 96)])
        for times in document["transfers"]:
            self.assertEqual(times["a_bytes"], 4 * times["m"] ** 2)
            self.assertEqual(times["rounds"], 5)
            # PoCL shares memory of the heap.
            self.assertEqual([way["way"] for way in times["ways"]], ["copies", "zero-copy"])
            for way in times["ways"]:
                parts = [way[part + "_seconds"] for part in ("a", "b", "kernel", "c")]
                self.assertTrue(all(part > 0 for part in parts))
                self.assertAlmostEqual(sum(parts), way["seconds"])
                self.assertLess(way["error"], 1)
        self.assertIn("Transfers of sgemm tn, 48 x 48 x 48, column-major", ran.stdout)

    def test_of_gemv_are_told_in_gigabytes_a_second_and_read_again(self):
        ran = self.duoblas("bench", "--routine", "gemv", "--precision", "d", "--size", "64", "--ops", "n,t",
                           "--rounds", "3", "--transfers", "--json", str(self.kept))
        document = json.loads(self.kept.read_text(encoding="utf-8"))
        self.assertEqual([(t["routine"], t["ops"]) for t in document["transfers"]], [("gemv", "n"), ("gemv", "t")])
        for times in document["transfers"]:
            self.assertEqual((times["a_bytes"], times["b_bytes"], times["c_bytes"]), (8 * 64 * 64, 8 * 64, 8 * 64))
            self.assertEqual([way["way"] for way in times["ways"]], ["copies", "zero-copy"])
            for way in times["ways"]:
                self.assertLess(way["error"], 1)
        self.assertIn("Transfers of dgemv t, 64 x 64", ran.stdout)
        self.assertIn("GB/s in all", ran.stdout)
        again = self.duoblas("bench", "--from", str(self.kept)).stdout
        self.assertIn("Transfers of dgemv t, 64 x 64", again)
        self.assertIn("GB/s there", self.duoblas("bench", "--from", str(self.kept)).stdout)

    def test_need_a_device(self):
        self.assertIn("there is no device",
                      self.duoblas(*SMALL, "--transfers", expect=1, DEVICE="none", STRATEGY="auto").stderr)
        self.duoblas("bench", "--from", str(self.kept), "--transfers", expect=2)


class Samples(BenchFiles):
    def test_are_what_medians_and_quartiles_are_of(self):
        for row in self.measure("--size", "64")["results"]:
            samples = sorted(row["samples"])
            self.assertEqual(len(samples), 5)
            self.assertEqual(row["seconds"], samples[2])
            self.assertEqual((row["seconds_q1"], row["seconds_q3"]), (samples[1], samples[3]))


class Splits(BenchFiles):
    def test_are_timed_from_no_share_to_all_for_the_largest_product(self):
        document = self.measure("--size", "64,128", "--splits")
        self.assertEqual(len(document["splits"]), 1)
        curve = document["splits"][0]
        self.assertEqual(curve["m"], 128)
        shares = [sample["share"] for sample in curve["samples"]]
        self.assertEqual((shares[0], shares[-1]), (0, 1))
        self.assertEqual(shares, sorted(shares))
        self.assertGreater(len(shares), 4)
        for sample in curve["samples"]:
            self.assertGreater(sample["seconds"], 0)
            self.assertEqual(sample["cpu_seconds"] > 0, sample["share"] < 1)
        self.assertEqual(curve["samples"][0]["gpu_seconds"], 0)


class Power(BenchFiles):
    def test_names_every_domain_and_never_says_zero(self):
        document = self.measure("--size", "64", "--power", "--strategy", "cpu")
        self.assertEqual([s["domain"] for s in document["power_sources"]],
                         ["package", "cpu", "gpu", "dram", "system"])
        for source in document["power_sources"]:
            self.assertTrue(source.get("unavailable") or source.get("resolution"))
        for row in document["results"]:
            self.assertGreater(row.get("joules", 1), 0)
            for domain in row.get("energy", []):
                self.assertGreater(domain["mean_watts"], 0)
        text = self.duoblas("bench", "--from", str(self.kept)).stdout
        self.assertIn("Energy of sgemm nn, 64 x 64 x 64", text)
        missing = [s for s in document["power_sources"] if "unavailable" in s]
        self.assertEqual(text.count(": unavailable: "), len(missing))


class From(BenchFiles):
    def test_shows_what_was_measured_again(self):
        measured = self.duoblas(*SMALL, "--size", "64", "--json", str(self.kept)).stdout
        again = self.duoblas("bench", "--from", str(self.kept), DEVICE="none").stdout
        self.assertEqual(again.split("\n", 1)[1], measured)
        self.assertTrue(again.startswith("Measured 20"))

    def test_does_not_measure_and_says_so(self):
        for option in (("--size", "64"), ("--power",), ("--splits",), ("--sweep", "m=1:2:*2")):
            message = self.duoblas("bench", "--from", "kept.json", *option, expect=2).stderr
            self.assertRegex(message, f"{option[0]} excludes --from|--from excludes {option[0]}")

    def test_what_is_damaged_names_file_and_field(self):
        self.measure("--size", "32")
        path = self.change(lambda d: d["results"][1].pop("seconds"))
        for option in ("--from", "--compare"):
            message = self.duoblas("bench", option, path, expect=1).stderr
            self.assertIn(path, message)
            self.assertIn("results[1].seconds is missing", message)
        self.kept.write_bytes(self.kept.read_bytes()[:400])
        self.assertIn("cut off", self.duoblas("bench", "--from", str(self.kept), expect=1).stderr)
        self.assertIn("cannot be read", self.duoblas("bench", "--from", "/nowhere", expect=1).stderr)


class Compare(BenchFiles):
    def test_measures_what_that_file_has_and_gives_verdicts(self):
        self.measure("--shape", "64x48x32", "--ops", "nt", "--layout", "column")
        text = self.duoblas("bench", "--rounds", "3", "--strategy", "cpu,hybrid", "--compare",
                            str(self.kept)).stdout
        self.assertIn("sgemm nt, 64 x 48 x 32, column-major, 3 interleaved rounds", text)
        self.assertRegex(text, r"\nOf 2 times: \d faster, \d slower, \d the same within noise\.\n")
        self.assertNotIn("ANOTHER MACHINE", text)

    def test_of_a_file_with_itself_finds_everything_the_same(self):
        self.measure("--size", "32,64")
        text = self.duoblas("bench", "--from", str(self.kept), "--compare", str(self.kept)).stdout
        self.assertIn("Of 4 times: 0 faster, 0 slower, 4 the same within noise.", text)

    def test_sees_what_is_far_beyond_the_noise(self):
        self.measure("--size", "64")
        # The spread of three rounds of microseconds can be anything: here it is none.
        exact = self.change(lambda d: [r.update(seconds_q1=r["seconds"], seconds_q3=r["seconds"])
                                       for r in d["results"]])
        slower = self.slower_than(exact)
        text = self.duoblas("bench", "--from", exact, "--compare", slower).stdout
        self.assertIn("Of 2 times: 2 faster, 0 slower", text)
        text = self.duoblas("bench", "--from", slower, "--compare", exact).stdout
        self.assertIn("Of 2 times: 0 faster, 2 slower", text)

    def slower_than(self, path):
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        for row in document["results"]:
            for name in ("seconds", "seconds_q1", "seconds_q3"):
                row[name] *= 10
        slower = self.folder / "slower.json"
        slower.write_text(json.dumps(document), encoding="utf-8")
        return str(slower)

    def test_with_another_machine_says_so_and_compares_anyway(self):
        self.measure("--size", "64")
        other = self.change(lambda d: d["context"].update(cpu_model="Abacus"))
        text = self.duoblas("bench", "--from", str(self.kept), "--compare", other).stdout
        self.assertIn("ANOTHER MACHINE", text)
        self.assertIn("it was Abacus", text)
        self.assertIn("Of 2 times", text)


class Plot(BenchFiles):
    def test_of_an_unknown_format_is_refused(self):
        self.assertIn("ends in .svg", self.duoblas("bench", "--plot", "a.png", expect=2).stderr)
        self.assertIn("/nonexistent/a.svg",
                      self.duoblas("bench", "--plot", "/nonexistent/a.svg", expect=1).stderr)

    def test_is_drawn_from_a_file(self):
        self.measure("--size", "48,64", "--splits")
        path = self.folder / "a.svg"
        ran = self.duoblas("bench", "--from", str(self.kept), "--plot", str(path))
        self.assertIn(f"Picture: {path}", ran.stdout)
        picture = path.read_text(encoding="utf-8")
        for word in ("GFLOPS", "size: m = n = k", "time of a call (ms)", "share of C (%)", "<polyline"):
            self.assertIn(word, picture)


if __name__ == "__main__":
    unittest.main()
