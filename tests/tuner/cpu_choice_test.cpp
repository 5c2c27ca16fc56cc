// Choosing the CPU side's configuration on a device, and again from the journal.
#include "tuner/cpu_choice.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "kernel_space/kernel_defaults.hpp"
#include "support/temporary_directory.hpp"
#include "tuner/kernel_pool.hpp"
#include "tuner/trial_patience.hpp"

namespace duoblas {
namespace {

class Silent : public TuneListener {
 public:
  void progress(const TuneProgress& progress) override { tuning_case = progress.tuning_case; }
  void rejected(const std::string&, const std::string& why) override { rejections.push_back(why); }
  void tuned(const TunedPoint&) override {}

  std::string tuning_case;
  std::vector<std::string> rejections;
};

class CpuChoice : public ::testing::Test {
 protected:
  Settings settings() const {
    Settings settings;
    settings.standin = true;
    settings.profile_dir = directory_ / "profiles";
    settings.cache_dir = directory_ / "cache";
    return settings;
  }

  CpuConfig choose(Engine& engine, Journal& journal, Silent& listener) const {
    TuneRequest request;
    request.helper_program = DUOBLAS_COMMAND;
    request.as_is = true;
    journal.begin("a choice");
    Session session(request, journal, listener);
    KernelPool kernels(journal, listener,
                       {request.helper_program, engine.settings(), 1, test::trial_patience});
    TuneContext context{engine, session, kernels, engine.machine()};
    const CpuConfig base = context.machine.cpu_for(Precision::s);
    CpuConfig tiles = base;
    tiles.tiles = true;
    candidates_ = {base, tiles};
    TunedChoice gpu;
    gpu.kernel = default_kernel(Precision::s, context.machine.device);
    gpu.sharing = context.machine.sharing;
    return fastest_beside_gpu(context, candidates_, Precision::s, gpu);
  }

  test::TemporaryDirectory directory_;
  mutable std::vector<CpuConfig> candidates_;
};

TEST_F(CpuChoice, BesideTheGpuIsOneOfTheCandidatesAndTheSameFromTheJournal) {
  Engine engine(settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  const std::string path = directory_ / "choice.journal";
  CpuConfig chosen;
  {
    Journal journal(path, {}, false);
    Silent listener;
    chosen = choose(engine, journal, listener);
    EXPECT_EQ(listener.tuning_case, "CPU BLAS beside the GPU, sgemm nn 1280 x 1280 x 192");
    EXPECT_TRUE(listener.rejections.empty());
    EXPECT_NE(std::ranges::find(candidates_, chosen), candidates_.end());
    EXPECT_EQ(journal.resumed(), 0);
  }
  Journal journal(path, {}, false);
  ASSERT_EQ(journal.story(), "");
  Silent listener;
  EXPECT_EQ(choose(engine, journal, listener), chosen);
  EXPECT_EQ(journal.resumed(), 1);
  EXPECT_FALSE(journal.replays()) << "a batch of the journal was not asked for again";
}

}  // namespace
}  // namespace duoblas
