// Settings as they are read from environment variables.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string>

#include <duoblas/error.hpp>
#include <duoblas/settings.hpp>

namespace duoblas {
namespace {

const char* const all_variables[] = {"DUOBLAS_STRATEGY",
                                     "DUOBLAS_SPLIT",
                                     "DUOBLAS_DEVICE",
                                     "DUOBLAS_PROFILE_DIR",
                                     "DUOBLAS_CACHE_DIR",
                                     "DUOBLAS_KERNEL_DIR",
                                     "DUOBLAS_CPU_BLAS",
                                     "DUOBLAS_CPU_CORES",
                                     "DUOBLAS_STANDIN",
                                     "DUOBLAS_VERBOSE",
                                     "DUOBLAS_MATH",
                                     "DUOBLAS_ADAPT",
                                     "DUOBLAS_FP64",
                                     "DUOBLAS_SUMMARY",
                                     "DUOBLAS_DEVICE_MEMORY",
                                     "DUOBLAS_LAUNCH_MS",
                                     "DUOBLAS_GPU_DEADLINE",
                                     "DUOBLAS_CHECK",
                                     "DUOBLAS_START_MS",
                                     "DUOBLAS_HISTORY",
                                     "MV2_COMM_WORLD_SIZE",
                                     "MV2_COMM_WORLD_LOCAL_RANK",
                                     "MV2_COMM_WORLD_LOCAL_SIZE",
                                     "OMPI_COMM_WORLD_LOCAL_RANK",
                                     "OMPI_COMM_WORLD_LOCAL_SIZE",
                                     "OMPI_MCA_ess_base_jobid",
                                     "OMPI_MCA_orte_ess_num_procs",
                                     "MPI_LOCALRANKID",
                                     "MPI_LOCALNRANKS",
                                     "PMI_LOCAL_RANK",
                                     "PMI_LOCAL_SIZE",
                                     "PMIX_RANK",
                                     "PMIX_NAMESPACE",
                                     "LOCAL_RANK",
                                     "LOCAL_WORLD_SIZE",
                                     "WORLD_SIZE",
                                     "MASTER_PORT",
                                     "TORCHELASTIC_RUN_ID",
                                     "SLURM_JOB_ID",
                                     "SLURM_LOCALID",
                                     "SLURM_NODEID",
                                     "SLURM_NTASKS",
                                     "SLURM_STEP_ID",
                                     "SLURM_STEP_NUM_TASKS",
                                     "SLURM_STEP_TASKS_PER_NODE",
                                     "OMP_NUM_THREADS",
                                     "OPENBLAS_NUM_THREADS",
                                     "OMPI_COMM_WORLD_SIZE",
                                     "PMI_SIZE",
                                     "XDG_CONFIG_HOME",
                                     "XDG_CACHE_HOME",
                                     "HOME"};

// The environment holds exactly `variables` while this lives.
class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string>& variables) {
    for (const char* name : all_variables) {
      if (const char* value = std::getenv(name)) saved_[name] = value;
      ::unsetenv(name);
    }
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  }
  ~Environment() {
    for (const char* name : all_variables) ::unsetenv(name);
    for (const auto& [name, value] : saved_) ::setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  std::map<std::string, std::string> saved_;
};

Settings from(const std::map<std::string, std::string>& variables) {
  const Environment environment(variables);
  return Settings::from_environment();
}

TEST(SettingsFromEnvironment, AreTheDefaultsInAnEmptyOne) {
  const Settings settings = from({});
  EXPECT_EQ(settings.strategy, Strategy::automatic);
  EXPECT_FALSE(settings.split);
  EXPECT_EQ(settings.device, "");
  EXPECT_EQ(settings.cache_dir, "");
  EXPECT_EQ(settings.profile_dir, "");
  EXPECT_EQ(settings.cpu_threads, 0);
  EXPECT_FALSE(settings.standin);
  EXPECT_TRUE(settings.adapt);
  EXPECT_FALSE(settings.summary);
  EXPECT_EQ(settings.verbose, 0);
  EXPECT_FALSE(settings.forces_split());
}

TEST(SettingsFromEnvironment, AreReadFromTheirVariables) {
  const Settings settings = from({{"DUOBLAS_STRATEGY", "hybrid"},
                                  {"DUOBLAS_SPLIT", "10/64"},
                                  {"DUOBLAS_DEVICE", "pthread"},
                                  {"DUOBLAS_CPU_CORES", "0-3,8"},
                                  {"DUOBLAS_STANDIN", "1"},
                                  {"DUOBLAS_ADAPT", "0"},
                                  {"DUOBLAS_START_MS", "250"},
                                  {"DUOBLAS_SUMMARY", "1"},
                                  {"DUOBLAS_HISTORY", "off"},
                                  {"DUOBLAS_VERBOSE", "2"}});
  EXPECT_EQ(settings.strategy, Strategy::hybrid);
  ASSERT_TRUE(settings.split);
  EXPECT_EQ(*settings.split, (Share{10, 64}));
  EXPECT_EQ(settings.device, "pthread");
  EXPECT_EQ(settings.cpu_cores, "0-3,8");
  EXPECT_TRUE(settings.standin);
  EXPECT_FALSE(settings.adapt);
  EXPECT_EQ(settings.start_ms, 250);
  EXPECT_TRUE(settings.summary);
  EXPECT_FALSE(settings.history);
  EXPECT_EQ(settings.verbose, 2);
  EXPECT_TRUE(settings.forces_split());
}

TEST(SettingsFromEnvironment, FixPlansForRanksOfOneJobUnlessAskedNotTo) {
  EXPECT_FALSE(from({{"OMPI_COMM_WORLD_SIZE", "4"}}).adapt);
  EXPECT_FALSE(from({{"PMI_SIZE", "2"}}).adapt);
  EXPECT_TRUE(from({{"OMPI_COMM_WORLD_SIZE", "1"}}).adapt);
  EXPECT_TRUE(from({{"OMPI_COMM_WORLD_SIZE", "many"}}).adapt);
  EXPECT_TRUE(from({{"OMPI_COMM_WORLD_SIZE", "4"}, {"DUOBLAS_ADAPT", "1"}}).adapt);
}

// Number on this host, so many on this host, so many in the job.
void expect_rank(const std::map<std::string, std::string>& variables, int number, int on_host,
                 int in_job) {
  const Settings settings = from(variables);
  const std::string which = variables.empty() ? "none" : variables.begin()->first;
  EXPECT_EQ(settings.rank.number, number) << which;
  EXPECT_EQ(settings.rank.on_host, on_host) << which;
  EXPECT_EQ(settings.rank.in_job, in_job) << which;
  EXPECT_EQ(settings.rank.is_of_many(), in_job > 1) << which;
  EXPECT_EQ(settings.fixes_plans(), in_job > 1) << which;
  EXPECT_EQ(settings.rank.job.empty(), in_job == 1) << which;
}

TEST(RankOfAJob, IsAsItsLauncherCounts) {
  expect_rank({}, 0, 1, 1);
  expect_rank({{"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
               {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
               {"OMPI_COMM_WORLD_SIZE", "8"}},
              1, 4, 8);
  expect_rank({{"MPI_LOCALRANKID", "3"}, {"MPI_LOCALNRANKS", "4"}, {"PMI_SIZE", "4"}}, 3, 4, 4);
  expect_rank({{"PMI_LOCAL_RANK", "2"}, {"PMI_LOCAL_SIZE", "3"}, {"PMI_SIZE", "9"}}, 2, 3, 9);
  expect_rank({{"MV2_COMM_WORLD_LOCAL_RANK", "1"},
               {"MV2_COMM_WORLD_LOCAL_SIZE", "2"},
               {"MV2_COMM_WORLD_SIZE", "2"}},
              1, 2, 2);
  expect_rank({{"LOCAL_RANK", "5"}, {"LOCAL_WORLD_SIZE", "8"}, {"WORLD_SIZE", "16"}}, 5, 8, 16);
  expect_rank({{"PMIX_RANK", "3"}}, 3, 1, 4);
  // One per host, which also must get the others' bits.
  expect_rank({{"OMPI_COMM_WORLD_LOCAL_SIZE", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}}, 0, 1, 2);
  expect_rank({{"OMPI_COMM_WORLD_SIZE", "1"}, {"PMIX_RANK", "0"}}, 0, 1, 1);
  expect_rank({{"OMPI_MCA_orte_ess_num_procs", "1"}, {"PMIX_RANK", "0"}}, 0, 1, 1);
}

TEST(RankOfAJob, IsCountedBySlurmForEachHost) {
  const std::map<std::string, std::string> step = {{"SLURM_LOCALID", "1"},
                                                   {"SLURM_STEP_NUM_TASKS", "11"},
                                                   {"SLURM_STEP_TASKS_PER_NODE", "4(x2),3"}};
  for (const auto& [host, on_host] : {std::pair("0", 4), {"1", 4}, {"2", 3}}) {
    auto variables = step;
    variables["SLURM_NODEID"] = host;
    expect_rank(variables, 1, on_host, 11);
  }
  // A batch script is one process, whatever its job may start.
  expect_rank({{"SLURM_LOCALID", "0"}, {"SLURM_NTASKS", "8"}, {"SLURM_JOB_ID", "7"}}, 0, 1, 1);
}

TEST(RankOfAJob, IsThatOfTheInnermostLauncher) {
  expect_rank({{"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
               {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
               {"OMPI_COMM_WORLD_SIZE", "2"},
               {"SLURM_LOCALID", "0"},
               {"SLURM_NODEID", "1"},
               {"SLURM_STEP_NUM_TASKS", "2"},
               {"SLURM_STEP_TASKS_PER_NODE", "1(x2)"}},
              1, 2, 2);
}

TEST(RankOfAJob, IsThatOfTorchrunUnderMpirun) {
  std::map<std::string, std::string> variables = {{"OMPI_COMM_WORLD_LOCAL_RANK", "0"},
                                                  {"OMPI_COMM_WORLD_LOCAL_SIZE", "1"},
                                                  {"OMPI_COMM_WORLD_SIZE", "2"},
                                                  {"TORCHELASTIC_RUN_ID", "none"},
                                                  {"LOCAL_RANK", "3"},
                                                  {"LOCAL_WORLD_SIZE", "4"},
                                                  {"WORLD_SIZE", "8"}};
  expect_rank(variables, 3, 4, 8);
  variables.erase("TORCHELASTIC_RUN_ID");
  expect_rank(variables, 0, 1, 2);
}

// Several may run in one job of Slurm, and one after another: who started a rank tells them apart.
TEST(RankOfAJob, IsNotNamedByABatchJobAlone) {
  std::map<std::string, std::string> variables = {{"OMPI_COMM_WORLD_SIZE", "2"},
                                                  {"SLURM_JOB_ID", "7"}};
  const std::string parent = std::to_string(::getppid());
  EXPECT_NE(from(variables).rank.job.find(parent), std::string::npos);
  for (const char* own : {"SLURM_STEP_ID", "PMIX_NAMESPACE", "TORCHELASTIC_RUN_ID"}) {
    auto named = variables;
    named[own] = "a name";
    EXPECT_EQ(from(named).rank.job.find(parent), std::string::npos) << own;
    EXPECT_NE(from(named).rank.job.find("a name"), std::string::npos) << own;
  }
}

TEST(RankOfAJob, MayBeGivenInPlaceOfADevice) {
  expect_rank({{"DUOBLAS_DEVICE", "rank:1/4"}}, 1, 4, 4);
  expect_rank({{"DUOBLAS_DEVICE", "rank"}}, 0, 1, 1);
  EXPECT_EQ(from({{"DUOBLAS_DEVICE", "rank:1/4"}}).device, "");
  for (const char* wrong : {"rank:", "rank:4/4", "rank:-1/4", "rank:1", "rank:a/b", "ranks"})
    EXPECT_THROW(from({{"DUOBLAS_DEVICE", wrong}}), SettingError) << wrong;
}

TEST(SettingsFromEnvironment, TakeTheSummaryOfAHostOrOfEachRank) {
  EXPECT_TRUE(from({{"DUOBLAS_SUMMARY", "rank"}}).summary);
  EXPECT_TRUE(from({{"DUOBLAS_SUMMARY", "rank"}}).summary_by_rank);
  EXPECT_FALSE(from({{"DUOBLAS_SUMMARY", "1"}}).summary_by_rank);
  EXPECT_THROW(from({{"DUOBLAS_SUMMARY", "host"}}), SettingError);
}

TEST(SettingsFromEnvironment, FindDirectoriesAsTheXdgRulesSay) {
  EXPECT_EQ(from({{"HOME", "/home/u"}}).profile_dir, "/home/u/.config/duoblas");
  EXPECT_EQ(from({{"HOME", "/home/u"}}).cache_dir, "/home/u/.cache/duoblas");
  EXPECT_EQ(from({{"HOME", "/home/u"}, {"XDG_CONFIG_HOME", "/x"}}).profile_dir, "/x/duoblas");
  EXPECT_EQ(from({{"XDG_CACHE_HOME", "/y"}}).cache_dir, "/y/duoblas");
  EXPECT_EQ(from({{"HOME", "/home/u"}, {"DUOBLAS_CACHE_DIR", "/c"}}).cache_dir, "/c");
}

TEST(SettingsFromEnvironment, TakeTheSmallerThreadBoundAndIgnoreWhatIsNotANumber) {
  EXPECT_EQ(from({{"OMP_NUM_THREADS", "8"}, {"OPENBLAS_NUM_THREADS", "3"}}).cpu_threads, 3);
  EXPECT_EQ(from({{"OMP_NUM_THREADS", "4,2"}}).cpu_threads, 0);
  EXPECT_EQ(from({{"OPENBLAS_NUM_THREADS", "0"}}).cpu_threads, 0);
}

TEST(SettingsFromEnvironment, TakeTheMathMode) {
  EXPECT_EQ(from({}).math, MathMode::exact);
  EXPECT_EQ(from({}).fp64, Fp64Mode::automatic);
  EXPECT_EQ(from({{"DUOBLAS_FP64", "auto"}}).fp64, Fp64Mode::automatic);
  EXPECT_EQ(from({{"DUOBLAS_FP64", "native"}}).fp64, Fp64Mode::native);
  EXPECT_EQ(from({{"DUOBLAS_FP64", "integers"}}).fp64, Fp64Mode::integers);
  EXPECT_EQ(from({{"DUOBLAS_MATH", "exact"}}).math, MathMode::exact);
  EXPECT_EQ(from({{"DUOBLAS_MATH", "tf32x3"}}).math, MathMode::tf32x3);
}

TEST(SettingsFromEnvironment, TakeWhichResultsAreChecked) {
  EXPECT_EQ(from({}).check, CheckMode::sampled);
  EXPECT_EQ(from({{"DUOBLAS_CHECK", "off"}}).check, CheckMode::off);
  EXPECT_EQ(from({{"DUOBLAS_CHECK", "sampled"}}).check, CheckMode::sampled);
  EXPECT_EQ(from({{"DUOBLAS_CHECK", "always"}}).check, CheckMode::always);
}

TEST(SettingsFromEnvironment, RefuseABadValueByNamingItAndWhatIsAccepted) {
  const std::pair<const char*, const char*> bad[] = {
      {"DUOBLAS_STRATEGY", "fast"}, {"DUOBLAS_SPLIT", "10"},    {"DUOBLAS_SPLIT", "17/16"},
      {"DUOBLAS_SPLIT", "-1/16"},   {"DUOBLAS_SPLIT", "0/0"},   {"DUOBLAS_SPLIT", "1/1025"},
      {"DUOBLAS_SPLIT", "1/2x"},    {"DUOBLAS_STANDIN", "yes"}, {"DUOBLAS_VERBOSE", "3"},
      {"DUOBLAS_MATH", "fast"},     {"DUOBLAS_FP64", "yes"},    {"DUOBLAS_CHECK", "1"},
      {"DUOBLAS_ADAPT", "yes"},     {"DUOBLAS_SUMMARY", "all"}, {"DUOBLAS_START_MS", "-1"},
      {"DUOBLAS_HISTORY", "0"},
  };
  for (const auto& [name, value] : bad) {
    try {
      from({{name, value}});
      ADD_FAILURE() << name << "=" << value << " was accepted";
    } catch (const SettingError& error) {
      const std::string what = error.what();
      EXPECT_NE(what.find(std::string(name) + "=" + value), std::string::npos) << what;
      EXPECT_NE(what.find("give"), std::string::npos) << what;
    }
  }
}

TEST(SettingsFromEnvironment, UnderstandBytesOfDeviceMemory) {
  EXPECT_EQ(from({}).device_memory, 0u);
  EXPECT_EQ(from({{"DUOBLAS_DEVICE_MEMORY", "100000"}}).device_memory, 100000u);
  EXPECT_EQ(from({{"DUOBLAS_DEVICE_MEMORY", "64K"}}).device_memory, std::size_t{64} << 10);
  EXPECT_EQ(from({{"DUOBLAS_DEVICE_MEMORY", "300M"}}).device_memory, std::size_t{300} << 20);
  EXPECT_EQ(from({{"DUOBLAS_DEVICE_MEMORY", "2G"}}).device_memory, std::size_t{2} << 30);
  EXPECT_EQ(from({{"DUOBLAS_DEVICE_MEMORY", "1T"}}).device_memory, std::size_t{1} << 40);
}

TEST(SettingsFromEnvironment, RejectOtherDeviceMemoryBySayingWhatIsAccepted) {
  for (const char* value : {"0", "-1", "2g", "2GB", "G", "1.5G", "63K", " 2G", "2 G",
                            "99999999999T", "99999999999999999999"}) {
    try {
      from({{"DUOBLAS_DEVICE_MEMORY", value}});
      ADD_FAILURE() << value << " was accepted";
    } catch (const SettingError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find(std::string("DUOBLAS_DEVICE_MEMORY=") + value), std::string::npos);
      EXPECT_NE(text.find("64K at least"), std::string::npos);
    }
  }
}

TEST(SettingsFromEnvironment, BoundLaunchesAndWaits) {
  EXPECT_FALSE(from({}).launch_ms);
  EXPECT_EQ(from({{"DUOBLAS_LAUNCH_MS", "0"}}).launch_ms, 0);
  EXPECT_EQ(from({{"DUOBLAS_LAUNCH_MS", "16"}}).launch_ms, 16);
  EXPECT_EQ(from({}).gpu_deadline, std::nullopt);
  EXPECT_EQ(from({{"DUOBLAS_GPU_DEADLINE", "0"}}).gpu_deadline, 0);
  EXPECT_EQ(from({{"DUOBLAS_GPU_DEADLINE", "600"}}).gpu_deadline, 600);
  for (const char* name : {"DUOBLAS_LAUNCH_MS", "DUOBLAS_GPU_DEADLINE"})
    for (const char* value : {"-1", "1.5", "10s", "soon"})
      EXPECT_THROW(from({{name, value}}), SettingError);
}

}  // namespace
}  // namespace duoblas
