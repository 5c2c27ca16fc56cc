// Products that take a program's memory in place of our own.
#include <gtest/gtest.h>

#include <duoblas/error.hpp>

#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include <duoblas/opencl.h>
#include <duoblas/opencl.hpp>

#include "cl_layer/device_blas_case.hpp"
#include "opencl/function_table.hpp"

namespace duoblas::test {
namespace {

struct WorkspaceTest : DeviceBlasTest {
  std::size_t alignment() const { return context.device().info.base_alignment_bytes; }
  cl::Buffer memory(std::int64_t bytes) const {
    return context.allocate(static_cast<std::size_t>(bytes), cl::Access::read_write);
  }
  /// For squares of n in single precision.
  std::int64_t bytes_for(std::int64_t n) const {
    return blas->workspace_bytes<float>(Layout::row_major, Op::none, Op::none, n, n, n);
  }
  /// C = 0 A B: by any kernel a product of zeros, which are in the workspace.
  void clear(const Squares& squares) {
    blas->gemm<float>(Layout::row_major, Op::none, Op::none, squares.n, squares.n, squares.n, 0,
                      {raw(squares.a), 0, squares.n}, {raw(squares.b), 0, squares.n}, 0,
                      {raw(squares.c), 0, squares.n});
  }
  /// What set_workspace says; empty: it takes the memory.
  std::string refusal(const DeviceWorkspace& workspace) {
    try {
      blas->set_workspace(workspace);
    } catch (const ArgumentError& error) {
      return error.what();
    }
    return {};
  }
};

TEST_F(WorkspaceTest, ProductsAllocateNothingWhereTheyHaveOne) {
  const Squares squares(*this, 200);
  squares.multiply(*blas);  // compiled and tried
  clear(squares);
  const std::int64_t bytes = bytes_for(200);
  const cl::Buffer workspace = memory(bytes);
  blas->set_workspace({raw(workspace), 0, bytes});
  // A kernel that does not pack takes a line of zeros only, and only where C is scaled.
  const bool packs = bytes > 200 * 4;
  for (const bool multiplies : {false, true}) {
    const auto call = [&] { multiplies ? squares.multiply(*blas) : clear(squares); };
    layer.reset();
    call();
    EXPECT_EQ(layer.calls_of("clCreateBuffer"), 0);
    EXPECT_EQ(layer.calls_of("clCreateSubBuffer") > 0, packs || !multiplies);
    layer.reset();
    call();
    EXPECT_EQ(layer.calls_of("clCreateSubBuffer"), 0) << "the same sizes: the same buffers";
  }
  EXPECT_TRUE(squares.is_right(*this));
}

TEST_F(WorkspaceTest, IsAsGoodAsOurOwnMemoryForAllTypesAndOps) {
  constexpr std::int64_t m = 37, n = 70, k = 53;
  const auto for_type = [&]<typename T>(T, CaseFactors factors) {
    const std::int64_t bytes =
        blas->workspace_bytes<T>(factors.layout, factors.op_a, factors.op_b, m, n, k);
    const cl::Buffer workspace = memory(std::max<std::int64_t>(bytes, 1));
    blas->set_workspace({raw(workspace), 0, bytes});
    for (const double alpha : {0.5, 0.0}) {
      factors.alpha = alpha;
      expect_right<T>(factors, on_device<T>(1));
    }
  };
  for (const Layout layout : {Layout::row_major, Layout::column_major}) {
    for (const Op op_a : {Op::none, Op::conj_transpose}) {
      for (const Op op_b : {Op::none, Op::transpose}) {
        CaseFactors factors;
        factors.layout = layout;
        factors.op_a = op_a;
        factors.op_b = op_b;
        factors.m = m;
        factors.n = n;
        factors.k = k;
        factors.beta = -0.7;
        for_type(float{}, factors);
        for_type(double{}, factors);
        for_type(std::complex<float>{}, factors);
        for_type(std::complex<double>{}, factors);
      }
    }
  }
}

// The last product keeps what it used until the next one, also where that has another workspace.
// With NVIDIA's driver a part does not count as a reference to its whole.
TEST_F(WorkspaceTest, IsKeptWhileThereArePartsOfIt) {
  const Squares squares(*this, 200);
  const std::int64_t bytes = bytes_for(200);
  const int before = layer.orphans();
  for (int round = 0; round < 3; ++round) {
    const cl::Buffer workspace = memory(bytes);
    blas->set_workspace({raw(workspace), 0, bytes});
    squares.multiply(*blas);
  }
  blas->set_workspace({});
  squares.multiply(*blas);
  EXPECT_TRUE(squares.is_right(*this));
  EXPECT_EQ(layer.orphans(), before);
}

// With NVIDIA's driver the release of a part crashed of which a later one had bytes.
TEST_F(WorkspaceTest, IsDividedAnewWithoutTheLastProductsParts) {
  const Squares large(*this, 200), small(*this, 130);
  const std::int64_t bytes = bytes_for(200);
  const cl::Buffer workspace = memory(bytes);
  blas->set_workspace({raw(workspace), 0, bytes});
  const int before = layer.overlapping_parts();
  large.multiply(*blas);
  small.multiply(*blas);
  clear(large);
  large.multiply(*blas);
  EXPECT_EQ(layer.overlapping_parts(), before);
  EXPECT_TRUE(large.is_right(*this));
  EXPECT_TRUE(small.is_right(*this));
}

TEST_F(WorkspaceTest, TooSmallAOneIsRefusedBeforeAnythingIsEnqueued) {
  const Squares squares(*this, 150);
  squares.multiply(*blas);
  queue.finish();
  const std::vector<float> zeros(squares.ones.size(), 0);
  queue.write(squares.c, zeros.data(), {1, zeros.size() * 4, zeros.size() * 4, zeros.size() * 4, 0},
              true);
  const std::int64_t bytes = bytes_for(150);
  const cl::Buffer workspace = memory(bytes);
  blas->set_workspace({raw(workspace), 0, bytes - 1});
  layer.reset();
  // A kernel that does not pack takes a line of zeros only, and only where C is scaled.
  const bool packs = bytes > 150 * 4;
  try {
    packs ? squares.multiply(*blas) : clear(squares);
    ADD_FAILURE() << "it was taken";
  } catch (const SettingError& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("the workspace has " + std::to_string(bytes - 1) + " bytes"),
              std::string::npos)
        << said;
    EXPECT_NE(said.find("takes " + std::to_string(bytes)), std::string::npos) << said;
  }
  for (const char* enqueued : {"clEnqueueNDRangeKernel", "clEnqueueFillBuffer",
                               "clEnqueueBarrierWithWaitList", "clCreateBuffer"})
    EXPECT_EQ(layer.calls_of(enqueued), 0) << enqueued;
  std::vector<float> result(zeros.size());
  download(squares.c, result.data(), result.size(), 0);
  EXPECT_EQ(result, zeros);
  blas->set_workspace({});
  squares.multiply(*blas);
  EXPECT_TRUE(squares.is_right(*this));
}

TEST_F(WorkspaceTest, OneServesAChainOfProductsOfAnySizes) {
  const std::vector<std::int64_t> sizes = {64, 200, 64, 130, 200};
  std::int64_t bytes = 0;
  for (const std::int64_t n : sizes) bytes = std::max(bytes, bytes_for(n));
  const cl::Buffer workspace = memory(bytes);
  blas->set_workspace({raw(workspace), 0, bytes});
  // Enqueued one after another: a later packing must not overtake an earlier product.
  std::vector<Squares> chain;
  for (const std::int64_t n : sizes) chain.emplace_back(*this, n);
  for (const Squares& squares : chain) squares.multiply(*blas);
  for (const Squares& squares : chain) EXPECT_TRUE(squares.is_right(*this)) << squares.n;
  // A product of a product: C = (A B) B.
  const Squares& squares = chain.back();
  const auto n = squares.n;
  const cl::Buffer cube = memory(n * n * 4);
  squares.multiply(*blas);
  blas->gemm<float>(Layout::row_major, Op::none, Op::none, n, n, n, 1, {raw(squares.c), 0, n},
                    {raw(squares.b), 0, n}, 0, {raw(cube), 0, n});
  std::vector<float> result(squares.ones.size());
  download(cube, result.data(), result.size(), 0);
  EXPECT_EQ(result, std::vector<float>(result.size(), static_cast<float>(n * n)));
}

// A part of a buffer that is itself a part of another: what lies around it stays.
TEST_F(WorkspaceTest, IsWrittenToWithinItsBounds) {
  const Squares squares(*this, 90);
  const std::int64_t bytes = bytes_for(90);
  const auto step = static_cast<std::int64_t>(alignment());
  const std::int64_t before = 2 * step, all = before + step + bytes + step;
  const std::vector<char> pattern(static_cast<std::size_t>(all), 'x');
  const cl::Buffer whole = upload(pattern.data(), pattern.size(), 0);
  const cl_buffer_region region{static_cast<std::size_t>(before),
                                static_cast<std::size_t>(all - before)};
  cl_int code = 0;
  const cl::Buffer part(cl::functions().clCreateSubBuffer(
      raw(whole), CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
  ASSERT_EQ(code, CL_SUCCESS);
  blas->set_workspace({raw(part), step, bytes});
  clear(squares);
  squares.multiply(*blas);
  EXPECT_TRUE(squares.is_right(*this));
  std::vector<char> now(pattern.size());
  download(whole, now.data(), now.size(), 0);
  const auto changed = [&](std::int64_t from, std::int64_t to) {
    return std::any_of(now.begin() + from, now.begin() + to, [](char c) { return c != 'x'; });
  };
  EXPECT_FALSE(changed(0, before + step));
  EXPECT_TRUE(changed(before + step, before + step + bytes)) << "it was used";
  EXPECT_FALSE(changed(before + step + bytes, all));
}

TEST_F(WorkspaceTest, NamesMemoryThatCannotBeOne) {
  const std::int64_t bytes = bytes_for(64);
  const auto step = static_cast<std::int64_t>(alignment());
  const cl::Buffer good = memory(bytes + step);
  cl::Context elsewhere(context.device());
  const cl::Buffer foreign =
      elsewhere.allocate(static_cast<std::size_t>(bytes), cl::Access::read_write);
  const cl::Buffer read_only =
      context.allocate(static_cast<std::size_t>(bytes), cl::Access::read_only);
  const auto expect_refused = [&](const DeviceWorkspace& workspace, const char* why) {
    const std::string said = refusal(workspace);
    EXPECT_NE(said.find(why), std::string::npos) << said;
  };
  blas->set_workspace({raw(good), step, bytes});
  expect_refused({raw(foreign), 0, bytes}, "argument 2 (buffer) is of another context");
  expect_refused({raw(read_only), 0, bytes}, "argument 2 (buffer) is one that kernels can only");
  expect_refused({raw(good), step / 2, bytes}, "argument 3 (offset) is no multiple of");
  expect_refused({raw(good), -step, bytes}, "argument 3 (offset) is negative");
  expect_refused({raw(good), step, bytes + 1}, "argument 4 (bytes) reach beyond the end");
  expect_refused({raw(good), 1000 * step, 0}, "argument 4 (bytes) reach beyond the end");
  expect_refused({raw(good), 0, -1}, "argument 4 (bytes) is negative");
  // None of these changed anything.
  const Squares squares(*this, 64);
  squares.multiply(*blas);
  layer.reset();
  squares.multiply(*blas);
  EXPECT_EQ(layer.calls_of("clCreateBuffer"), 0);
  EXPECT_TRUE(squares.is_right(*this));
}

TEST_F(WorkspaceTest, HasNothingInCommonWithOperands) {
  const Squares squares(*this, 64);
  const std::int64_t bytes = bytes_for(64);
  const auto step = static_cast<std::int64_t>(alignment());
  const std::int64_t of_c = (64 * 64 * 4 + step - 1) / step * step;
  const cl::Buffer both = memory(of_c + bytes);
  blas->set_workspace({raw(both), of_c, bytes});
  const auto multiply_into = [&](std::int64_t offset) {
    blas->gemm<float>(Layout::row_major, Op::none, Op::none, 64, 64, 64, 1, {raw(squares.a), 0, 64},
                      {raw(squares.b), 0, 64}, 0, {raw(both), offset, 64});
  };
  multiply_into(0);
  std::vector<float> result(squares.ones.size());
  download(both, result.data(), result.size(), 0);
  EXPECT_EQ(result, std::vector<float>(result.size(), 64));
  try {
    multiply_into(of_c / 4 - 64 * 64 + 1);
    ADD_FAILURE() << "C and the workspace have an element in common";
  } catch (const ArgumentError& error) {
    EXPECT_EQ(error.position(), 13);
    EXPECT_NE(std::string(error.what()).find("in common with the workspace"), std::string::npos);
  }
}

TEST_F(WorkspaceTest, IsLetGoOfWhenAnotherIsSet) {
  const Squares squares(*this, 100);
  squares.multiply(*blas);
  blas->set_workspace({});
  const long without = layer.live_objects();
  {
    const std::int64_t bytes = bytes_for(100);
    const cl::Buffer workspace = memory(bytes);
    blas->set_workspace({raw(workspace), 0, bytes});
    squares.multiply(*blas);
  }
  EXPECT_GT(layer.live_objects(), without) << "the memory is in use";
  EXPECT_TRUE(squares.is_right(*this));
  blas->set_workspace({});
  EXPECT_EQ(layer.live_objects(), without);
}

TEST_F(WorkspaceTest, ACallThatFailsLeavesItUsable) {
  const Squares squares(*this, 64), others(*this, 40);
  const std::int64_t bytes = std::max(bytes_for(64), bytes_for(40));
  const cl::Buffer workspace = memory(bytes);
  blas->set_workspace({raw(workspace), 0, bytes});
  squares.multiply(*blas);
  others.multiply(*blas);
  queue.finish();
  int failed = 0;
  for (int number = 1;; ++number) {
    ASSERT_LT(number, 100) << "no end of calls";
    others.multiply(*blas);  // other parts: those of the squares have to be made again
    layer.fail(("*:" + std::to_string(number)).c_str());
    try {
      squares.multiply(*blas);
    } catch (const DeviceError&) {
      ++failed;
    }
    const bool fired = layer.fired() != 0;
    layer.reset();
    squares.multiply(*blas);
    EXPECT_TRUE(squares.is_right(*this));
    if (!fired) break;
  }
  EXPECT_GT(failed, 10);
}

TEST_F(WorkspaceTest, IllegalSizesAreNamed) {
  const auto position = [&](std::int64_t m, std::int64_t n, std::int64_t k, Op op = Op::none) {
    try {
      blas->workspace_bytes<double>(Layout::column_major, op, Op::none, m, n, k);
    } catch (const ArgumentError& error) {
      return error.position();
    }
    return 0;
  };
  EXPECT_EQ(position(5, 6, 7), 0);
  EXPECT_EQ(position(5, 6, 7, static_cast<Op>(9)), 2);
  EXPECT_EQ(position(-1, 6, 7), 4);
  EXPECT_EQ(position(5, -1, 7), 5);
  EXPECT_EQ(position(5, 6, -1), 6);
  const auto bytes = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
    return blas->workspace_bytes<double>(Layout::column_major, Op::none, Op::none, m, n, k);
  };
  EXPECT_EQ(bytes(0, 6, 7), 0);
  EXPECT_THROW(bytes(std::int64_t{1} << 40, 6, 7), DeviceError);
}

TEST_F(WorkspaceTest, WorksThroughTheCInterface) {
  const Squares squares(*this, 50);
  duoblas_device_blas* made = nullptr;
  ASSERT_EQ(duoblas_device_blas_create(raw(queue), &made), DUOBLAS_OK) << duoblas_last_error();
  const auto multiply = [&](float alpha = 1) {
    const duoblas_device_matrix a = {raw(squares.a), 0, 50}, b = {raw(squares.b), 0, 50},
                                c = {raw(squares.c), 0, 50};
    return duoblas_device_sgemm(made, DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, 50, 50,
                                50, alpha, a, b, 0, c, nullptr);
  };
  EXPECT_EQ(multiply(), DUOBLAS_OK);
  std::int64_t bytes = 0;
  for (const auto asked : {duoblas_device_dgemm_workspace, duoblas_device_cgemm_workspace,
                           duoblas_device_zgemm_workspace, duoblas_device_sgemm_workspace}) {
    bytes = 0;
    EXPECT_EQ(
        asked(made, DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, 50, 50, 50, &bytes),
        DUOBLAS_OK);
    EXPECT_GT(bytes, 0);
    EXPECT_EQ(
        asked(made, DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, 50, 50, -1, &bytes),
        DUOBLAS_INVALID_ARGUMENT);
    EXPECT_EQ(
        asked(made, DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, 50, 50, 50, nullptr),
        DUOBLAS_INVALID_ARGUMENT);
  }
  EXPECT_STREQ(duoblas_last_error(), "argument 8 (bytes) is a null pointer");
  const cl::Buffer workspace = memory(bytes);
  EXPECT_EQ(duoblas_device_blas_set_workspace(made, raw(workspace), 0, bytes - 1), DUOBLAS_OK);
  // A kernel that does not pack takes a line of zeros only, and only where C is scaled.
  EXPECT_EQ(multiply(bytes > 50 * 4 ? 1 : 0), DUOBLAS_INVALID_SETTING);
  EXPECT_EQ(duoblas_device_blas_set_workspace(made, raw(workspace), 0, bytes), DUOBLAS_OK);
  layer.reset();
  EXPECT_EQ(multiply(), DUOBLAS_OK);
  EXPECT_EQ(layer.calls_of("clCreateBuffer"), 0);
  EXPECT_TRUE(squares.is_right(*this));
  EXPECT_EQ(duoblas_device_blas_set_workspace(made, raw(workspace), 1, bytes),
            DUOBLAS_INVALID_ARGUMENT);
  EXPECT_EQ(duoblas_device_blas_set_workspace(made, nullptr, 0, 0), DUOBLAS_OK);
  EXPECT_EQ(duoblas_device_blas_set_workspace(nullptr, nullptr, 0, 0), DUOBLAS_DEVICE_ERROR);
  duoblas_device_blas_free(made);
}

}  // namespace
}  // namespace duoblas::test
