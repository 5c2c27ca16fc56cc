"""What people see of a tuning: on a terminal, in a log, as a picture."""
import fcntl
import os
import pathlib
import pty
import struct
import subprocess
import termios
import unittest

from command import COMMAND, SHORT, CommandTest


class Terminal(CommandTest):
    def on_terminal(self, columns, *arguments):
        """Everything that is written to a terminal of so many columns."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen([COMMAND, *arguments], env=self.environment(), stdout=theirs,
                                   stderr=theirs, stdin=subprocess.DEVNULL)
        os.close(theirs)
        written = b""
        try:
            while chunk := os.read(ours, 4096):
                written += chunk
        except OSError:  # how Linux says that the other end was closed
            pass
        os.close(ours)
        self.assertEqual(process.wait(timeout=240), 0)
        return written.decode("utf-8").replace("\r\n", "\n")

    def test_has_one_line_of_progress_that_is_never_wrapped(self):
        text = self.on_terminal(44, *SHORT)
        over = [line for line in text.split("\n") if "\r" in line]
        frames = [frame for line in over for frame in line.split("\r") if " left  " in frame]
        self.assertGreater(len(frames), 3)
        self.assertLess(max(len(frame) for frame in frames), 44)
        self.assertTrue(any("kernels and splits" in frame for frame in frames))
        self.assertIn("\nProfile: ", text)
        summary = text[text.index("\ntuned "):]
        self.assertNotIn("\r", summary, "nothing of the line is left when the summary begins")


class GivenParameters(CommandTest):
    def test_are_those_of_every_kernel_in_the_profile(self):
        profile = self.json_of(*SHORT, "--set", "k_unroll=2")["profile"]
        kernels = [point[way]["kernel"] for point in profile["points"]
                   for way in ("hybrid", "simple", "gpu")]
        self.assertEqual({kernel["k_unroll"] for kernel in kernels}, {2})

    def test_that_leave_no_kernel_are_named_with_the_rule(self):
        said = self.duoblas(*SHORT, "--set", "async_copy=1", expect=1).stderr
        self.assertIn("no kernel with async_copy=1 can be tuned on this device", said)


class Gemv(CommandTest):
    TUNE = ("tune", "--routine", "gemv", "--precision", "s,z", "--size", "256", "--budget", "3")

    def test_is_kept_in_the_profile_that_gemm_was_tuned_for_and_used(self):
        self.assertIn('"duoblas tune" makes it', self.duoblas(*self.TUNE, expect=1).stderr)
        first = self.tuned()
        points = first["profile"]["points"]
        tuned = self.json_of(*self.TUNE)
        self.assertEqual([(r["precision"], r["ops"]) for r in tuned["results"]],
                         [("s", "n"), ("s", "t"), ("z", "n"), ("z", "t")])
        for result in tuned["results"]:
            self.assertGreater(result["gbs"], 0)
            self.assertGreater(result["builtin_gbs"], 0)
        self.assertEqual(tuned["profile"]["points"], points)
        self.assertEqual(sorted(tuned["profile"]["gemv"]), ["s", "z"])
        kernels = {(r["precision"], r["ops"]): r["kernel"] for r in tuned["results"]}
        rows = self.json_of("bench", "--routine", "gemv", "--precision", "s", "--size", "64", "--rounds", "3",
                            "--strategy", "gpu")["results"]
        self.assertEqual([row["kernel"] for row in rows], [kernels["s", "n"], kernels["s", "t"]])
        self.assertIn(": good", self.duoblas("profile", "verify").stdout)
        again = self.json_of(*SHORT[:1], "--precision", "d", *SHORT[3:])
        self.assertEqual(sorted(again["profile"]["gemv"]), ["s", "z"], "gemm's tuning leaves them")

    def test_has_one_size_and_single_ops(self):
        for options in (["--size", "64,128"], ["--shape", "64x64x64"], ["--ops", "nn"], ["--budget", "-1"],
                        ["--curve", "tile_rows"], ["--objective", "energy"]):
            self.duoblas("tune", "--routine", "gemv", *options, expect=2)


class CurvesOfGemv(CommandTest):
    def curves_of(self, field):
        results = self.json_of("tune", "--routine", "gemv", "--precision", "s", "--size", "64", "--budget", "0.1",
                               "--curve", field)["results"]
        return results, {r["ops"]: r["curves"][0] for r in results if r["curves"]}

    def test_have_the_values_around_the_best_kernel_of_each_form(self):
        self.tuned()
        results, curves = self.curves_of("inline_sizes")
        self.assertTrue(all(r["kernels"] > 0 for r in results), "tuned first")
        self.assertEqual(sorted(curves), ["n", "t"])
        for curve in curves.values():
            self.assertEqual(curve["field"], "inline_sizes")
            rates = {entry["value"]: entry.get("gbs", 0) for entry in curve["values"]}
            self.assertGreater(rates[curve["chosen"]], 0)
            self.assertGreater(sum(rate > 0 for rate in rates.values()), 1)
        again, curves = self.curves_of("inline_sizes")
        self.assertEqual([r["kernels"] for r in again], [0, 0], "what is tuned is not tuned again for a curve")
        self.assertEqual(sorted(curves), ["n", "t"])
        said = self.duoblas("tune", "--routine", "gemv", "--curve", "teams", "--precision", "s", expect=1).stderr
        self.assertIn("teams means nothing to kernels of gemv", said)
        said = self.duoblas("tune", "--routine", "gemv", "--curve", "down", expect=2).stderr
        self.assertIn("kernels of gemv have no such parameter; they have vector_width, across", said)


class Curve(CommandTest):
    def test_has_the_values_around_the_best_kernels_and_needs_no_second_tuning(self):
        first = self.json_of(*SHORT, "--curve", "tile_rows")
        best = first["profile"]["points"][0]["gpu"]["kernel"].get("tile_rows", 6)  # the default is left out
        curve = first["curves"][0]
        self.assertEqual((curve["field"], curve["chosen"]), ("tile_rows", best))
        measured = {entry["value"] for entry in curve["values"] if entry.get("gflops", 0) > 0}
        self.assertIn(best, measured)
        self.assertGreater(len(measured), 1)
        self.assertTrue(all("reason" in entry for entry in curve["values"] if entry["value"] not in measured))
        again = self.duoblas(*SHORT, "--curve", "k_unroll", "--curve", "block_k")
        self.assertIn("Nothing has changed", again.stdout)
        self.assertIn("k_unroll, the other parameters as tuned, GPU alone, sgemm nn 96 x 96 x 96", again.stdout)
        self.assertIn("chosen", again.stdout)

    def test_of_no_parameter_or_of_one_that_means_nothing_is_refused(self):
        said = self.duoblas(*SHORT, "--curve", "tile_row", expect=2).stderr
        self.assertIn("there is no such kernel parameter", said)
        self.assertIn("tile_rows", said)
        self.assertFalse(self.profiles.exists())
        self.tuned()
        said = self.duoblas(*SHORT, "--curve", "group_rows", expect=1).stderr
        self.assertIn("group_rows means nothing to the best kernel", said)


class Plot(CommandTest):
    def refused(self, *arguments, expect, words):
        """Nothing was tuned, so nothing was lost."""
        ran = self.duoblas(*SHORT, *arguments, expect=expect)
        for word in words:
            self.assertIn(word, ran.stderr)
        self.assertEqual(ran.stdout, "")
        self.assertFalse(self.profiles.exists())

    def test_of_an_unknown_format_is_refused(self):
        for name in ("tuning.png", "svg", "-"):
            self.refused("--plot", name, expect=2, words=[name, ".svg"])

    def test_that_cannot_be_written_names_the_file(self):
        folder = self.folder / "folder.svg"
        folder.mkdir()
        for name in ("/nonexistent/a.svg", str(folder)):
            self.refused("--plot", name, expect=1, words=[name])

    def test_is_drawn(self):
        path = self.folder / "tuning.svg"
        ran = self.duoblas(*SHORT, "--plot", str(path))
        self.assertIn(f"\nPicture: {path}", ran.stdout)
        picture = pathlib.Path(path).read_text(encoding="utf-8")
        self.assertIn("sgemm nn 96 x 96 x 96", picture)
        self.assertTrue(picture.rstrip().endswith("</svg>"))
        self.duoblas("tune", "--routine", "gemv", "--precision", "s", "--size", "64", "--budget", "0.1", "--curve",
                     "inline_sizes", "--plot", str(path))
        picture = pathlib.Path(path).read_text(encoding="utf-8")
        self.assertIn("inline_sizes, the other parameters as tuned: gemv", picture)
        self.assertRegex(picture, r"sgemv t \(chosen: \d+\)")


class Summary(CommandTest):
    def test_says_what_won_and_compares_the_strategies(self):
        self.tuned()
        self.assertRegex(self.told, r"\ntuned +fastest")
        self.assertRegex(self.told, r"\nGFLOPS .* simple +hybrid")
        self.assertIn("Of 1 product, ", self.told)


if __name__ == "__main__":
    unittest.main()
