// On made-up trees of /sys and /etc, and programs of the system and made-up ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "cli/doctor/trouble.hpp"
#include "cli/needed_libraries.hpp"
#include "cpu/core_type.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "profile/profile.hpp"
#include "support/temporary_directory.hpp"
#include "support/tuned_machine.hpp"

namespace duoblas::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace fs = std::filesystem;

// "what -> mend", a line each.
std::vector<std::string> lines_of(const std::vector<Trouble>& troubles) {
  std::vector<std::string> lines;
  for (const Trouble& trouble : troubles) lines.push_back(trouble.what + " -> " + trouble.mend);
  return lines;
}

class Doctor : public ::testing::Test {
 protected:
  fs::path write(const fs::path& path, const std::string& text, mode_t mode = 0644) {
    fs::create_directories((root() / path).parent_path());
    std::ofstream(root() / path) << text;
    EXPECT_EQ(::chmod((root() / path).c_str(), mode), 0);
    return root() / path;
  }
  std::vector<std::string> program(const std::string& name) {
    return lines_of(unreached_program(name, std::getenv("PATH")));
  }
  fs::path root() const { return folder_.path(); }

 private:
  test::TemporaryDirectory folder_;
};

TEST_F(Doctor, NamesVariablesThatDoNothing) {
  EXPECT_THAT(lines_of(unknown_variables({{"DUOBLAS_STRATEGY", "gpu"},
                                          {"DUOBLAS_STRATGY", "gpu"},
                                          {"DUOBLAS_TEST_TURN", "3"},
                                          {"OMP_NUM_THREADS", "2"}})),
              ElementsAre(HasSubstr("DUOBLAS_STRATGY=gpu does nothing")));
}

TEST_F(Doctor, NamesLimitsOfThreadsThatAreBelowTheCores) {
  EXPECT_THAT(
      lines_of(thread_limits({{"OMP_NUM_THREADS", "1"}, {"OPENBLAS_NUM_THREADS", "8"}}, 8, root())),
      ElementsAre("OMP_NUM_THREADS=1 leaves the CPU side 1 of 8 cores -> "
                  "unset OMP_NUM_THREADS"));
  EXPECT_THAT(thread_limits({{"OMP_NUM_THREADS", "4,2"}}, 4, root()), IsEmpty());
}

TEST_F(Doctor, NamesAContainersQuota) {
  write("proc/self/cgroup", "0::/box\n");
  write("sys/fs/cgroup/box/cpu.max", "150000 100000\n");
  EXPECT_THAT(lines_of(thread_limits({}, 8, root())),
              ElementsAre(HasSubstr("may use the time of 2 of 8 cores")));
  EXPECT_THAT(thread_limits({}, 2, root()), IsEmpty());
}

TEST_F(Doctor, NamesCoreTypesThatAreSlow) {
  const SlowChoice slow{"/lib/libopenblas.so", "Prescott", "SkylakeX", 5};
  EXPECT_THAT(lines_of(core_types({}, {slow})),
              ElementsAre(HasSubstr("takes core type Prescott where SkylakeX was 5.00 times")));
  // Who chose is told of that alone.
  const Environment chosen{{"OPENBLAS_CORETYPE", "Prescott"}};
  const std::string better = better_core_type("Prescott", vector_extensions());
  if (better.empty())
    EXPECT_THAT(core_types(chosen, {slow}), IsEmpty());
  else
    EXPECT_THAT(lines_of(core_types(chosen, {slow})),
                ElementsAre(HasSubstr("export OPENBLAS_CORETYPE=" + better)));
}

TEST_F(Doctor, NamesFoldersThatCannotBeWritten) {
  Settings settings;
  settings.cache_dir = root() / "not" / "there" / "yet";
  write("file", "");
  settings.profile_dir = root() / "file" / "below";
  const std::string file = (root() / "file").string();
  EXPECT_THAT(lines_of(unwritable_folders(settings)),
              ElementsAre(AllOf(HasSubstr("since " + file + " is no folder: no tuning can be"),
                                HasSubstr("-> export DUOBLAS_PROFILE_DIR="))));
  settings.profile_dir.clear();
  EXPECT_THAT(lines_of(unwritable_folders(settings)), ElementsAre(HasSubstr("HOME")));
}

TEST_F(Doctor, LeavesFoldersAboveAMissingOneAsTheyAre) {
  const fs::path closed = root() / "closed", missing = closed / "not" / "there";
  fs::create_directory(closed);
  ASSERT_EQ(::chmod(closed.c_str(), 0555), 0);
  if (::access(closed.c_str(), W_OK) == 0) return;  // root may
  Settings settings;
  settings.cache_dir = root();
  settings.profile_dir = missing;
  EXPECT_THAT(lines_of(unwritable_folders(settings)),
              ElementsAre(AllOf(HasSubstr("since " + closed.string() + " cannot be written to"),
                                HasSubstr("-o $USER " + missing.string() + "  "))));
}

