// A level-3 job of a device that shares the host's memory: nothing is sent and nothing comes back
// but diagonal blocks; on a driver that shares some memory, or seems to, it is right all the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cl_layer/layer_control.hpp"
#include "gpu/gpu_side.hpp"
#include "gpu/level3/level3_job.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "problem/caller_level3.hpp"
#include "support/driver_ability.hpp"
#include "support/level3_case.hpp"

namespace duoblas::test {
namespace {

constexpr MatricesInPlace all{true, true, true};
constexpr BlockSizes sizes{32, 8, std::size_t{4} << 20};
constexpr std::int64_t lines = 100, others = 60;

struct Level3InPlace : testing::TestWithParam<Routine> {
  const LayerControl& layer = LayerControl::get();
  void SetUp() override { layer.reset(); }
  void TearDown() override { layer.memory_model(""); }

  template <typename Body>
  void for_all_sides(Body&& body) {
    for (const Side where : {Side::left, Side::right})
      for (const Uplo uplo : {Uplo::lower, Uplo::upper})
        for (const double beta : {0.0, -0.5}) {
          Level3Factors f{GetParam(), Layout::row_major, where, uplo};
          if (updates_triangle(f.routine) && where == Side::right) continue;
          f.order = lines;
          f.free = others;
          f.pad = 3;
          f.alpha = 0.75;
          f.beta = beta;
          body(f);
        }
  }
  static Level3Front on(GpuSide& gpu, MatricesInPlace wanted = all) {
    return [&gpu, wanted](const CallerLevel3& call) {
      const Level3Problem p = to_row_major(call);
      start_level3(gpu.device(), p, default_kernel(p.precision, gpu.limits()), sizes, {wanted, {}})
          .wait();
    };
  }
};

INSTANTIATE_TEST_SUITE_P(Routines, Level3InPlace, ::testing::ValuesIn(all_routines),
                         [](const auto& routine) { return std::string(name(routine.param)); });

/// Bytes of all diagonal blocks, or of the inverses in them, of complex numbers.
std::uint64_t bytes_of_blocks(Routine routine) {
  std::uint64_t elements = 0;
  for (std::int64_t first = 0; first < lines; first += sizes.block) {
    const std::int64_t count = std::min(sizes.block, lines - first);
    elements += static_cast<std::uint64_t>(count * (routine == Routine::trsm ? sizes.leaf : count));
  }
  return elements * sizeof(std::complex<float>);
}

/// Of what is stored of a triangle in its diagonal blocks.
std::uint64_t bytes_of_triangles() {
  std::uint64_t elements = 0;
  for (std::int64_t first = 0; first < lines; first += sizes.block) {
    const std::int64_t count = std::min(sizes.block, lines - first);
    elements += static_cast<std::uint64_t>(count * (count + 1) / 2);
  }
  return elements * sizeof(std::complex<float>);
}

TEST_P(Level3InPlace, CopiesDiagonalBlocksAndWhatAFailureWouldNeed) {
  GpuSide gpu(cl::list_devices().at(0), {});
  if (!can_or_tells(gpu.info(), gpu.sharing().granularity() == 1, shares_not_all)) return;
  for_all_sides([&](const Level3Factors& f) {
    expect_right<std::complex<float>>(f, on(gpu));  // makes what later calls have
    const CopiedBytes before = gpu.copied();
    layer.reset();
    expect_right<std::complex<float>>(f, on(gpu));
    const CopiedBytes after = gpu.copied();
    const std::uint64_t of_c = lines * others * sizeof(std::complex<float>);
    const std::uint64_t staged = after.staged - before.staged, saved = after.saved - before.saved;
    EXPECT_EQ(layer.bytes_copied(), 0);
    EXPECT_EQ(staged, bytes_of_blocks(f.routine));
    if (updates_triangle(f.routine)) {
      const std::uint64_t beside =
          (lines * (lines + 1) / 2) * sizeof(std::complex<float>) - bytes_of_triangles();
      EXPECT_EQ(saved, f.beta == 0 ? 0 : beside);
    } else {
      const bool keeps = f.beta != 0 || is_in_place(f.routine);
      EXPECT_EQ(saved, (f.routine == Routine::trsm ? 2 : keeps ? 1 : 0) * of_c);
    }
  });
}

// As where the CPU writes between the device's lines of C.
TEST_P(Level3InPlace, CopiesNoMoreByCommandsWhereCIsApart) {
  if (updates_triangle(GetParam())) return;
  for (const char* model : {"", "pages", "shadow", "incoherent"}) {
    SCOPED_TRACE(model);
    layer.memory_model(model);
    GpuSide gpu(cl::list_devices().at(0), {});
    for_all_sides([&](Level3Factors f) {
      f.op = is_in_place(f.routine) && f.beta != 0 ? Op::transpose : Op::none;
      layer.reset();
      expect_right<std::complex<float>>(f, on(gpu, {true, true, false}));
      if (f.side == Side::left && *model == 0 && gpu.sharing().granularity() == 1) {
        EXPECT_EQ(layer.bytes_copied(), 0);
      }
    });
  }
}

TEST_P(Level3InPlace, IsRightOnEveryDriver) {
  if (is_hermitian(GetParam())) return;  // in memory they are as the symmetric ones
  for (const char* model : {"pages", "shadow", "incoherent"}) {
    SCOPED_TRACE(model);
    layer.memory_model(model);
    GpuSide gpu(cl::list_devices().at(0), {});
    for_all_sides([&](const Level3Factors& f) { expect_right<float>(f, on(gpu)); });
  }
}

}  // namespace
}  // namespace duoblas::test
