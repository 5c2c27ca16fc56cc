"""The kernel command: what is printed, what the device's compiler made of it, and what is refused.

That the printed file is what is compiled is kernel_print_test.cpp's business."""
import pathlib
import re
import shutil
import unittest

from command import CommandTest

KERNELS = pathlib.Path(__file__).resolve().parents[2] / "kernels"
# A small kernel, so that compiling it takes no time.
SMALL = ("--family", "panel", "--set", "vector_width=4", "--set", "tile_rows=2", "--set",
         "tile_cols=8", "--set", "k_unroll=1")


class Source(CommandTest):
    def test_comes_with_the_parameters_and_the_options(self):
        arguments = ("kernel", "--family", "panel", "--set", "pack_b=1", "--precision", "d",
                     "--ops", "tn")
        document = self.json_of(*arguments)
        self.assertEqual(document["params"]["pack_b"], 1)
        self.assertEqual(document["kernels"], ["pack_a", "pack_b", "gemm"])
        text = self.duoblas(*arguments).stdout
        self.assertIn("// dgemm tn: built-in kernel", text)
        self.assertIn("// Compiled with: " + document["options"] + "\n\n", text)
        self.assertTrue(text.endswith(document["source"]))
        self.assertIn("__kernel", document["source"])

    def test_explains_what_the_family_uses_and_nothing_else(self):
        panel = self.duoblas("kernel", "--family", "panel").stdout
        self.assertRegex(panel, r"\n//   block_k = \d+ +depth between")
        for unused in ("group_rows", "prefetch", "matrix", "RUN_LANES", "ALIGNED"):
            self.assertNotIn(f"//   {unused} = ", panel)
        tiled = self.duoblas("kernel", "--family", "tiled").stdout
        self.assertRegex(tiled, r"\n//   group_rows = \d+ +work-items")
        for line in (panel.split("\n\n")[0] + tiled.split("\n\n")[0]).splitlines()[2:]:
            self.assertTrue(len(line) <= 100 or "Compiled" in line or "gemm " in line, line)
        self.assertNotIn("//   block_k = ", tiled)

    def test_explains_every_flag(self):
        for arguments in ((), ("--set", "inline_sizes=1", "--size", "64")):
            text = self.duoblas("kernel", "--family", "tiled", *arguments).stdout
            header = text.split("\n\n")[0]
            options = next(line for line in header.splitlines() if "Compiled with: " in line)
            for name, value in re.findall(r"-D(\w+)=(\S+)", options):
                if name not in ("FAMILY", "BLOCK_K", *(n.upper() for n in self.unused(header))):
                    self.assertRegex(header, rf"(?i)//   {name} = {value} +\w")
            self.assertNotIn("see kernels/README.md", header)

    def unused(self, header):
        """Parameters that this kernel does not use."""
        return [name for name in self.json_of("kernel")["params"] if f" {name} = " not in header]

    def test_shows_either_family(self):
        panel = self.json_of("kernel", "--family", "panel")
        tiled = self.json_of("kernel", "--family", "tiled")
        self.assertEqual((panel["params"]["family"], tiled["params"]["family"]), (0, 1))
        self.assertNotEqual(panel["source"], tiled["source"])

    def test_names_each_file_with_the_line_where_it_starts(self):
        arguments = ("kernel", "--family", "tiled", "--set", "k_split=2")
        lines = self.duoblas(*arguments).stdout.splitlines()
        names = self.json_of(*arguments)["files"]
        self.assertEqual((names[0], names[-1]), ("types.clh", "reduce.cl"))
        for name in names:
            listed = [line.split() for line in lines
                      if line.startswith("//  ") and f"  {name}  " in line]
            self.assertEqual(len(listed), 1, name)
            first = (KERNELS / name).read_text(encoding="utf-8").splitlines()[0]
            self.assertEqual(lines[int(listed[0][1]) - 1], first)

    def test_for_one_size_names_the_size(self):
        for size in ("512x300x700", "300"):
            options = self.json_of("kernel", "--set", "inline_sizes=1", "--size", size)["options"]
            self.assertIn("-DINLINE_SIZES=1 ", options)
            self.assertIn(f"-DSIZE_N=300 -DSIZE_K={size.rsplit('x', maxsplit=1)[-1]}", options)

    def test_without_inlined_sizes_does_not_depend_on_the_size(self):
        self.assertEqual(self.json_of("kernel", "--size", "64")["options"],
                         self.json_of("kernel")["options"])

    def test_for_operands_that_are_not_aligned_is_another(self):
        document = self.json_of("kernel", "--family", "tiled", "--unaligned", "--set", "pack_a=0")
        self.assertFalse(document["aligned"])
        self.assertIn("-DALIGNED=0", document["options"])
        text = self.duoblas("kernel", "--family", "tiled", "--set", "pack_a=0").stdout
        self.assertIn("-DALIGNED=2", text)
        self.assertIn("--unaligned shows the other", text)

    def test_is_the_same_for_operands_that_are_packed(self):
        text = self.duoblas("kernel", "--family", "tiled", "--unaligned", "--set", "pack_a=1",
                            "--set", "pack_b=1").stdout
        self.assertIn("-DALIGNED=2", text)
        self.assertIn("the same however the operands lie", text)

    def test_can_be_read_where_it_cannot_run(self):
        text = self.duoblas("kernel", "--family", "tiled", "--precision", "d", "--set", "matrix=1",
                            "--set", "async_copy=1", "--set", "group_rows=8", DEVICE="none").stdout
        self.assertIn("mma.sync", text)
        self.assertIn("tiled_matrix.clh", text)
        self.assertNotIn("// vector_width", text)

    def test_of_an_opt_in_arithmetic_is_guarded(self):
        tf32 = ("kernel", "--family", "tiled", "--set", "matrix=2", "--set", "async_copy=1", "--set",
                "k_unroll=16")
        text = self.duoblas(*tf32, DEVICE="none").stdout
        self.assertIn("-DGUARD=1", text)
        self.assertIn("Kernel guard (guard.cl) decides", text)
        text = self.duoblas(*tf32, "--set", "pack_a=1", "--set", "pack_b=1", DEVICE="none").stdout
        self.assertIn("Packing (suited.clh) decides", text)


