// Kernels in children: what each did, and that it costs the others nothing.
#include "tuner/kernel_trials.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <filesystem>
#include <iterator>
#include <stdexcept>

#include "os/host_environment.hpp"
#include "tuner/kernel_trials_case.hpp"

namespace duoblas::test {
namespace {

using Names = std::vector<std::string>;

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

class KernelTrialsTest : public KernelTrialsCase {};

TEST_F(KernelTrialsTest, TellsRightKernelsFromOthersAndSaysWhy) {
  KernelTrials trials(options());
  const auto verdicts = trials.try_all(jobs({computes, computes_wrong, does_not_build, computes}));
  EXPECT_EQ(names(verdicts), (Names{"right", "wrong", "refused", "right"}));
  EXPECT_EQ(verdicts[0].why, "");
  EXPECT_GT(verdicts[0].alone_seconds, 0);
  EXPECT_GE(verdicts[0].seconds, verdicts[0].alone_seconds);
  EXPECT_NE(verdicts[1].why.find("scaled error"), std::string::npos) << verdicts[1].why;
  EXPECT_NE(verdicts[2].why.find("CL_BUILD_PROGRAM_FAILURE"), std::string::npos);
  EXPECT_NE(verdicts[2].why.find("this one does not build"), std::string::npos) << verdicts[2].why;
  EXPECT_LE(verdicts[2].why.size(), 1000u);
}

// So that whoever writes it down blames no kernel that was only waiting.
TEST_F(KernelTrialsTest, TellOfEachJobBeforeAProcessGetsIt) {
  Names told;
  KernelTrials(options()).try_all(
      jobs({computes, crashes, computes}),
      [&](std::size_t job, const KernelVerdict&) {
        told.push_back("tried " + std::to_string(job));
      },
      [&](std::size_t job) { told.push_back("begins " + std::to_string(job)); });
  EXPECT_EQ(told, (Names{"begins 0", "tried 0", "begins 1", "tried 1", "begins 2", "tried 2"}));
}

TEST_F(KernelTrialsTest, OutliveAKernelThatCrashes) {
  KernelTrials trials(options());
  const auto verdicts = trials.try_all(jobs({computes, crashes, computes, crashes}));
  EXPECT_EQ(names(verdicts), (Names{"right", "crashed", "right", "crashed"}));
  EXPECT_NE(verdicts[1].why.find("the process that tried it"), std::string::npos);
  // And the next call finds them ready.
  EXPECT_EQ(names(trials.try_all(jobs({computes}))), Names{"right"});
}

TEST_F(KernelTrialsTest, EndAKernelThatHangs) {
  KernelTrials trials(impatient_options());
  const auto verdicts = trials.try_all(jobs({loops, computes}));
  EXPECT_EQ(names(verdicts), (Names{"hung", "right"}));
  EXPECT_NE(verdicts[0].why.find("12 s"), std::string::npos) << verdicts[0].why;
  EXPECT_GE(verdicts[0].seconds, 12);
}

TEST_F(KernelTrialsTest, GiveTheSameVerdictsTwoAtOnce) {
  KernelTrialOptions two = impatient_options();
  two.processes = 2;
  KernelTrials trials(two);
  std::vector<int> told(7);
  const auto verdicts = trials.try_all(
      jobs({loops, crashes, computes, computes_wrong, does_not_build, computes, crashes}),
      [&](std::size_t job, const KernelVerdict&) { ++told.at(job); });
  EXPECT_EQ(names(verdicts),
            (Names{"hung", "crashed", "right", "wrong", "refused", "right", "crashed"}));
  EXPECT_EQ(told, std::vector<int>(7, 1));
}

TEST_F(KernelTrialsTest, TryEveryTypeOpAndShape) {
  KernelTrials trials(options());
  std::vector<KernelJob> all;
  for (const Precision precision : {Precision::s, Precision::d, Precision::c, Precision::z}) {
    KernelJob job = jobs({computes}).front();
    job.precision = precision;
    job.op_a = Op::transpose;
    job.op_b = is_complex(precision) ? Op::conj_transpose : Op::transpose;
    job.kernel.pack_a = job.kernel.pack_b = true;
    job.shape = {33, 129, 70};
    all.push_back(job);
  }
  for (const KernelVerdict& v : trials.try_all(all)) EXPECT_EQ(v.verdict, Verdict::right) << v.why;
}

TEST_F(KernelTrialsTest, LeaveNothingBehind) {
  // PoCL keeps no programs by itself then, so DuoBLAS does.
  const ScopedVariable keeps_none("POCL_KERNEL_CACHE", "0");
  const auto before = open_descriptors();
  {
    KernelTrials trials(options());
    trials.try_all(jobs({computes, crashes, computes_wrong, computes}));
    EXPECT_TRUE(trials.try_all({}).empty());
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
  EXPECT_FALSE(std::filesystem::is_empty(directory_ / "cache"));  // but what was compiled
}

TEST_F(KernelTrialsTest, WorkWhereTheHostIgnoresTheEndsOfChildren) {
  const auto before = signal(SIGCHLD, SIG_IGN);
  KernelTrials trials(options());
  EXPECT_EQ(names(trials.try_all(jobs({crashes, computes}))), (Names{"crashed", "right"}));
  signal(SIGCHLD, before);
}

TEST_F(KernelTrialsTest, GoOnAfterAListenerThatStopsThem) {
  KernelTrials trials(options());
  const auto stop = [](std::size_t, const KernelVerdict&) { throw std::runtime_error("stop"); };
  EXPECT_THROW(trials.try_all(jobs({computes, computes}), stop), std::runtime_error);
  EXPECT_THROW(trials.try_all(jobs({crashes, computes}), stop), std::runtime_error);
  EXPECT_EQ(names(trials.try_all(jobs({computes}))), Names{"right"});
}

}  // namespace
}  // namespace duoblas::test
