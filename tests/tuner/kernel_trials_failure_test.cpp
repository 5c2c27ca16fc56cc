// Where kernels cannot be tried at all, and where the process that tries them ends.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <thread>

#include <duoblas/error.hpp>

#include "kernel_space/gemv_kernel.hpp"
#include "tuner/gemv_trials.hpp"
#include "tuner/kernel_trials_case.hpp"

namespace duoblas::test {
namespace {

namespace fs = std::filesystem;

class KernelTrialsFailureTest : public KernelTrialsCase {
 protected:
  // The error's text; a verdict would be a failure.
  std::string error_of(const KernelTrialOptions& options) const {
    try {
      KernelTrials(options).try_all(jobs({computes}));
      ADD_FAILURE() << "it gave a verdict";
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }
  std::string error_with_helper(const std::string& helper) const {
    KernelTrialOptions given = options();
    given.helper_program = helper;
    given.processes = 2;
    return error_of(given);
  }
};

#define EXPECT_SAYS(text, part) \
  EXPECT_NE(std::string(text).find(part), std::string::npos) << std::string(text)

TEST_F(KernelTrialsFailureTest, AMissingHelperIsNamed) {
  EXPECT_SAYS(error_with_helper("/nonexistent/duoblas"), "/nonexistent/duoblas");
  EXPECT_SAYS(error_with_helper(""), "cannot start");
}

TEST_F(KernelTrialsFailureTest, AHelperThatTriesNoKernelsIsNamed) {
  EXPECT_SAYS(error_with_helper("/bin/true"), "/bin/true does not try kernels: it exited");
  EXPECT_SAYS(error_with_helper("/bin/false"), "exited with code 1");
  EXPECT_SAYS(error_with_helper(script("explains", "echo its own words >&2; exit 2")),
              "exited with code 2: its own words");
}

TEST_F(KernelTrialsFailureTest, AHelperThatTalksNonsenseIsNamed) {
  for (const char* body : {"exec cat", "exec yes", "exec cat /dev/zero", "echo '{}'; sleep 1000",
                           "echo '{\"say\": \"verdict\"}'; sleep 1000"})
    EXPECT_SAYS(error_with_helper(script("nonsense", body)), "answers what cannot be read") << body;
  EXPECT_SAYS(error_with_helper(script("begins", "echo '{\"say\": \"begun\"}'; sleep 1000")),
              "answers out of turn");
}

TEST_F(KernelTrialsFailureTest, AHelperThatSaysNothingIsNotWaitedForForEver) {
  KernelTrialOptions silent = options();
  silent.helper_program = script("silent", "sleep 1000");
  silent.opening_seconds = 0.5;
  EXPECT_SAYS(error_of(silent), "not opened within 0.5 s");
}

TEST_F(KernelTrialsFailureTest, ADeviceThatCannotBeOpenedIsNoFaultOfTheKernel) {
  KernelTrialOptions none = options();
  none.settings.standin = false;
  none.settings.device = "no such device";
  EXPECT_SAYS(error_of(none), "no such device");
}

TEST_F(KernelTrialsFailureTest, ACpuBlasThatCannotBeLoadedIsNoFaultOfTheKernel) {
  KernelTrialOptions none = options();
  none.settings.cpu_blas = "/nonexistent/libblas.so";
  EXPECT_SAYS(error_of(none), "/nonexistent/libblas.so");
}

// A verdict would be kept, and the kernel never tried again.
TEST_F(KernelTrialsFailureTest, ADriverThatBuildsNothingIsNoFaultOfTheKernel) {
  EXPECT_SAYS(error_with_helper(helper_with("full", "fail clBuildProgram -")),
              "the driver builds no kernel at all just now");
}

// Such a kernel would end this tuning, and each later one at the same place: nothing builds after
// it.
TEST_F(KernelTrialsFailureTest, AKernelThatBreaksTheCompilerCostsNoOther) {
  KernelTrialOptions broken = options();
  const std::string option = " - -DTILE_ROWS=" + std::to_string(computes_wrong);
  broken.helper_program = helper_with("broken", "break clBuildProgram" + option);
  KernelTrials trials(broken);
  const auto verdicts = trials.try_all(jobs({computes, computes_wrong, computes, computes_wrong}));
  EXPECT_EQ(names(verdicts), (std::vector<std::string>{"right", "refused", "right", "refused"}));
  EXPECT_SAYS(verdicts[1].why, "after this kernel, and only then, the driver builds no kernel");
  EXPECT_EQ(verdicts[3].why, verdicts[1].why);
  // A recording of the tuning takes a kernel that cost no time for one that builds.
  EXPECT_GT(verdicts[1].seconds, 0);
}

TEST_F(KernelTrialsFailureTest, ARoutinesKernelThatBreaksTheCompilerCostsNoOther) {
  KernelTrialOptions broken = options();
  broken.helper_program = helper_with("broken", "break clBuildProgram - -DUNROLL=2");
  GemvTrials trials(broken);
  GemvKernel kernel = default_gemv_kernel({}, Precision::s, false);
  const auto verdict = [&](int unroll) {
    kernel.unroll = unroll;
    return trials.verdict(gemv_kernel_text(Precision::s, false, kernel), 256);
  };
  EXPECT_EQ(verdict(1).verdict, Verdict::right);
  const KernelVerdict breaks = verdict(2);
  EXPECT_EQ(breaks.verdict, Verdict::refused);
  EXPECT_SAYS(breaks.why, "after this kernel, and only then, the driver builds no kernel");
  EXPECT_EQ(verdict(1).verdict, Verdict::right);
}

TEST_F(KernelTrialsFailureTest, AKernelThatAbortsTheCompilerCostsNoOther) {
  KernelTrialOptions aborts = options();
  const std::string option = " - -DTILE_ROWS=" + std::to_string(computes_wrong);
  aborts.helper_program = helper_with("aborts", "crash clBuildProgram" + option);
  KernelTrials trials(aborts);
  EXPECT_EQ(names(trials.try_all(jobs({computes, computes_wrong, computes}))),
            (std::vector<std::string>{"right", "crashed", "right"}));
}

// A device that only one process may open, and only once.
TEST_F(KernelTrialsFailureTest, OneChildIsEnoughAndWhatItFoundOutIsHeard) {
  KernelTrialOptions exclusive = options();
  exclusive.processes = 2;
  exclusive.helper_program =
      script("exclusive", "mkdir " + (directory_ / "opened") + " || exit 1\nexec " +
                              fs::read_symlink("/proc/self/exe").string() + " \"$@\"");
  KernelTrials trials(exclusive);
  std::vector<std::string> heard;
  const auto hear = [&](std::size_t, const KernelVerdict& v) {
    heard.emplace_back(name(v.verdict));
  };
  EXPECT_EQ(names(trials.try_all(jobs({computes, does_not_build, computes}), hear)),
            (std::vector<std::string>{"right", "refused", "right"}));
  std::ranges::sort(heard);
  EXPECT_EQ(heard, (std::vector<std::string>{"refused", "right", "right"}));
  // After a wrong kernel the next gets a new child, and there is none to be had: whichever job the
  // one child took, its verdict is the only one.
  heard.clear();
  EXPECT_THROW(trials.try_all(jobs({computes_wrong, computes_wrong}), hear), Error);
  EXPECT_EQ(heard, std::vector<std::string>{"wrong"});
}

TEST_F(KernelTrialsFailureTest, SenselessOptionsAreRefused) {
  KernelTrialOptions senseless = options();
  senseless.processes = 0;
  EXPECT_THROW(KernelTrials{senseless}, SettingError);
  senseless = options();
  senseless.time_out_seconds = 0;
  EXPECT_THROW(KernelTrials{senseless}, SettingError);
}

// The parent and state ("Z") of a process.
struct Status {
  pid_t parent = 0;
  char state = '?';
};

std::optional<Status> status_of(const std::string& process) {
  std::ifstream file("/proc/" + process + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  Status status;
  std::istringstream(text.substr(name_end + 1)) >> status.state >> status.parent;
  return status;
}

std::vector<std::string> children_of(pid_t parent) {
  std::vector<std::string> children;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string process = entry.path().filename();
    if (process.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto status = status_of(process);
    if (status && status->parent == parent) children.push_back(process);
  }
  return children;
}

// Ends whatever the test comes to.
class ForkedTuner {
 public:
  explicit ForkedTuner(pid_t process) : process_(process) {}
  ~ForkedTuner() { end(); }
  ForkedTuner(const ForkedTuner&) = delete;
  ForkedTuner& operator=(const ForkedTuner&) = delete;
  void end() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = 0;
  }

 private:
  pid_t process_;
};

TEST_F(KernelTrialsFailureTest, ChildrenEndWithAParentThatIsKilled) {
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const pid_t process = fork();
  if (process == 0) {
    KernelTrialOptions endless = options();
    endless.processes = 2;
    endless.time_out_seconds = 1000;
    const auto tell = [&](std::size_t, const KernelVerdict&) {
      if (write(told[1], "x", 1) != 1) _exit(1);
    };
    try {
      KernelTrials(endless).try_all(jobs({computes, computes, loops, loops}), tell);
    } catch (const std::exception&) {
    }
    _exit(1);
  }
  ForkedTuner tuner(process);
  close(told[1]);
  char verdict;
  for (int i = 0; i < 2; ++i) ASSERT_EQ(read(told[0], &verdict, 1), 1);
  close(told[0]);
  const auto children = children_of(process);
  EXPECT_EQ(children.size(), 2u);
  tuner.end();
  for (const std::string& child : children) {
    const auto alive = [&] {
      const auto status = status_of(child);
      return status && status->state != 'Z';  // for its new parent to collect
    };
    for (int i = 0; i < 600 && alive(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(alive()) << child;
  }
}

}  // namespace
}  // namespace duoblas::test
