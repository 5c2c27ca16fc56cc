"""ScaLAPACK's own tester of its distributed level 3, on two MPI ranks that share one GPU."""
import pathlib
import re
import sysconfig

from dropin import FORCED, ProgramTest, gpu_products, main

FOLDER = (pathlib.Path("/usr/lib") / str(sysconfig.get_config_var("MULTIARCH")) / "scalapack" /
          "openmpi-tests" / "PBLAS")
INPUT = "PDBLAS3TST.dat"
RANKS = 2
ROUTINES = ("PDGEMM", "PDSYMM", "PDSYRK", "PDSYR2K", "PDTRMM", "PDTRSM")


class ScaLapack(ProgramTest):
    def setUp(self):
        super().setUp()
        self.tester = self.need(FOLDER / "dpb3tst", "Debian's scalapack-mpi-test")
        self.mpirun = self.need("mpirun.openmpi", "Debian's openmpi-bin")
        lines = (FOLDER / INPUT).read_text(encoding="utf-8").splitlines()
        at = next(i for i, line in enumerate(lines) if "number of process grids" in line)
        # The grids that these ranks can form, of the six that Debian's input names.
        lines[at:at + 3] = ["2 number of process grids", "2 1 values of P", "1 2 values of Q"]
        (self.folder / INPUT).write_text("\n".join(lines) + "\n", encoding="utf-8")

    def ranks(self, dropin=None):
        # More ranks than cores are fine here, and a container's only user may be root.
        return self.launch(self.mpirun, "--bind-to", "none", "--oversubscribe", "--tag-output",
                           "-n", str(RANKS), self.tester, dropin=dropin,
                           variables={"OMPI_ALLOW_RUN_AS_ROOT": "1",
                                      "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})

    def passed(self, tagged):
        # mpirun may tag the middle of a line.
        report = re.sub(r"(?<!^)\[1,\d+\]<stdout>:", "", tagged, flags=re.MULTILINE)
        for routine in ROUTINES:
            with self.subTest(routine):
                summary = re.search(rf"\|\s+{routine}\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)", report)
                self.assertIsNotNone(summary, report[-3000:])
                total, right, wrong, skipped = map(int, summary.groups())
                self.assertEqual((right, wrong, skipped), (total, 0, 0))
                self.assertEqual(total, 8)
        self.assertIn("End of Tests", report)

    def test_passes_with_both_sides_of_each_rank_at_work(self):
        ran = self.ranks(FORCED)
        self.passed(ran.output)
        for rank in range(RANKS):
            with self.subTest(rank=rank):
                said = [line for line in ran.errors.splitlines() if line.startswith(f"[1,{rank}]")]
                self.assertGreater(gpu_products("\n".join(said)), 10)

    def test_passes_where_the_drop_in_decides(self):
        self.passed(self.ranks({}).output)


if __name__ == "__main__":
    main()
