// Many triangular solves where OpenCL calls fail, and in a program's own buffers.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <duoblas/opencl.h>
#include <duoblas/opencl.hpp>

#include "cl_layer/device_blas_case.hpp"
#include "support/covering_array.hpp"
#include "support/element_types.hpp"
#include "support/refused_argument.hpp"
#include "support/trsm_batch_case.hpp"

namespace duoblas::test {
namespace {

struct FailingTrsmBatches : testing::Test {
  const LayerControl& layer = LayerControl::get();
  void SetUp() override { layer.reset(); }
  void TearDown() override {
    layer.memory_model(nullptr);
    layer.reset();
  }

  static Settings forced() {
    Settings settings;
    settings.strategy = Strategy::hybrid;
    settings.split = Share{8, 16};
    settings.standin = false;
    settings.device = "0";
    return settings;
  }
};

// X is written in place, where B was, or arrives apart: old values outlive every failure.
TEST_F(FailingTrsmBatches, AreRightWhateverCallFails) {
  for (const char* model : {"", "shadow"})
    for (const TrsmForm form : {TrsmForm::strided, TrsmForm::pointers}) {
      SCOPED_TRACE(model + std::string(form == TrsmForm::strided ? " strided" : " pointers"));
      layer.memory_model(model);
      TrsmBatchFactors f;
      f.one = {.side = Side::right, .op = Op::transpose, .order = 20, .free = 9, .alpha = -0.7};
      f.count = 12;
      f.shuffled = form == TrsmForm::pointers;
      Context context(forced());
      const auto solve = [&] {
        expect_trsm_batch_right<float>(
            f, [&](const TrsmBatchCall<float>& call) { solve_batch(context, call, form); });
      };
      solve();  // the device is open, the program tried
      int recovered = 0, number = 1;
      for (bool fired = true; fired; ++number) {
        ASSERT_LT(number, 400) << "no end of calls";
        SCOPED_TRACE(number);
        layer.fail(("*:" + std::to_string(number)).c_str());
        solve();
        fired = layer.fired() != 0;
        recovered += Context::last_call().recovered;
        layer.reset();
        if (Context::last_call().recovered) context = Context(forced());
        solve();
      }
      EXPECT_GT(recovered, 3);
    }
}

// In pieces, of which those that were done stay done.
TEST_F(FailingTrsmBatches, OfManyBytesAreRightWhicheverLaunchFails) {
  Settings settings = forced();
  settings.split = Share{15, 16};
  settings.check = CheckMode::off;
  TrsmBatchFactors f;
  f.one = {.order = 16, .free = 16};
  f.count = 9000;
  const auto solve = [&](Context& context) {
    expect_trsm_batch_right<float>(f, [&](const TrsmBatchCall<float>& call) {
      solve_batch(context, call, TrsmForm::strided);
    });
  };
  for (const long launch : {1, 3}) {
    SCOPED_TRACE(launch);
    Context context(settings);
    solve(context);
    layer.fail_kernel("trsm_batched", launch, -5);
    solve(context);
    // What is copied is done by one launch.
    if (launch == 1) {
      EXPECT_TRUE(Context::last_call().recovered);
    }
    layer.true_driver();
    solve(context);
    EXPECT_FALSE(Context::last_call().recovered);
  }
}

struct DeviceTrsmBatches : DeviceBlasTest {
  /// The call on the device, with all of the memory that the case has.
  template <typename T>
  TrsmBatchFront<T> on_device(bool by_offsets) {
    return [this, by_offsets](const TrsmBatchCall<T>& c) {
      const bool rows = c.layout == Layout::row_major;
      const std::int64_t order = c.side == Side::left ? c.m : c.n;
      const auto extent = [](std::int64_t lines, std::int64_t length, std::int64_t ld) {
        return (lines - 1) * ld + length;
      };
      const auto span = [](const auto& places, std::int64_t of_one) {
        const auto [least, most] = std::minmax_element(places.begin(), places.end());
        return static_cast<std::size_t>(*most - *least + of_one);
      };
      const T* const first_a = *std::min_element(c.a_places.begin(), c.a_places.end());
      T* const first_b = *std::min_element(c.b_places.begin(), c.b_places.end());
      const std::size_t of_a = span(c.a_places, extent(order, order, c.lda)),
                        of_b = span(c.b_places, extent(rows ? c.m : c.n, rows ? c.n : c.m, c.ldb));
      constexpr std::size_t before = 3;
      const cl::Buffer a = upload(first_a, of_a, before), b = upload(first_b, of_b, before);
      constexpr auto offset = static_cast<std::int64_t>(before);
      if (by_offsets) {
        DeviceMatrices all_a{raw(a), {}, c.lda}, all_b{raw(b), {}, c.ldb};
        for (const T* place : c.a_places) all_a.offsets.push_back(offset + (place - first_a));
        for (const T* place : c.b_places) all_b.offsets.push_back(offset + (place - first_b));
        blas->trsm_batched<T>(c.layout, c.side, c.uplo, c.op, c.diag, c.m, c.n, c.alpha, all_a,
                              all_b);
      } else {
        blas->trsm_strided_batched<T>(c.layout, c.side, c.uplo, c.op, c.diag, c.m, c.n, c.alpha,
                                      {raw(a), offset, c.lda}, c.stride_a, {raw(b), offset, c.ldb},
                                      c.stride_b, c.count);
      }
      download(b, first_b, of_b, before);
    };
  }
};

TEST_F(DeviceTrsmBatches, AreRightForAllTypesSidesTrianglesAndPlaces) {
  enum Factor { form, layout, side, uplo, op, diag, order, free_extent };
  constexpr std::int64_t orders[] = {5, 16, 33}, frees[] = {3, 66};
  int turn = 0;
  for (const std::vector<int>& row : covering_array({2, 2, 2, 2, 3, 2, 3, 2}, 3)) {
    TrsmBatchFactors f;
    f.one = {.layout = row[layout] == 0 ? Layout::row_major : Layout::column_major,
             .side = row[side] == 0 ? Side::left : Side::right,
             .uplo = row[uplo] == 0 ? Uplo::upper : Uplo::lower,
             .op = row[op] == 0   ? Op::none
                   : row[op] == 1 ? Op::transpose
                                  : Op::conj_transpose,
             .diag = row[diag] == 0 ? Diag::non_unit : Diag::unit,
             .order = orders[row[order]],
             .free = frees[row[free_extent]],
             .pad = turn % 3,
             .alpha = turn % 4 == 0 ? 0.0 : 0.5};
    f.count = 6;
    f.gap = turn % 2;
    f.shuffled = row[form] == 1;
    f.shared_a = turn % 5 == 0;
    ++turn;
    for_all_types([&](auto zero) {
      using T = decltype(zero);
      expect_trsm_batch_right<T>(f, on_device<T>(row[form] == 1));
    });
  }
}

TEST_F(DeviceTrsmBatches, AreOneLaunch) {
  TrsmBatchFactors f;
  f.one = {.order = 8, .free = 8};
  f.count = 100;
  expect_trsm_batch_right<float>(f, on_device<float>(false));  // the program is built and tried
  const long before = layer.calls_of("clEnqueueNDRangeKernel");
  expect_trsm_batch_right<float>(f, on_device<float>(false));
  EXPECT_EQ(layer.calls_of("clEnqueueNDRangeKernel") - before, 1);
}

TEST_F(DeviceTrsmBatches, RefuseWhatReachesBeyondABuffer) {
  const cl::Buffer buffer = context.allocate(100 * sizeof(float), cl::Access::read_write);
  const auto position_of = [&](std::int64_t stride_a, std::int64_t stride_b, std::int64_t count) {
    return refused_position([&] {
      blas->trsm_strided_batched<float>(Layout::row_major, Side::left, Uplo::lower, Op::none,
                                        Diag::unit, 2, 2, 1, {raw(buffer), 0, 2}, stride_a,
                                        {raw(buffer), 0, 2}, stride_b, count);
    });
  };
  EXPECT_EQ(position_of(0, 4, 26), 12);
  EXPECT_EQ(position_of(25, 4, 5), 9);
  EXPECT_EQ(position_of(-4, 4, 5), 11);
  EXPECT_EQ(position_of(4, 3, 5), 14);
  EXPECT_EQ(position_of(4, 4, 0), 0);
  const DeviceMatrices two{raw(buffer), {0, 8}, 2}, three{raw(buffer), {0, 8, 16}, 2},
      beyond{raw(buffer), {0, 97}, 2};
  const auto position_in = [&](const DeviceMatrices& a, const DeviceMatrices& b) {
    return refused_position([&] {
      blas->trsm_batched<float>(Layout::row_major, Side::left, Uplo::lower, Op::none, Diag::unit, 2,
                                2, 1, a, b);
    });
  };
  EXPECT_EQ(position_in(three, two), 9);
  EXPECT_EQ(position_in(beyond, two), 9);
  EXPECT_EQ(position_in(two, beyond), 11);
}

TEST_F(DeviceTrsmBatches, OfTheCInterfaceAreTheSame) {
  duoblas_device_blas* c_blas = nullptr;
  ASSERT_EQ(duoblas_device_blas_create(raw(queue), &c_blas), DUOBLAS_OK);
  const std::vector<float> twos(9, 2.0F), fours(4 * 9, 4.0F);
  std::vector<float> result(fours.size());
  const cl::Buffer a = upload(twos.data(), twos.size(), 0),
                   b = upload(fours.data(), fours.size(), 0);
  EXPECT_EQ(duoblas_device_strsm_strided_batched(
                c_blas, DUOBLAS_ROW_MAJOR, DUOBLAS_RIGHT, DUOBLAS_UPPER, DUOBLAS_TRANS,
                DUOBLAS_NON_UNIT, 3, 3, 1, {raw(a), 0, 3}, 0, {raw(b), 0, 3}, 9, 4, nullptr),
            DUOBLAS_OK)
      << duoblas_last_error();
  download(b, result.data(), result.size(), 0);
  for (std::size_t at = 0; at < result.size(); ++at)
    EXPECT_EQ(result[at], at % 3 == 2 ? 2.0F : 0.0F) << at;
  const std::vector<std::int64_t> same{0, 0}, last{27, 18};
  EXPECT_EQ(
      duoblas_device_strsm_batched(c_blas, DUOBLAS_ROW_MAJOR, DUOBLAS_LEFT, DUOBLAS_LOWER,
                                   DUOBLAS_NO_TRANS, DUOBLAS_NON_UNIT, 3, 3, 0,
                                   {raw(a), same.data(), 3}, {raw(b), last.data(), 3}, 2, nullptr),
      DUOBLAS_OK)
      << duoblas_last_error();
  download(b, result.data(), result.size(), 0);
  EXPECT_EQ(std::vector<float>(result.begin() + 18, result.end()), std::vector<float>(18, 0.0F));
  EXPECT_EQ(result[17], 2.0F);
  EXPECT_EQ(
      duoblas_device_strsm_batched(c_blas, DUOBLAS_ROW_MAJOR, DUOBLAS_LEFT, DUOBLAS_LOWER,
                                   DUOBLAS_NO_TRANS, DUOBLAS_NON_UNIT, 3, 3, 1,
                                   {raw(a), nullptr, 3}, {raw(b), last.data(), 3}, 2, nullptr),
      DUOBLAS_INVALID_ARGUMENT);
  EXPECT_NE(std::string(duoblas_last_error()).find("argument 9 (a)"), std::string::npos);
  duoblas_device_blas_free(c_blas);
}

}  // namespace
}  // namespace duoblas::test
