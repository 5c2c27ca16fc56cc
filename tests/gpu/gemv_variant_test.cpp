// What a call of gemv takes: programs of its sizes, images of A, memory beside its operands.
#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <vector>

#include "gpu/device/operand_image.hpp"
#include "gpu/streams/gemv.hpp"
#include "support/first_device.hpp"

namespace duoblas {
namespace {

// What a call left in its scratch may be too small for the next one, whose sums would lie beyond
// it.
TEST(GemvScratch, GrowsWithWhatTheNextKernelNeeds) {
  OpenedDevice device(test::first_device(), {});
  GemvProblem problem;
  problem.transposes = true;
  problem.rows = 1 << 19;  // more slices than a GPU of 132 units asks for with 4 groups
  problem.columns = 16;
  const auto allocated = [&](std::int64_t elements) {
    return std::make_shared<cl::Buffer>(
        device.context.allocate(static_cast<std::size_t>(elements) * 4, cl::Access::read_write));
  };
  GemvOperands operands;
  operands.a.buffer = allocated(problem.rows * problem.columns);
  operands.a.pitch_bytes = static_cast<std::size_t>(problem.columns) * 4;
  operands.x = {allocated(problem.rows), 0, 1};
  operands.y = {allocated(problem.columns), 0, 1};
  GemvScratch scratch;
  const std::lock_guard guard(device.mutex);
  std::size_t needed = 0;
  // The fewer groups there are, the more slices each sum has.
  for (const int lines : {4, 16}) {
    const GemvKernel kernel{1, 1, 16, lines, 1};
    device.queue.wait(submit_gemv(device, problem, kernel, operands, scratch));
    const std::size_t needs = gemv_needs(device, problem, kernel).sums;
    ASSERT_GT(needs, needed);
    needed = needs;
    EXPECT_EQ(scratch.sums, device.scratch.partial.at_least(device.context, needs));
  }
}

// A call with sizes of its own takes them where their program is there, or may be made.
TEST(GemvVariants, HaveSizesThatAreReadyOrMayBeBuilt) {
  OpenedDevice device(test::first_device(), {});
  GemvProblem problem;
  problem.rows = 40;
  problem.columns = 24;
  GemvKernel kernel{4, 1, 1, 2, 2};
  EXPECT_FALSE(of_these_sizes(device, problem, kernel, true)) << "the kernel is not to have them";
  kernel.inline_sizes = 1;
  const auto sized = of_these_sizes(device, problem, kernel, true);
  ASSERT_TRUE(sized.has_value());
  EXPECT_EQ(sized->rows, 40);
  EXPECT_EQ(sized->columns, 24);
  EXPECT_TRUE(may_have_sizes(device, problem, *sized, true));
  EXPECT_FALSE(may_have_sizes(device, problem, *sized, false));
  device.kernels.get(
      program_number_of(problem, *sized), [&] { return gemv_program(problem, *sized); },
      [](BuiltProgram&, std::uint64_t) { return std::string(); });
  EXPECT_TRUE(may_have_sizes(device, problem, *sized, false));
  problem.rows = 1 << 20;  // too large to be tried with
  problem.columns = 1 << 10;
  EXPECT_FALSE(of_these_sizes(device, problem, kernel, true));
}

// Calls in buffers take what their operands allow: sizes and an image where rows start at pixels,
// sizes alone where they do not.
TEST(GemvVariants, ComputeRightWhereverRowsStart) {
  OpenedDevice device(test::first_device(), {});
  GemvKernel kernel{4, 1, 1, 2, 2, 1, 1};
  if (!is_legal(kernel, device.limits, Precision::s, false)) kernel.image = 0;
  constexpr std::int64_t rows = 7, columns = 14, pitch = 16;
  for (const std::int64_t before : {0, 4, 1})
    for (const bool transposes : {false, true}) {
      SCOPED_TRACE(before);
      GemvProblem problem;
      problem.rows = rows;
      problem.columns = columns;
      problem.lda = pitch;
      problem.transposes = transposes;
      problem.x.increment = problem.y.increment = 1;
      const auto size = [](std::int64_t count) { return static_cast<std::size_t>(count); };
      std::vector<float> a(size(before + rows * pitch)), x(size(problem.terms())),
          y(size(problem.outputs()));
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 11) - 5;
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7) - 3;
      const auto uploaded = [&](const std::vector<float>& numbers) {
        const std::size_t bytes = numbers.size() * sizeof(float);
        auto buffer =
            std::make_shared<cl::Buffer>(device.context.allocate(bytes, cl::Access::read_write));
        device.queue.write(*buffer, numbers.data(), {1, bytes, bytes, bytes, 0}, true);
        return buffer;
      };
      GemvOperands operands;
      operands.a = {uploaded(a), size(before) * sizeof(float), pitch * sizeof(float),
                    SharingMode::staged};
      operands.x = {uploaded(x), 0, 1};
      operands.y = {uploaded(y), 0, 1};
      operands.aligned = before % 4 == 0;
      GemvScratch scratch;
      submit_gemv(device, problem, kernel, operands, scratch);
      device.queue.finish();
      const std::size_t bytes = y.size() * sizeof(float);
      device.queue.read(*operands.y.buffer, y.data(), {1, bytes, bytes, bytes, 0});
      for (std::int64_t i = 0; i < problem.outputs(); ++i) {
        float sum = 0;
        for (std::int64_t p = 0; p < problem.terms(); ++p)
          sum += a[size(before + (transposes ? p * pitch + i : i * pitch + p))] * x[size(p)];
        EXPECT_EQ(y[size(i)], sum) << i;  // integers, exactly
      }
      GemvKernel used = kernel;
      if (!operands.aligned) used.image = 0;
      EXPECT_EQ(static_cast<bool>(scratch.image), used.image != 0);
      const auto sized = of_these_sizes(device, problem, used, operands.aligned);
      ASSERT_TRUE(sized.has_value());
      EXPECT_TRUE(device.kernels.has(program_number_of(problem, *sized)));
    }
}

// What a call reads through an image lies in it, up to the last whole pixel of the last row.
TEST(OperandImages, HoldWholePixelsOfWhatIsThere) {
  OpenedDevice device(test::first_device(), {});
  if (device.limits.max_image_pixels == 0) return;
  BoundOperand a;
  a.buffer =
      std::make_shared<cl::Buffer>(device.context.allocate(5 * 32 - 4, cl::Access::read_only));
  a.pitch_bytes = 32;
  const auto has_image = [&](std::int64_t rows, std::int64_t columns) {
    return image_in_place(device, a, rows, columns, Precision::s).has_value();
  };
  EXPECT_TRUE(has_image(5, 7));
  EXPECT_FALSE(has_image(1, 3)) << "not one pixel";
  device.limits.max_image_pixels = 8;
  EXPECT_FALSE(has_image(5, 7)) << "it has 9 pixels";
}

}  // namespace
}  // namespace duoblas
