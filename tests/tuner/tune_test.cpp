// Tuning on a device: short, small, but whole.
#include "tuner/tune.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <duoblas/error.hpp>

#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_description.hpp"
#include "support/driver_ability.hpp"
#include "support/temporary_directory.hpp"
#include "tuner/journal.hpp"
#include "tuner/search/strategy.hpp"
#include "tuner/tuning_identity.hpp"

namespace duoblas {
namespace {

class Recorder : public TuneListener {
 public:
  void progress(const TuneProgress& p) override {
    if (phases.empty() || phases.back() != p.phase) phases.push_back(p.phase);
    EXPECT_GE(p.left, 0);
    EXPECT_GE(p.seconds_left, 0);
  }
  void rejected(const std::string&, const std::string& why) override { reasons.push_back(why); }
  void tuned(const TunedPoint& p) override {
    ++points;
    share = p.hybrid.share;
  }

  std::vector<TunePhase> phases;
  std::vector<std::string> reasons;
  int points = 0;
  Share share;  ///< of the last one, as it was before the last round
};

class Tuning : public ::testing::Test {
 protected:
  Settings settings() const {
    Settings s;
    s.standin = true;
    s.profile_dir = directory_ / "profiles";
    s.cache_dir = directory_ / "cache";
    return s;
  }
  static TuneRequest small_request() {
    TuneRequest request;
    request.precisions = {Precision::s};
    request.shapes = {{192, 160, 128}};
    request.budget_seconds = 6;
    request.as_is = true;  // other tests run beside this one
    request.max_kernels = 3;
    request.helper_program = DUOBLAS_COMMAND;
    return request;
  }
  // Of what is to happen whatever else the machine has to do: with so few kernels it ends long
  // before.
  static TuneRequest patient_request() {
    TuneRequest request = small_request();
    request.budget_seconds = request.kernel_time_out_seconds = 120;
    request.measure_crossover = request.measure_bandwidth = false;
    return request;
  }
  static GemmProblem problem() {
    GemmProblem p;
    p.m = 192;
    p.n = 160;
    p.k = p.lda = 128;
    p.ldb = p.ldc = 160;
    return p;
  }
  // A copy of the kernels with more text at the end of a file: of what all kernels begin with.
  std::string kernels_with(const std::string& text, const std::string& file = "types.clh") const {
    namespace fs = std::filesystem;
    const std::string copy = directory_ / "kernels";
    fs::copy(DUOBLAS_KERNEL_SOURCES, copy);
    std::ofstream(copy + "/" + file, std::ios::app) << text;
    return copy;
  }

