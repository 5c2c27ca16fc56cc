"""What tuning and calls left behind, removed where it is of no use any more, and only then."""
import contextlib
import fcntl
import json
import os
import pty
import shutil
import struct
import subprocess
import tempfile
import unittest

from command import COMMAND, CommandTest

FNV, SECOND = 0xcbf29ce484222325, 0x6a09e667f3bcc908


def fnv1a(data, state):
    for byte in data:
        state = ((state ^ byte) * 0x100000001b3) % 2**64
    return state


def put_in_cache(folder, key, content, damage=False):
    """A file as src/opencl/cache_file.cpp stores it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{fnv1a(key, FNV):016x}{fnv1a(key, SECOND):016x}.bin"
    checksum = fnv1a(content, FNV) ^ (1 if damage else 0)
    path.write_bytes(b"DUOBIN01" + struct.pack("<QQQ", len(key), len(content), checksum) + key + content)
    path.chmod(0o600)
    return path


def hash_of(text):
    """How a key names a profile's text (cache_file_name)."""
    return f"{fnv1a(text, FNV):016x}{fnv1a(text, SECOND):016x}.bin"


def put_list(folder, name):
    """As src/dropin/engine/listed_program.cpp writes it."""
    path = folder / name
    path.write_text("0123456789abcdef\n")
    path.chmod(0o600)
    return path


def verdict(device, driver, when):
    return (f"device {device}\ndriver {driver}\nkernel k\nverified_at {when}\nfailed_at 0\nfailures 0\n"
            "checked 0\nfailure \n").encode()