class List(CommandTest):
    def test_has_every_parameter_once_with_its_values(self):
        text = self.duoblas("kernel", "--list").stdout
        for name in self.json_of("kernel")["params"]:
            self.assertRegex(text, rf"(?m)^{name}: .+\n    one of [\d ]+$")
            self.assertEqual(text.count(f"\n{name}: "), 1)

    def test_has_the_rules_with_their_reasons(self):
        rules = self.duoblas("kernel", "--list").stdout.split("# Rules")[1]
        for name in ("whole_vectors", "even_slices", "matrix_shape", "local_memory"):
            self.assertRegex(rules, rf"(?m)^{name}: .{{20}}")


class Assembly(CommandTest):
    def test_goes_whole_into_a_file(self):
        path = self.folder / "kernel.bin"
        self.duoblas("kernel", "--asm", *SMALL, "--output", str(path))
        self.assertIn(b"\x7fELF", path.read_bytes())  # PoCL's holds machine code

    def test_that_is_no_text_says_what_to_do(self):
        message = self.duoblas("kernel", "--asm", *SMALL, expect=1).stderr
        self.assertIn("--output FILE", message)
        self.assertEqual(message.count("\n"), 1)

    def test_of_source_that_does_not_compile_ends_in_one_line(self):
        shutil.copytree(KERNELS, self.folder / "kernels")
        with open(self.folder / "kernels" / "panel.cl", "a", encoding="utf-8") as file:
            file.write("\nno_type_at_all mistake;\n")
        lines = self.duoblas("kernel", "--asm", *SMALL, expect=1,
                             KERNEL_DIR=str(self.folder / "kernels")).stderr.splitlines()
        self.assertIn("no_type_at_all", "\n".join(lines[:-1]))
        self.assertIn("cannot be built", lines[-1])
        self.assertIn("DUOBLAS_KERNEL_DIR", lines[-1])

    def test_fails_where_it_cannot_be_written_or_there_is_no_device(self):
        message = self.duoblas("kernel", "--asm", *SMALL, "--output", "/nowhere/at/all", expect=1)
        self.assertIn("/nowhere/at/all", message.stderr)
        message = self.duoblas("kernel", "--asm", expect=1, DEVICE="none").stderr
        self.assertIn("DUOBLAS_STANDIN=1", message)
        self.assertEqual(message.count("\n"), 1)