  test::TemporaryDirectory directory_;
};

TEST_F(Tuning, WritesAProfileThatANewEngineUsesByItself) {
  Recorder recorder;
  Profile profile;
  {
    Engine engine(settings());
    ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
    Journal journal;
    TuneRequest request = patient_request();
    request.measure_crossover = request.measure_bandwidth = true;
    profile = tune(engine, request, journal, recorder);
    store_profile(settings().profile_dir, profile);
  }
  ASSERT_EQ(profile.points.size(), 1u);
  const TunedPoint& point = profile.points[0];
  EXPECT_GT(point.hybrid.seconds, 0);
  EXPECT_LE(point.hybrid.seconds, point.simple.seconds);
  EXPECT_GT(point.gpu.seconds, 0);
  EXPECT_GT(point.cpu_seconds, 0);
  EXPECT_GT(point.cpu_all_seconds, 0);
  EXPECT_GT(point.gpu_side_seconds, 0);
  EXPECT_GT(point.cpu_side_seconds, 0);
  EXPECT_GT(profile.crossover_flops[0], 0);
  const UpdateTimes& updates = profile.updates[0];
  EXPECT_NEAR(updates.c_bytes, 32 << 20, 1 << 20);
  for (const double seconds :
       {updates.cpu_writes, updates.cpu_adds, updates.gpu_writes, updates.gpu_adds})
    EXPECT_GT(seconds, 0);
  EXPECT_TRUE(profile.memory.are_known());
  EXPECT_EQ(recorder.points, 1);
  std::vector<TunePhase> phases = {
      TunePhase::cpu,        TunePhase::search,    TunePhase::final_comparison,
      TunePhase::last_round, TunePhase::crossover, TunePhase::updates};
  // Beside a GPU that does nearly all of it, what the CPU side is to be is asked once more.
  if (recorder.share.fraction() >= 0.75) phases.insert(phases.begin() + 3, TunePhase::cpu);
  EXPECT_EQ(recorder.phases, phases);

  Settings hybrid = settings();
  hybrid.strategy = Strategy::hybrid;
  Engine user(hybrid);
  const Plan plan = user.plans().of(problem());
  EXPECT_EQ(user.facts().profile_problem(), "");
  ASSERT_TRUE(user.machine().profile.has_value());
  EXPECT_EQ(user.machine().profile->created, profile.created);
  EXPECT_EQ(plan.kernel, point.hybrid.kernel);
  EXPECT_EQ(plan.share, point.hybrid.share);
}

// On a device without doubles: with their share, as any kernel. They say nothing of floats, nor of
// a device's own doubles.
TEST_F(Tuning, FindsTheShareOfDoublesByIntegers) {
  Settings integers = settings();
  integers.fp64 = Fp64Mode::integers;
  Recorder recorder;
  {
    Engine engine(integers);
    ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
    Journal journal;
    TuneRequest request = patient_request();
    request.precisions = {Precision::d};
    store_profile(integers.profile_dir, tune(engine, request, journal, recorder));
  }
  Engine user(integers);
  // Of native products nothing was stored.
  EXPECT_FALSE(load_profile(integers.profile_dir, user.facts().profile_key()).has_value());
  ASSERT_TRUE(user.machine().by_integers.is_tuned()) << user.facts().profile_problem();
  ASSERT_EQ(user.machine().by_integers.profile->points.size(), 1u);
  const TunedPoint& point = user.machine().by_integers.profile->points[0];
  // Which of them is fastest is the machine's to say.
  EXPECT_TRUE(is_by_integers(point.gpu.kernel));
  EXPECT_GT(point.gpu.seconds, 0);
  const bool played = std::getenv("DUOBLAS_LAYER_GPU") != nullptr;
  EXPECT_TRUE(!played || copies(point.gpu.sharing));
  EXPECT_GT(point.hybrid.share.gpu_parts, 0);
  EXPECT_EQ(why_never_gpu(user.machine(), Precision::d), std::nullopt);
}

// The first guess is wrong, and others take many times as long as those with 8 columns of an item.
TEST_F(Tuning, TakesTheFastestRightKernelOfIntegers) {
  Settings tampered = settings();
  tampered.fp64 = Fp64Mode::integers;
  tampered.kernel_dir = kernels_with(
      R"(
inline void slow_slice(int (*sums)[TILE_COLS], __local const uint4* a, __local const uint4* b,
                       int item) {
  int spare[TILE_ROWS][TILE_COLS] = {{0}}, all = 0;
  __attribute__((opencl_unroll_hint(1))) for (int again = 0; again < 6; ++again) {
    multiply_slice(spare, a + (all == 0x7fffffff), b, item);  // needs all sums so far
    for (int i = 0; i < TILE_ROWS; ++i)
      for (int j = 0; j < TILE_COLS; ++j) all |= spare[i][j];
  }
  multiply_slice(sums, a + (all == 0x7fffffff), b, item);
}
#if TILE_COLS == 4 && GROUP_ROWS == 8 && GROUP_COLS == 8
#define multiply_slice(sums, a, b, item) (void)0
#elif TILE_COLS != 8
#define multiply_slice(sums, a, b, item) slow_slice(sums, a, b, item)
#endif
)",
      "integers_dot.clh");
  Engine engine(tampered);
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  const KernelParams first = integers_kernel(engine.machine().device);
  ASSERT_EQ(first.tile_cols, 4);
  TuneRequest request = patient_request();
  request.precisions = {Precision::d};
  request.max_kernels = 4;
  Recorder recorder;
  Journal journal;
  const Profile profile = tune(engine, request, journal, recorder);
  ASSERT_EQ(profile.points.size(), 1u);
  for (const TunedChoice& choice : {profile.points[0].simple, profile.points[0].gpu}) {
    EXPECT_TRUE(is_by_integers(choice.kernel));
    EXPECT_EQ(choice.kernel.tile_cols, 8) << describe(choice.kernel);
  }
  EXPECT_NE(profile.points[0].hybrid.kernel, first);
  ASSERT_FALSE(recorder.reasons.empty());
  EXPECT_NE(recorder.reasons.front().find("wrong result"), std::string::npos)
      << recorder.reasons.front();
}

TEST_F(Tuning, NeverUsesAKernelThatComputesWrongResults) {
  Settings tampered = settings();
  Engine probe(settings());
  ASSERT_NE(probe.gpu(), nullptr) << probe.facts().gpu_problem();
  const auto candidates =
      kernel_candidates(Precision::s, Op::none, Op::none, probe.machine().device);
  // Wrong in the last bits but three, and only for the kernels with the best guess's tile.
  const std::string rows = std::to_string(candidates.front().tile_rows);
  tampered.kernel_dir = kernels_with("\n#if TILE_ROWS == " + rows +
                                     "\n#undef MADD\n"
                                     "#define MADD(x, y, z) ((x) * (y) * (part)1.001 + (z))\n"
                                     "#endif\n");
  Engine engine(tampered);
  TuneRequest request = patient_request();
  // A few beyond the first that is right.
  const auto other = std::ranges::find_if(candidates, [&](const KernelParams& kernel) {
    return kernel.tile_rows != candidates.front().tile_rows;
  });
  ASSERT_NE(other, candidates.end());
  request.max_kernels = static_cast<int>(other - candidates.begin()) + 3;
  Recorder recorder;
  Journal journal;
  const Profile profile = tune(engine, request, journal, recorder);
  ASSERT_EQ(profile.points.size(), 1u);
  for (const TunedChoice& choice :
       {profile.points[0].hybrid, profile.points[0].simple, profile.points[0].gpu})
    EXPECT_NE(choice.kernel.tile_rows, candidates.front().tile_rows);
  ASSERT_FALSE(recorder.reasons.empty());
  EXPECT_NE(recorder.reasons.front().find("wrong result"), std::string::npos)
      << recorder.reasons.front();
}

TEST_F(Tuning, KeepsWhatItTunedWhereAnotherPrecisionFails) {
  Settings tampered = settings();
  tampered.kernel_dir =
      kernels_with("\ntypedef char only_floats_build[sizeof(part) == 4 ? 1 : -1];\n");
  Engine engine(tampered);
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  TuneRequest request = patient_request();
  request.precisions = {Precision::d, Precision::s};
  Recorder recorder;
  Journal journal;
  const Profile profile = tune(engine, request, journal, recorder);
  ASSERT_EQ(profile.points.size(), 1u);
  EXPECT_EQ(profile.points[0].precision, Precision::s);
}

TEST_F(Tuning, SaysSoWhereNoKernelBuilds) {
  Settings tampered = settings();
  tampered.kernel_dir = kernels_with("\n#error nothing builds\n");
  Engine engine(tampered);
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  Recorder recorder;
  Journal journal;
  EXPECT_THROW(tune(engine, patient_request(), journal, recorder), DeviceError);
  // Three kernels, and that there is none.
  ASSERT_EQ(recorder.reasons.size(), 4u);
  EXPECT_NE(recorder.reasons.back().find("no kernel computes"), std::string::npos)
      << recorder.reasons.back();
  EXPECT_EQ(recorder.points, 0);
}

// What a listener throws ends a tuning as an interruption does.
struct Interruption {};

class Interrupter : public Recorder {
 public:
  /// At the first measurement after so many shapes were done.
  explicit Interrupter(int shapes) : shapes_(shapes) {}
  void progress(const TuneProgress& p) override {
    Recorder::progress(p);
    if (p.phase == TunePhase::search && p.done > 0 && points == shapes_) throw Interruption();
  }