TEST_F(Doctor, NamesACacheThatOthersMayWrite) {
  Settings settings;
  settings.profile_dir = root();
  settings.cache_dir = root() / "cache";
  fs::create_directory(root() / "cache");
  ASSERT_EQ(::chmod((root() / "cache").c_str(), 0777), 0);
  EXPECT_THAT(lines_of(unwritable_folders(settings)), ElementsAre(HasSubstr("chmod go-w ")));
}

TEST_F(Doctor, NamesIcdFilesWhoseLibraryIsNotThere) {
  write("vendors/good.icd", write("libgood.so", "").string() + "\n");
  write("vendors/c.icd", "libc.so.6\n");
  write("vendors/gone.icd", "/nowhere/libgone.so\n");
  write("vendors/readme.txt", "nothing\n");
  EXPECT_THAT(lines_of(dangling_icd_files(root() / "vendors")),
              ElementsAre(HasSubstr("gone.icd names /nowhere/libgone.so, which is not there")));
  const auto empty = write("empty.icd", "");
  EXPECT_THAT(lines_of(dangling_icd_files(empty)), ElementsAre(HasSubstr("names no library")));
}

TEST_F(Doctor, SaysNothingOfVendorsThatAreNotThereOrNoIcdFile) {
  EXPECT_THAT(dangling_icd_files(root() / "vendors"), IsEmpty());
  EXPECT_THAT(dangling_icd_files(write("libOpenCL.so", "")), IsEmpty());
  EXPECT_THAT(dangling_icd_files(""), IsEmpty());
}

// On paper: without doubles, and tuned for products of them by integers that take so long.
std::vector<std::string> lines_without_doubles(double gpu_ms, Fp64Mode mode = Fp64Mode::automatic,
                                               const std::string& platform = "Paper") {
  PlanMachine machine = test::paper_machine();
  machine.device = {};
  machine.device.max_work_group_size = 1024;
  machine.device.local_memory_bytes = 48 << 10;
  machine.device.max_allocation_bytes = std::size_t{1} << 34;
  machine.device.has_fp64 = machine.device.fma_double = false;
  machine.device.doubles_by_integers = mode != Fp64Mode::native;
  machine.profile.reset();
  machine.costs.reset();
  if (gpu_ms > 0) {
    Profile profile = test::paper_profile();
    profile.key.arithmetic = Arithmetic::integers;
    profile.points = {test::paper_point(Precision::d, 2048, 100, gpu_ms, 0.9 * gpu_ms)};
    TunedPoint& point = profile.points.back();
    point.gpu.kernel = point.hybrid.kernel = integers_kernel(machine.device);
    machine.by_integers.use(profile);
  }
  cl::DeviceInfo device;
  device.name = "Paper";
  device.platform = platform;
  device.has_fp64 = mode == Fp64Mode::integers;
  return lines_of(lack_of_doubles(device, mode, machine));
}

TEST_F(Doctor, OfADeviceWithoutDoublesNamesWhatIsToBeDoneForThem) {
  const double untuned = 0, fast = 50, slow = 5000;
  const auto is_told = [](const std::string& what, const std::string& mend) {
    return ElementsAre(AllOf(HasSubstr(what), HasSubstr("-> " + mend)));
  };
  EXPECT_THAT(lines_without_doubles(fast), IsEmpty());
  EXPECT_THAT(lines_without_doubles(untuned), is_told("not tuned", "duoblas tune"));
  EXPECT_THAT(lines_without_doubles(slow), is_told("CPU is faster", "use single precision"));
  EXPECT_THAT(lines_without_doubles(fast, Fp64Mode::native),
              is_told("FP64=native", "unset DUOBLAS_FP64"));
  EXPECT_THAT(lines_without_doubles(fast, Fp64Mode::integers), IsEmpty());
  EXPECT_THAT(lines_without_doubles(untuned, Fp64Mode::integers),
              is_told("not tuned", "duoblas tune    # or unset DUOBLAS_FP64"));
  EXPECT_THAT(lines_without_doubles(untuned, Fp64Mode::automatic, "rusticl"),
              ElementsAre(AllOf(HasSubstr("-> duoblas tune"), HasSubstr("RUSTICL_FEATURES=fp64"))));
}

TEST_F(Doctor, NamesAProfileOfAnOlderVersion) {
  const auto of_version = [&](const std::string& version) {
    return lines_of(old_profile(write("profile.json", "{\"version\": " + version + "}")));
  };
  EXPECT_THAT(of_version("9"), ElementsAre(AllOf(HasSubstr("older DuoBLAS (version 9 of the file"),
                                                 HasSubstr("-> duoblas tune"))));
  EXPECT_THAT(of_version(std::to_string(Profile::current_version)), IsEmpty());
  // What cannot be read has a trouble of its own.
  for (const char* unknown : {"3", "1000", "\"9\"", "[9]", "nine"})
    EXPECT_THAT(of_version(unknown), IsEmpty());
  EXPECT_THAT(old_profile(root() / "none.json"), IsEmpty());
  EXPECT_THAT(old_profile(root()), IsEmpty());
}

