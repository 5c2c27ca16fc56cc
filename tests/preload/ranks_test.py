"""Processes that say they are ranks of one job, as mpirun tells its ranks: which device each has, that
what they did before decides nothing, and the summary of a host. No MPI is needed for that."""
import fcntl
import glob
import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

from dropin_process import (CALLER, CPU_BLAS, DROPIN, FORCED, HOST, HostTest, host_environment,
                            key_of)

BLAS = "global:" + CPU_BLAS
SMALL = CALLER + ":dgemm_small"
MIDDLING = CALLER + ":dgemm_middling"  # not enough for the drop-in to start, but in a rank
LARGE = CALLER + ":dgemm_large"
# Two devices of PoCL. Another driver may show one.
TWO_DEVICES = {"POCL_DEVICES": "pthread pthread"}


def text_of(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:  # of a job that has just ended
        return ""


class Ranks(HostTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def start(self, number, of, *actions, **settings):
        variables = {"OMPI_COMM_WORLD_LOCAL_RANK": str(number), "OMPI_COMM_WORLD_LOCAL_SIZE": str(of),
                     "OMPI_COMM_WORLD_SIZE": str(of), "PMIX_NAMESPACE": self.folder,
                     "DUOBLAS_START_MS": "", "DUOBLAS_CACHE_DIR": self.folder, **settings}
        process = subprocess.Popen([HOST, BLAS, *actions], env=host_environment(DROPIN, **variables),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        return process

    def said(self, *processes):
        """What each says on standard error; all products are right."""
        texts = []
        for process in processes:
            output, errors = process.communicate(timeout=200)
            self.assertEqual(process.returncode, 0, errors)
            self.assertNotIn("wrong", output)
            texts.append(errors)
        return texts

    def together(self, *actions, of=2, **settings):
        """What they say who all multiply before any of them ends, as after MPI_Finalize."""
        everybody_has = self.folder + "/everybody-has"
        ranks = [self.start(i, of, *actions, "wait:" + everybody_has, **settings) for i in range(of)]
        for rank in ranks:
            self.assertIn("right", rank.stdout.readline())
        with open(everybody_has, "w", encoding="utf-8"):
            pass
        said = "".join(self.said(*ranks))
        os.remove(everybody_has)
        return said

    def devices_by_rank(self, said):
        """{number: device}"""
        found = {}
        for numbers, device in re.findall(r"^ranks? ([0-9, ]+): device (\d+), ", said, re.M):
            found.update({int(number): int(device) for number in numbers.split(",")})
        return found


class ADevice(Ranks):
    def test_is_each_ranks_own(self):
        said = self.together(SMALL, of=4, DUOBLAS_SUMMARY="1", **FORCED, **TWO_DEVICES)
        devices = self.devices_by_rank(said)
        if len(set(devices.values())) < 2:
            self.skipTest("the driver shows one device only")
        self.assertEqual(devices, {0: 0, 1: 1, 2: 0, 3: 1})
        self.assertIn("ranks 0, 2: device 0, ", said)
        self.assertEqual(said.count("which up to 2 ranks share"), 2, said)

    def test_is_the_one_that_the_user_names(self):
        said = self.together(SMALL, DUOBLAS_SUMMARY="1", DUOBLAS_DEVICE="0", **FORCED, **TWO_DEVICES)
        self.assertEqual(self.devices_by_rank(said), {0: 0, 1: 0})
        self.assertIn("which up to 2 ranks share", said)

    def test_is_shared_unless_the_launcher_gives_each_rank_one(self):
        a_task = {"SLURM_GPUS_PER_TASK": "1", "SLURM_STEP_NUM_TASKS": "2"}
        for is_shared, settings in ((False, a_task),
                                    (False, {"SLURM_TRES_PER_TASK": "cpu=1,gres/gpu=1", "SLURM_STEP_NUM_TASKS": "2"}),
                                    (True, {"SLURM_TRES_PER_TASK": "cpu=1", "SLURM_STEP_NUM_TASKS": "2"}),
                                    (True, {"CUDA_VISIBLE_DEVICES": "0"}),  # all ranks may see the same
                                    (True, {**a_task, "SLURM_STEP_NUM_TASKS": "1"}),  # mpirun in one task
                                    (True, {**a_task, "DUOBLAS_DEVICE": "0"})):
            with self.subTest(settings=settings):
                said = self.together(SMALL, DUOBLAS_SUMMARY="1", **FORCED, **settings)
                self.assertEqual("which up to 2 ranks share" in said, is_shared, said)

    def test_that_fails_leaves_its_rank_the_cpu(self):
        layer = os.environ["DUOBLAS_TEST_CL_LAYER"]
        failing = self.start(0, 2, SMALL, LARGE, SMALL, DUOBLAS_SUMMARY="1", OPENCL_LAYERS=layer,
                             DUOBLAS_LAYER_FAIL="clEnqueueNDRangeKernel:1+=-14", **FORCED)
        other = self.start(1, 2, SMALL, LARGE, SMALL, DUOBLAS_SUMMARY="1", **FORCED)
        said = "".join(self.said(failing, other))
        self.assertIn("with GPU: the split was given", said)
        self.assertIn("CPU only: the GPU failed", said)

    def test_is_opened_before_main_for_each_rank_that_had_one(self):
        settings = Plans.profile(self)

        def start(number, **more):
            return self.start(number, 2, "maps", LARGE, **settings, **more)

        def is_begun(rank):
            """Whether the engine is there as main() begins; the rank then multiplies."""
            output, errors = rank.communicate(timeout=200)
            self.assertEqual(rank.returncode, 0, errors)
            self.assertIn("dgemm_large right", output)
            return "mapped libduoblas.so" in output.partition("dgemm_large")[0]

        for rank in [start(number) for number in (0, 1)]:  # of one job, where no list is
            self.assertFalse(is_begun(rank))
        for number in (1, 0, 1):
            self.assertTrue(is_begun(start(number)), number)
        another = self.start(2, 3, "maps", LARGE, **settings)
        self.assertFalse(is_begun(another), "it is others that had one")
        self.assertFalse(is_begun(start(0, DUOBLAS_HISTORY="off")))
        self.assertTrue(is_begun(start(0)))

    def test_is_not_opened_before_main_again_for_a_rank_that_made_no_call_for_it(self):
        settings = Plans.profile(self)
        programs = pathlib.Path(self.folder, "programs")
        programs.mkdir(mode=0o700)
        listed = programs / "at-start"
        end = self.folder + "/end"
        actions = ("maps", "wait:" + end)
        key = key_of(7, HOST, BLAS, *actions, rank="1")
        listed.write_text(f"{7:016x}\n{key:016x}\n", encoding="utf-8")
        listed.chmod(0o600)
        rank = self.start(1, 2, *actions, **settings)
        for _ in range(500):  # until its device is ready: an earlier end would show nothing
            if text_of(f"/proc/{rank.pid}/maps").count("openblas") > 15:
                time.sleep(0.2)
                break
            time.sleep(0.01)
        with open(end, "w", encoding="utf-8"):
            pass
        output, errors = rank.communicate(timeout=200)
        self.assertEqual(rank.returncode, 0, errors)
        self.assertIn("mapped libduoblas.so", output)
        self.assertEqual(listed.read_text(encoding="utf-8"), f"{7:016x}\n")


class Plans(Ranks):
    def test_do_not_depend_on_what_a_rank_did_before(self):
        settings = self.profile()
        new, old = self.said(
            self.start(0, 2, LARGE, DUOBLAS_VERBOSE="2", **settings),
            self.start(1, 2, SMALL, LARGE, LARGE, f"for-ms:500:{LARGE}", DUOBLAS_VERBOSE="2", **settings))
        plans = [re.findall(r"^duoblas: dgemm m=\d\d\d.*: (\w+, gpu \d+ of \d+ \w+)", text, re.M)
                 for text in (new, old)]
        self.assertEqual(len(plans[0]), 1, new)
        self.assertEqual(set(plans[0]), set(plans[1]), old)
        self.assertNotIn("was being started", new + old)
        self.assertNotIn("had not multiplied enough", new + old)
        self.assertEqual(len(glob.glob(self.folder + "/learned/*.bin")), 1, "what checks found right")

    def profile(self, *arguments, **settings):
        settings = {"DUOBLAS_DEVICE": "0", "DUOBLAS_PROFILE_DIR": self.folder + "/profiles", **settings}
        subprocess.run([os.environ["DUOBLAS_TEST_PROFILE_MAKER"], *arguments], check=True, timeout=120,
                       env=host_environment("", **settings))
        return settings

    def test_keep_what_checks_found_while_another_rank_uses_the_device(self):
        settings = self.profile()
        other = self.start(1, 2, SMALL, LARGE, "wait:" + self.folder + "/end", **settings)
        self.assertIn("right", other.stdout.readline() and other.stdout.readline())
        self.said(self.start(0, 2, LARGE, **settings))
        kept = glob.glob(self.folder + "/learned/*.bin")
        with open(self.folder + "/end", "w", encoding="utf-8"):
            pass
        self.said(other)
        self.assertEqual(len(kept), 1)

    def test_of_one_rank_on_a_host_leave_the_cpu_only_for_a_gain_that_errors_do_not_reach(self):
        for part_of_cpus_time, uses_gpu in (("0.5", True), ("0.8", False)):
            settings = self.profile(part_of_cpus_time)
            said, = self.said(self.start(0, 1, LARGE, DUOBLAS_VERBOSE="2", OMPI_COMM_WORLD_SIZE="2", **settings))
            plan = re.search(r"^duoblas: dgemm m=\d\d\d.*$", said, re.M)
            self.assertIsNotNone(plan, said)
            self.assertEqual("gpu" in plan[0].lower(), uses_gpu, plan[0])

    def test_are_there_for_the_first_call_where_pmix_alone_tells_of_ranks(self):
        settings = self.profile()
        said, = self.said(self.start(0, 1, MIDDLING, DUOBLAS_VERBOSE="2", OMPI_COMM_WORLD_SIZE="", PMIX_RANK="0",
                                     **settings))
        self.assertRegex(said, r"(?m)^duoblas: dgemm m=\d\d\d.*: \w+, gpu \d+ of \d+ ")

    def test_are_the_same_on_other_cores(self):
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) < 2:
            self.skipTest("there is one core only")
        settings = {"DUOBLAS_DEVICE": "0", "DUOBLAS_PROFILE_DIR": self.folder + "/profiles", "DUOBLAS_SUMMARY": "rank"}
        subprocess.run([os.environ["DUOBLAS_TEST_PROFILE_MAKER"]], check=True, timeout=120,
                       env=host_environment("", **settings, DUOBLAS_STRATEGY="gpu"))
        digests = set()
        for number in range(2):
            os.sched_setaffinity(0, {cores[number]})
            self.addCleanup(os.sched_setaffinity, 0, cores)
            said, = self.said(self.start(number, 2, LARGE, **settings, DUOBLAS_STRATEGY="gpu"))
            digests.update(re.findall(r"plans of profile ([0-9a-f]{16})$", said, re.M))
        self.assertEqual(len(digests), 1, digests)

    def test_tell_their_profile(self):
        said = self.together(LARGE, DUOBLAS_SUMMARY="1", DUOBLAS_DEVICE="0")
        digests = set(re.findall(r"plans of profile ([0-9a-f]{16})$|(no profile)$", said, re.M))
        self.assertEqual(len(digests), 1, said)


class Summary(Ranks):
    def tables(self, said):
        return re.findall(r"^duoblas: the matrix products of \w+, (.*)$", said, re.M)

    def dgemms(self, said):
        return [int(calls) for calls in re.findall(r"^dgemm +(\d+) ", said, re.M)]

    def test_is_one_table_for_a_host(self):
        said = self.together(SMALL, LARGE, of=3, DUOBLAS_SUMMARY="1", **FORCED)
        self.assertEqual(len(self.tables(said)), 1, said)
        self.assertIn("3 ranks on ", self.tables(said)[0])
        self.assertEqual(self.dgemms(said), [6])
        self.assertRegex(said, r"(?m)^ranks 0, 1, 2: device \d+, .*, which up to 3 ranks share; \d+ of the cores; ")

    def test_is_each_ranks_where_that_is_asked_for(self):
        said = self.together(SMALL, DUOBLAS_SUMMARY="rank", **FORCED)
        self.assertEqual(self.dgemms(said), [1, 1])
        self.assertEqual(len(re.findall(r"^rank [01]: device ", said, re.M)), 2, said)

    def test_is_not_missing_because_of_a_rank_that_computes_nothing_or_is_killed(self):
        killed = self.start(1, 3, SMALL, f"for-ms:100000:{SMALL}", DUOBLAS_SUMMARY="1", **FORCED)
        self.assertEqual(killed.stdout.readline(), "dgemm_small right\n")
        idle = self.start(2, 3, DUOBLAS_SUMMARY="1", **FORCED)
        idle_said, = self.said(idle)
        self.assertEqual(idle_said, "")
        killed.kill()
        killed.wait()
        said, = self.said(self.start(0, 3, SMALL, DUOBLAS_SUMMARY="1", **FORCED))
        self.assertEqual(self.dgemms(said), [1])

    def test_has_nothing_of_a_job_of_the_same_name_that_was_ended(self):
        killed = self.start(1, 2, SMALL, f"for-ms:100000:{SMALL}", DUOBLAS_SUMMARY="1", **FORCED)
        self.assertEqual(killed.stdout.readline(), "dgemm_small right\n")
        said, = self.said(self.start(0, 2, SMALL, DUOBLAS_SUMMARY="1", **FORCED))
        self.assertEqual(said, "", "the other rank was to tell")
        killed.kill()
        # It stays a zombie for now, as where its launcher was killed too.
        os.waitid(os.P_PID, killed.pid, os.WEXITED | os.WNOWAIT)
        said = self.together(SMALL, DUOBLAS_SUMMARY="1", **FORCED)
        self.assertEqual(self.dgemms(said), [2])

    def test_is_each_ranks_where_one_that_was_stopped_has_the_jobs_file(self):
        end = self.folder + "/end"
        other = self.start(1, 2, SMALL, "wait:" + end, DUOBLAS_SUMMARY="1", **FORCED)
        self.assertEqual(other.stdout.readline(), "dgemm_small right\n")
        with open(self.file_of(other), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            said, = self.said(self.start(0, 2, SMALL, DUOBLAS_SUMMARY="1", **FORCED))
        self.assertEqual(self.dgemms(said), [1])
        with open(end, "w", encoding="utf-8"):
            pass
        self.assertEqual(self.dgemms(self.said(other)[0]), [1])

    def file_of(self, process):
        """The job's, in which a rank has its process."""
        file, = (path for path in glob.glob("/dev/shm/duoblas-*")
                 if str(process.pid) in text_of(path).split("\n")[0].split())
        return file

    def path_of_job(self):
        """Where the job's file is while it runs."""
        end = self.folder + "/end-of-first"
        rank = self.start(0, 2, SMALL, "wait:" + end, DUOBLAS_SUMMARY="1", **FORCED)
        self.assertEqual(rank.stdout.readline(), "dgemm_small right\n")
        path = self.file_of(rank)
        with open(end, "w", encoding="utf-8"):
            pass
        self.said(rank)
        self.assertFalse(os.path.exists(path))
        return path

    def test_is_each_ranks_where_somebody_put_something_else_in_the_place_of_the_jobs_file(self):
        path, own = self.path_of_job(), "/dev/shm/a-file-of-" + os.path.basename(self.folder)

        def write(where):
            with open(where, "w", encoding="utf-8") as file:
                file.write("not to be touched\n")

        def of_another(where):
            write(where)
            os.chown(where, 65534, 65534)
            os.chmod(where, 0o666)

        planted = {"a folder": os.mkdir, "a pipe": os.mkfifo, "a link to a file": lambda where: os.symlink(own, where),
                   "a file's second name": lambda where: os.link(own, where)}
        if os.geteuid() == 0:
            planted["another user's file"] = of_another
        write(own)
        self.addCleanup(os.remove, own)
        for what, plant in planted.items():
            with self.subTest(what):
                plant(path)
                try:
                    said = self.together(SMALL, DUOBLAS_SUMMARY="1", **FORCED)
                    self.assertEqual(self.dgemms(said), [1, 1], said)
                    self.assertTrue(os.path.lexists(path))
                    if os.path.isfile(path):
                        self.assertEqual(text_of(path), "not to be touched\n")
                finally:
                    (os.rmdir if os.path.isdir(path) else os.remove)(path)
                self.assertEqual(text_of(own), "not to be touched\n")

    def test_has_nothing_of_a_file_that_was_damaged(self):
        path = self.path_of_job()
        for damaged in (b"\0" * 5000, b"no numbers\n1e999 nan -3\n7 a rank\n", b"-1 0\n" + b"9" * 100000,
                        os.urandom(3000)):
            with self.subTest(damaged[:10]):
                with open(path, "wb") as file:
                    file.write(damaged)
                said = self.together(SMALL, DUOBLAS_SUMMARY="1", **FORCED)
                self.assertEqual(self.dgemms(said), [2], said)
                self.assertFalse(os.path.exists(path))

    def test_leaves_no_file(self):
        path = self.path_of_job()  # other jobs of this machine have files of their own
        said = self.together(SMALL, DUOBLAS_SUMMARY="1", **FORCED)
        self.assertEqual(self.dgemms(said), [2], said)
        self.assertFalse(os.path.lexists(path))


if __name__ == "__main__":
    unittest.main()
