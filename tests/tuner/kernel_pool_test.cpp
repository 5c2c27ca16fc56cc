// Which kernels may run here, where no process can try them.
#include "tuner/kernel_pool.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <duoblas/error.hpp>

#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

// A device that is in use, or a problem that is too large for memory, ends such tunings. Once it
// does not, every kernel is to be tried.
TEST(AKernelPool, BlamesNoKernelWhereNoneCanBeTried) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "pool.journal";
  std::vector<KernelParams> kernels(3);
  for (std::size_t i = 0; i < kernels.size(); ++i) kernels[i].tile_rows = static_cast<int>(i) + 1;
  const KernelCase tuning_case;
  TuneListener listener;
  for (int time = 0; time < 3; ++time) {
    Journal journal(path, {}, false);
    KernelPool pool(journal, listener, {"/bin/false", {}, 1, 30});
    EXPECT_THROW(pool.try_unknown(kernels, tuning_case, {64, 64, 64}, SharingMode::staged), Error)
        << time;
  }
  Journal journal(path, {}, false);
  for (const KernelParams& kernel : kernels)
    EXPECT_FALSE(journal.verdict(kernel, tuning_case.text()).has_value()) << kernel.tile_rows;
}

}  // namespace
}  // namespace duoblas