TEST_F(Doctor, NamesWhatSavesPower) {
  EXPECT_THAT(power_troubles(root()), IsEmpty());
  write("sys/firmware/acpi/platform_profile", "low-power\n");
  write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  const auto driver = [&](const std::string& name) {
    write("sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", name + "\n");
  };
  driver("intel_pstate");
  write("sys/class/power_supply/BAT0/type", "Battery\n");
  write("sys/class/power_supply/BAT0/status", "Discharging\n");
  EXPECT_THAT(lines_of(power_troubles(root())),
              ElementsAre(HasSubstr("powerprofilesctl"), HasSubstr("battery")));
  driver("acpi-cpufreq");
  write("sys/firmware/acpi/platform_profile", "balanced\n");
  write("sys/class/power_supply/BAT0/scope", "Device\n");  // of a mouse
  EXPECT_THAT(lines_of(power_troubles(root())), ElementsAre(HasSubstr("governor is powersave")));
}

TEST_F(Doctor, SaysNothingOfProgramsThatAreReached) {
  EXPECT_THAT(program("sh"), IsEmpty());
  EXPECT_THAT(program(write("script", "#!/usr/bin/env -S X=1 sh\n", 0755)), IsEmpty());
}

TEST_F(Doctor, NamesProgramsThatAreNotReached) {
  std::ifstream shell("/bin/sh", std::ios::binary);
  const std::string dynamic{std::istreambuf_iterator<char>(shell), {}};
  EXPECT_THAT(program("no-such-program"), ElementsAre(HasSubstr("is not there")));
  EXPECT_THAT(program(write("static",
                            "\x7f"
                            "ELF without a loader",
                            0755)),
              ElementsAre(HasSubstr("is static")));
  EXPECT_THAT(program(write("gonum",
                            "\x7f"
                            "ELF \xff Go buildinf: 1",
                            0755)),
              ElementsAre(HasSubstr("is static, as programs of Go are")));
  for (const char* variable : {"OPENBLAS_CORETYPE", "OPENBLAS_BLOCK_FACTOR"})
    EXPECT_THAT(program(write("inside", dynamic + variable, 0755)),
                ElementsAre(HasSubstr("has OpenBLAS inside")));
  EXPECT_THAT(program(write("rusty", dynamic + "/rustc/1234/library", 0755)),
              ElementsAre(HasSubstr("is a program of Rust without a BLAS")));
  EXPECT_THAT(program(write("text", "words", 0755)), ElementsAre(HasSubstr("no program of Linux")));
}

TEST_F(Doctor, RunsNoCodeThatAProgramNames) {
  std::ifstream shell("/bin/sh", std::ios::binary);
  const std::string dynamic{std::istreambuf_iterator<char>(shell), {}};
  const std::string loader = loader_of("/bin/sh").value();
  EXPECT_TRUE(system_loader(loader));
  for (const std::string& other : {write("ld-linux.so.2", dynamic, 0755).string(),
                                   "/lib/.." + (root() / "ld-linux.so.2").string(),
                                   std::string("/bin/sh"), loader.substr(1), std::string()})
    EXPECT_FALSE(system_loader(other)) << other;
  std::string with_own = dynamic + "/rustc/1234/library";
  std::string own = "/bin/cat";
  own.resize(loader.size());
  with_own.replace(with_own.find(loader), loader.size(), own);
  const auto is_told = ElementsAre(HasSubstr("its libraries were not looked at"));
  EXPECT_THAT(program(write("with-own", with_own, 0755)), is_told);
  const decltype(ElfW(Dyn)::d_tag) tag = DT_AUDIT;
  const std::string audit(reinterpret_cast<const char*>(&tag), sizeof tag);
  EXPECT_THAT(program(write("audited", dynamic + "/rustc/1234/library" + audit, 0755)), is_told);
}

// Only root can make a program of another user's.
TEST_F(Doctor, NamesProgramsThatGiveRightsToWhomeverHasThemNot) {
  std::ifstream shell("/bin/sh", std::ios::binary);
  const fs::path program_of_other =
      write("privileged", {std::istreambuf_iterator<char>(shell), {}}, 04755);
  EXPECT_THAT(program(program_of_other), IsEmpty());
  constexpr uid_t nobody = 65534;
  if (::chown(program_of_other.c_str(), nobody, nobody) != 0) return;
  ASSERT_EQ(::chmod(program_of_other.c_str(), 04755), 0);
  const auto is_told = ElementsAre(HasSubstr("privileged is set-user-ID"));
  EXPECT_THAT(program(program_of_other), is_told);
  EXPECT_THAT(program(write("script", "#!" + program_of_other.string() + " -x\n", 0755)), is_told);
}

}  // namespace
}  // namespace duoblas::cli