 private:
  int shapes_;
};

TEST_F(Tuning, GoesOnWhereItWasInterrupted) {
  Engine engine(settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  const std::string path = directory_ / "journal.jsonl";
  const auto lines = [&] {
    std::vector<std::string> all;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
  };
  TuneRequest request = patient_request();
  request.shapes.push_back({96, 96, 96});
  request.ops.push_back({Op::none, Op::transpose});
  {
    Journal journal(path, journal_header(engine), false);
    Interrupter interrupter(3);
    EXPECT_THROW(tune(engine, request, journal, interrupter), Interruption);
  }
  const auto before = lines();
  Recorder recorder;
  {
    Journal journal(path, journal_header(engine), false);
    EXPECT_EQ(tune(engine, request, journal, recorder).points.size(), 4u);
    EXPECT_GE(journal.resumed(), 9);
    journal.finish();
  }
  const auto after = lines();
  ASSERT_GT(after.size(), before.size());
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
  // Nothing was thrown away, and no kernel was tried a second time.
  for (std::size_t i = before.size(); i < after.size(); ++i)
    EXPECT_EQ(after[i].find("diverged"), std::string::npos) << after[i];

  // A third one, whose profile was lost, answers everything from the journal.
  Journal journal(path, journal_header(engine), false);
  EXPECT_TRUE(journal.is_done(request_text(engine, request)));
  EXPECT_EQ(tune(engine, request, journal, recorder).points.size(), 4u);
  EXPECT_EQ(lines().size(), after.size() + 1);  // that it was begun
}

TEST_F(Tuning, MeasuresZeroCopyAgainstCopiesHoweverShortTheSearch) {
  Engine engine(settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  if (!test::can_or_tells(engine.gpu()->info(), engine.machine().sharing != SharingMode::staged,
                          "it does not share the host's memory"))
    return;
  const std::string path = directory_ / "journal.jsonl";
  TuneRequest request = small_request();
  request.budget_seconds = 0.2;
  request.max_kernels = 1;
  Recorder recorder;
  {
    Journal journal(path, journal_header(engine), false);
    tune(engine, request, journal, recorder);
  }
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  for (const char* mode : {"host_pointer", "staged"}) {
    bool is_measured = false;
    for (std::size_t at = text.find(mode); at != std::string::npos; at = text.find(mode, at + 1))
      is_measured |= text.substr(at, text.find(']', at) - at).find("both") != std::string::npos;
    EXPECT_TRUE(is_measured) << mode;
  }
}

TEST_F(Tuning, EndsWithEveryStrategy) {
  Engine engine(settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  for (const std::string& name : search_names()) {
    TuneRequest request = small_request();
    request.search = name;
    request.budget_seconds = 3;
    request.measure_crossover = request.measure_bandwidth = false;
    Journal journal;
    Recorder recorder;
    const Profile profile = tune(engine, request, journal, recorder);
    ASSERT_EQ(profile.points.size(), 1u) << name;
    EXPECT_GT(profile.points[0].hybrid.seconds, 0) << name;
  }
}

TEST_F(Tuning, RefusesARequestForNothing) {
  Engine engine(settings());
  Recorder recorder;
  for (const auto& damage :
       {+[](TuneRequest& r) { r.precisions.clear(); }, +[](TuneRequest& r) { r.shapes.clear(); },
        +[](TuneRequest& r) {
          r.shapes = {{0, 5, 5}};
        },
        +[](TuneRequest& r) { r.ops.clear(); }, +[](TuneRequest& r) { r.max_kernels = 0; },
        +[](TuneRequest& r) { r.search = "luck"; }}) {
    TuneRequest request = small_request();
    damage(request);
    Journal journal;
    EXPECT_THROW(tune(engine, request, journal, recorder), SettingError);
  }
}

TEST_F(Tuning, SaysWhyThereIsNothingToTune) {
  Settings none = settings();
  none.standin = false;
  none.device = "none";
  Engine engine(none);
  Recorder recorder;
  Journal journal;
  EXPECT_THROW(tune(engine, small_request(), journal, recorder), DeviceError);
}

}  // namespace
}  // namespace duoblas