class Verify(CommandTest):
    def test_of_a_right_kernel_says_so_and_devices_counts_it(self):
        cache = str(self.folder / "cache")
        text = self.duoblas("kernel", "--verify", *SMALL, CACHE_DIR=cache).stdout
        self.assertIn("operands anywhere: right", text)
        told = self.duoblas("devices", "--quick", CACHE_DIR=cache).stdout
        self.assertIn("kernels: 1 tried and right, 0 in quarantine; 0 results", told)

    def test_of_a_tiled_kernel_tries_all_ways_in_which_rows_may_lie(self):
        text = self.duoblas("kernel", "--verify", "--family", "tiled").stdout
        self.assertEqual(text.count(": right\n"), 3, text)
        text = self.duoblas("kernel", "--verify", "--family", "tiled", "--set", "inline_sizes=1",
                            "--size", "31x33x35").stdout
        self.assertEqual(text.count(": right\n"), 2, text)

    def test_of_a_wrong_kernel_fails_and_devices_names_it(self):
        shutil.copytree(KERNELS, self.folder / "kernels")
        path = self.folder / "kernels" / "panel.cl"
        right = "i == 0 ? beta : ONE"
        source = path.read_text(encoding="utf-8")
        self.assertEqual(source.count(right), 1)
        path.write_text(source.replace(right, "beta"), encoding="utf-8")
        places = {"CACHE_DIR": str(self.folder / "cache"), "KERNEL_DIR": str(path.parent)}
        text = self.duoblas("kernel", "--verify", *SMALL, expect=1, **places).stdout
        self.assertIn(" and should be ", text)
        told = self.duoblas("devices", "--quick", **places).stdout
        self.assertIn("kernels: 0 tried and right, 1 in quarantine", told)
        self.assertIn("not used: sgemm nn, panel", told)
        known, = self.json_of("devices", "--quick", **places)["kernels"]
        self.assertTrue(known["quarantined"])
        self.assertEqual(known["failures"], 2)


class Refused(CommandTest):
    def refused(self, *arguments, words):
        message = self.duoblas("kernel", *arguments, expect=2).stderr
        for word in words:
            self.assertIn(word, message)
        return message

    def test_are_values_that_no_kernel_has_with_those_that_kernels_have(self):
        self.refused("--set", "tile_rows=13", words=["tile_rows=VALUE", "12, 14, 16"])
        self.refused("--set", "tile_rows=8x", words=["tile_rows=VALUE"])
        self.refused("--set", "tile_rows", words=["tile_rows=VALUE"])
        self.refused("--set", "=8", words=["no such parameter", "--list"])
        self.refused("--set", "tile_depth=3", words=["no such parameter", "--list"])
        self.refused("--set", "TILE_ROWS=8", words=["no such parameter"])

    def test_are_kernels_that_break_a_rule_with_its_name(self):
        for family, assignment, rule in (
                ("panel", "group_rows=4", "lone_work_item"),
                ("tiled", "prefetch=2", "one_slice_in_registers"),
                ("tiled", "tile_rows=6", "whole_row_vectors"),
                ("tiled", "matrix=1", "matrix_operands")):
            message = self.refused("--family", family, "--set", assignment,
                                   words=[f"rule {rule}: ", "--set"])
            self.assertEqual(message.count("\n"), 1)

    def test_are_kernels_to_compile_that_the_device_cannot_run(self):
        self.refused("--asm", "--family", "tiled", "--set", "async_copy=1",
                     words=["rule device_extensions: "])

    def test_are_sizes_that_are_missing_or_none(self):
        self.refused("--set", "inline_sizes=1", words=["--size"])
        for size in ("0", "many", "12x", "1x2x3x4", "4294967296"):
            self.refused("--size", size, words=[f"--size {size} is not understood", "MxNxK"])

    def test_are_options_that_do_not_go_together(self):
        self.refused("--output", "kernel.bin", words=["--asm"])
        self.refused("--asm", "--list", words=["--list"])
        self.refused("--asm", "--json", "-", words=["--json"])


if __name__ == "__main__":
    unittest.main()