class Purge(CommandTest):
    def setUp(self):
        super().setUp()
        own = tempfile.TemporaryDirectory()
        self.addCleanup(own.cleanup)
        self.cache = own
        self.kernels = self.folder.__class__(own.name)

    def tuned(self):
        """With its verdicts on kernels."""
        document = super().tuned()
        shutil.copytree(CommandTest.cache.name, self.cache.name, dirs_exist_ok=True)
        return document

    def imported(self, profile, **key):
        """This profile as another machine's, under the name that it has then."""
        changed = json.loads(json.dumps(profile))
        changed["key"].update(key)
        file = self.folder / "changed.json"
        file.write_text(json.dumps(changed))
        before = set(self.profiles.iterdir())
        self.duoblas("profile", "import", str(file))
        return (set(self.profiles.iterdir()) - before).pop()

    def test_shows_and_removes_profiles_and_journals_that_fit_nothing_here(self):
        tuned = self.tuned()
        path = self.profiles / tuned["path"]
        journal = path.with_suffix(".journal")
        absent = self.imported(tuned["profile"], device="NVIDIA H9")
        other_driver = self.imported(tuned["profile"], driver="Portable Computing Language 0.1")
        damaged = self.profiles / "device-0123456789abcdef.json"
        damaged.write_text("{")
        aside = self.profiles / "device-0123456789abcdef.journal.old.2"
        aside.write_text("")
        unusable = self.profiles / "device-0123456789abcdef.json.unusable"
        unusable.write_text("")
        of_routine = self.profiles / "device-0123456789abcdef.gemv.journal.old.2"
        of_routine.write_text("")
        strangers = [self.profiles / name for name in
                     ("mine.json", "device-0123456789abcdef.txt", "device-0123456789abcdeg.json",
                      "device-0123456789abcdef.trsm.journal")]
        for stranger in strangers:
            stranger.write_text("{")
        going = [absent, other_driver, damaged, aside, unusable, of_routine]
        shown = self.duoblas("profile", "purge", "--dry-run").stdout
        self.assertIn("Would remove 6 files", shown)
        for file in going:
            self.assertIn(str(file), shown)
            self.assertTrue(file.exists())
        self.assertIn("its device is not here: NVIDIA H9", shown)
        self.assertIn("of another driver: Portable Computing Language 0.1", shown)
        self.assertIn("kept aside by a later tuning", shown)
        self.assertNotIn(str(path), shown)
        self.assertIn("Removed 6 files", self.duoblas("profile", "purge", "--yes").stdout)
        self.assertFalse(any(file.exists() for file in going))
        self.assertTrue(all(file.exists() for file in [path, journal, *strangers]))
        self.assertIn("Nothing to remove", self.duoblas("profile", "purge", "--yes").stdout)
        self.assertEqual(json.loads(self.duoblas("profile", "show").stdout), tuned["profile"])

    def by_integers(self, profile):
        """A profile of doubles by integers of this machine, with the points of this one."""
        kernel = self.json_of("kernel", "--precision", "d", FP64="integers")["params"]
        changed = json.loads(json.dumps(profile))
        for point in changed["points"]:
            point.update(precision="d", uses={})
            for way in ("hybrid", "simple", "gpu"):
                point[way]["kernel"] = kernel
        return self.imported(changed, arithmetic="integers")

    def test_leaves_the_profiles_of_both_arithmetics_whichever_is_set(self):
        tuned = self.tuned()
        integers = self.by_integers(tuned["profile"])
        self.assertIn("-integers-", integers.name)
        names = [hash_of(file.read_bytes()) for file in (self.profiles / tuned["path"], integers)]
        device, driver = tuned["profile"]["key"]["device"], tuned["profile"]["key"]["driver"]
        learned = {}
        for of in (f"{names[0]} {names[1]}", f"{names[0]} gone"):
            key = f"calls of DuoBLAS\n0.1.0\n{device}\n{driver}\n{of}\no".encode()
            learned[of] = put_in_cache(self.kernels / "learned", key, b"times")
        for settings in ({}, {"FP64": "integers"}):
            shown = self.duoblas("profile", "purge", "--dry-run", **settings).stdout
            self.assertIn("Would remove 1 file", shown)
            self.assertIn("of a profile that is not there any more", shown)
            listed = self.json_of("profile", "list", **settings)["profiles"]
            self.assertEqual({profile["arithmetic"]: profile["match"] for profile in listed},
                             {"native": "exact", "integers": "exact"})
        self.duoblas("profile", "purge", "--yes")
        self.assertTrue(integers.exists())
        self.assertEqual([file.exists() for file in learned.values()], [True, False])

    def test_leaves_what_stands_in_for_a_device_that_was_not_tuned(self):
        tuned = self.tuned()
        other_driver = self.imported(tuned["profile"], driver="Portable Computing Language 0.1")
        os.remove(self.profiles / tuned["path"])
        self.duoblas("profile", "purge", "--yes")
        self.assertTrue(other_driver.exists())

    def test_asks_on_a_terminal_and_says_what_to_do_without_one(self):
        self.profiles.mkdir()
        damaged = self.profiles / "device-0123456789abcdef.json"
        damaged.write_text("{")
        refused = self.duoblas("profile", "purge", expect=2)
        self.assertIn("--yes", refused.stderr)
        self.assertTrue(damaged.exists())

        def answer(text):
            leader, follower = pty.openpty()
            os.write(leader, text)
            with subprocess.Popen([COMMAND, "profile", "purge"], env=self.environment(), stdin=follower,
                                  stdout=follower, stderr=subprocess.DEVNULL) as process:
                self.assertEqual(process.wait(self.patience), 0)
            os.close(follower)
            said = b""
            # A terminal hands over what it has, which can be less than all; at the end it fails.
            with contextlib.suppress(OSError):
                while part := os.read(leader, 1 << 16):
                    said += part
            os.close(leader)
            return said.decode()

        self.assertIn("Nothing was removed", answer(b"n\n"))
        self.assertTrue(damaged.exists())
        self.assertIn("Removed 1 file", answer(b"y\n"))
        self.assertFalse(damaged.exists())

    def test_waits_for_no_tuning_and_takes_nothing_from_one(self):
        self.profiles.mkdir()
        damaged = self.profiles / "device-0123456789abcdef.json"
        damaged.write_text("{")
        with open(str(damaged) + ".lock", "w", encoding="utf-8") as lock:
            os.chmod(lock.name, 0o600)
            fcntl.flock(lock, fcntl.LOCK_EX)
            ran = self.duoblas("profile", "purge", "--yes", expect=1)
            self.assertIn("a tuning of its machine is under way", ran.stderr)
            self.assertTrue(damaged.exists())
        self.duoblas("profile", "purge", "--yes")
        self.assertFalse(damaged.exists())

    def test_removes_what_the_cache_has_of_other_devices_and_what_is_damaged(self):
        tuned = self.tuned()
        device, driver = tuned["profile"]["key"]["device"], tuned["profile"]["key"]["driver"]
        verdicts = self.kernels / "verdicts"
        fitting = set(verdicts.glob("*.bin"))
        self.assertTrue(fitting)
        gone = b"NVIDIA CUDA\0NVIDIA H9\0999.1\0OpenCL 3.0 CUDA\0\0-DX\0source\0"
        old = b"Portable Computing Language\0" + device.encode() + b"\0000.1\0OpenCL 1.2\0\0-DX\0source\0"
        going = [
            put_in_cache(self.kernels, gone, b"binary"),
            put_in_cache(self.kernels, old, b"binary"),
            put_in_cache(self.kernels, b"whatever", b"binary", damage=True),
            put_in_cache(verdicts, b"covering products 1\0" + gone, verdict("NVIDIA H9", "CUDA 999.1", 1)),
            put_in_cache(verdicts, b"covering products 1\0" + old, verdict(device, driver, 1)),
            put_in_cache(self.kernels / "learned", b"0123456789abcdef0123456789abcdef.bin", b"times"),
            put_in_cache(self.kernels / "learned", b"calls of DuoBLAS\n0.1.0\nNVIDIA H9\nCUDA\np\no", b"times"),
            put_in_cache(self.kernels / "learned",
                         f"calls of DuoBLAS\n0.1.0\n{device}\n{driver}\nof another profile\no".encode(), b"times"),
            put_in_cache(self.kernels / "machine", f"device\n{os.uname().nodename}\nearlier boot\n".encode(), b"d"),
            put_in_cache(self.kernels / "programs", b"whatever", b"salt", damage=True),
            put_list(self.kernels / "programs", "at-start.12"),
        ]
        os.utime(going[-1], (1, 1))
        staying = [
            put_in_cache(self.kernels / "programs", b"what programs had for the device", b"salt"),
            put_list(self.kernels / "programs", "at-start"),
            put_list(self.kernels / "programs", "at-start.34"),
            put_list(self.kernels / "programs", "0123456789abcdef" * 2 + ".bin.lock"),
            put_in_cache(self.kernels / "machine", b"device\nanother host\nits boot\n", b"device"),
            self.kernels / "not ours.bin",
        ]
        staying[-1].write_text("x")
        shown = self.duoblas("profile", "purge", "--dry-run").stdout
        self.assertIn(f"Would remove {len(going)} files", shown)
        for why in ("its device is not here: NVIDIA H9", "damaged", "of another version of DuoBLAS",
                    "of a profile that is not there any more", "of an earlier boot"):
            self.assertIn(why, shown)
        self.duoblas("profile", "purge", "--yes")
        self.assertFalse([str(file) for file in going if file.exists()])
        self.assertTrue(all(file.exists() for file in staying))
        self.assertTrue(fitting <= set(verdicts.glob("*.bin")))

    def test_removes_all_of_ours_where_it_is_told_to(self):
        self.tuned()
        stranger = self.profiles / "mine.json"
        stranger.write_text("{")
        programs = self.kernels / "programs"
        put_in_cache(programs, b"what programs had for the device", b"salt")
        put_list(programs, "at-start")
        self.duoblas("profile", "purge", "--all", "--yes")
        self.assertEqual(list(self.profiles.iterdir()), [stranger])
        self.assertEqual(list(programs.iterdir()), [])
        left = [file for file in self.kernels.rglob("*.bin")]
        self.assertEqual(left, [])
        self.assertIn("not there yet", self.duoblas("profile", "path").stderr)

    def test_finds_nothing_where_there_is_nothing(self):
        self.assertIn("Nothing to remove: 0 files fit", self.duoblas("profile", "purge").stdout)


if __name__ == "__main__":
    unittest.main()
