"""HPL, as it is in Debian's hpcc with its other benchmarks, on MPI ranks that have a GPU each or share one."""
import os
import pathlib
import re

from dropin import FORCED, ProgramTest, gpu_products, main, of_rank, untagged

# Two devices of PoCL, where it is the driver.
TWO_DEVICES = {"POCL_DEVICES": "pthread pthread"}
FAILS = {"OPENCL_LAYERS": os.environ["DUOBLAS_CL_LAYER"],
         "DUOBLAS_LAYER_FAIL": "clEnqueueNDRangeKernel:9+=-14"}


class Hpl(ProgramTest):
    def passes(self, ranks, size, dropin, **more):
        """Its residual is that of a right solution."""
        hpcc = self.need("hpcc", "Debian's hpcc")
        rows = 2 if ranks == 4 else 1
        lines = ["HPL of ranks", "", "HPL.out file", "8 device", "1 Ns", str(size), "1 NBs", "64", "0 row-major",
                 "1 grids", str(rows), str(ranks // rows), "16.0 threshold", "1 PFACTs", "2", "1 NBMINs", "4",
                 "1 NDIVs", "2", "1 RFACTs", "1", "1 BCASTs", "1", "1 DEPTHs", "1", "2 SWAP", "64", "0 L1", "0 U",
                 "1 equilibration", "8 alignment", "-", "0", "0", "0", "0"]
        (self.folder / "hpccinf.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        ran = self.launch_ranks(ranks, hpcc, dropin=dropin, **more)
        report = (self.folder / "hpccoutf.txt").read_text(encoding="utf-8")
        hpl = report.partition("Begin of HPL section.")[2].partition("End of HPL section.")[0]
        self.assertEqual(len(re.findall(r"Ax-b.*PASSED", hpl)), 1, hpl)
        self.assertNotIn("FAILED", hpl)
        return ran

    def test_passes_with_a_device_for_each_of_two_ranks(self):
        ran = self.passes(2, 300, {**FORCED, "SUMMARY": "1"}, variables=TWO_DEVICES)
        for rank in range(2):
            self.assertGreater(gpu_products(of_rank(rank, ran.errors)), 10)
        said = untagged(ran.errors)
        self.assertEqual(said.count("duoblas: the matrix products of hpcc, 2 ranks on "), 1, said)
        # Never more threads than cores: two ranks of two cores have one each.
        parts = {int(cores) for cores in re.findall(r"; (\d+) of the cores; ", said)}
        self.assertTrue(parts)
        self.assertLessEqual(max(parts), max(1, (os.cpu_count() or 1) // 2))

    def test_passes_where_the_drop_in_decides_for_four_ranks(self):
        self.passes(4, 400, {"STANDIN": "1", "VERBOSE": "0"})

    def test_passes_though_the_device_of_one_rank_fails(self):
        ran = self.passes(2, 300, FORCED, apart=FAILS)
        self.assertIn("the GPU failed", of_rank(0, ran.errors))
        self.assertNotIn("the GPU failed", of_rank(1, ran.errors))
        self.assertGreater(gpu_products(of_rank(1, ran.errors)), 10)

    def test_runs_packed_where_nothing_of_open_mpi_is_used(self):
        self.need("mpirun.openmpi", "Debian's openmpi-bin")
        self.need("orted", "Open MPI 4, as in Debian 12")
        hpcc = self.need("hpcc", "Debian's hpcc")
        clone = pathlib.Path(__file__).resolve().parents[2]
        programs = clone / "bench" / "programs"
        built = pathlib.Path(os.environ["DUOBLAS_DROPIN"]).parent
        self.launch(clone / "scripts" / "pack_mpi.sh", "made-here", hpcc, built.parent / "bin" / "duoblas",
                    built / "libduoblas.so.0", built / "libduoblas_blas.so.0")
        os.rename(self.folder / "made-here", self.folder / "packed")
        (self.folder / "loaded").mkdir()
        ran = self.launch("bash", "-c", f". packed/env.sh && {programs}/hpl_ranks.sh hpcc duoblas 1x2:200:64:0",
                          variables={"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(self.folder / "loaded" / "by"),
                                     "DUOBLAS_STANDIN": "1", "DUOBLAS_CACHE_DIR": str(self.folder)})
        self.assertRegex(ran.output, r"(?m)^1x2 200 64 library \S+ \S+ PASSED$")
        said = "".join(path.read_text(errors="replace") for path in (self.folder / "loaded").iterdir())
        loaded = set(re.findall(r"calling init: (.*)$", said, re.M))
        of_mpi = [path for path in loaded if re.search("mpi|open-|pmix|hwloc|duoblas|blas", path)]
        self.assertTrue(any("libmpi" in path for path in of_mpi), loaded)
        self.assertEqual([path for path in of_mpi if not path.startswith(str(self.folder))], [])


if __name__ == "__main__":
    main()
