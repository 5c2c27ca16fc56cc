// Each command of a call fails on the device in turn, not in the call that enqueues it, and the
// device goes on: nothing that is made of it counts, and it leaves nothing behind for later calls.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include <duoblas/context.hpp>

#include "api/context_state.hpp"
#include "cl_layer/layer_control.hpp"
#include "conformance/forced_context.hpp"
#include "gpu/device/opened_device.hpp"
#include "level3/blocked_level3.hpp"
#include "support/batch_of_context.hpp"
#include "support/inverse_case.hpp"
#include "support/level3_case.hpp"
#include "support/qr_case.hpp"
#include "support/vectors_of_context.hpp"

namespace duoblas::test {
namespace {

constexpr int short_of_memory = -4;

/// A call whose result is looked at; says whether the CPU had to step in. Its numbers are made of
/// the seed, so that what an earlier call left on the device is wrong for this one.
using CheckedCall = std::function<bool(Context&, std::uint64_t seed)>;

/// With a kind of command, and what CL_MEM_USE_HOST_PTR means (memory_model.hpp).
struct FailedCommands : testing::TestWithParam<std::tuple<std::string, std::string>> {
  const LayerControl& layer = LayerControl::get();
  const std::string kind = std::get<0>(GetParam());
  void SetUp() override {
    layer.reset();
    layer.memory_model(std::get<1>(GetParam()).c_str());
  }
  void TearDown() override {
    layer.true_driver();
    layer.memory_model(nullptr);
    layer.reset();
  }

  static Settings settings() {
    Settings settings = forced_settings();
    settings.check = CheckMode::off;
    return settings;
  }

  /// One for all tests of a memory model: to open a GPU takes a third of a second, and kernels are
  /// built again.
  static Context& opened() {
    static auto& contexts = *new std::map<std::string, std::unique_ptr<Context>>;
    auto& context = contexts[std::get<1>(GetParam())];
    if (!context) context = std::make_unique<Context>(settings());
    return *context;
  }

  /// The first commands, and ever fewer of the later ones. A call in between is right on the
  /// device, whatever was left there.
  void expect_told(const CheckedCall& run) {
    Context& context = opened();
    run(context, 1);  // makes what later ones have
    bool fails = true;
    for (long number = 1; fails && number < 2000; number += 1 + number / 4) {
      SCOPED_TRACE(number);
      const auto seed = static_cast<std::uint64_t>(10 * number);
      EXPECT_FALSE(run(context, seed));
      fails = fails_at(number, [&] { return run(context, seed + 5); });
    }
    EXPECT_FALSE(fails) << "no end of commands";
  }

  /// The same for commands of a context's first call, which builds kernels and tries them: what
  /// fails then says nothing about a kernel.
  void expect_told_at_first(const CheckedCall& run) {
    bool fails = true;
    for (long number = 1; fails && number < 2000; number += 1 + number / 2) {
      SCOPED_TRACE(number);
      Settings untried = settings();
      untried.check = CheckMode::sampled;
      untried.cache_dir.clear();
      Context context(untried);
      ASSERT_NE(ContextEngine::of(context).gpu(), nullptr);
      testing::internal::CaptureStderr();
      fails = fails_at(number, [&] { return run(context, 1); });
      EXPECT_FALSE(run(context, 2));
      EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "no kernel is said to be wrong";
    }
    EXPECT_FALSE(fails) << "no end of commands";
  }

 private:
  template <typename Call>
  bool fails_at(long number, Call&& call) {
    layer.fail_command(kind.c_str(), number, short_of_memory);
    const bool recovered = call();
    const bool fails = layer.has_failed_command() != 0;
    layer.true_driver();
    EXPECT_EQ(recovered, fails);
    return fails;
  }
};

INSTANTIATE_TEST_SUITE_P(Kinds, FailedCommands,
                         testing::Combine(testing::Values("upload", "download", "fill", "copy",
                                                          "kernel", "map"),
                                          testing::Values("", "shadow")),
                         [](const auto& info) {
                           const std::string model = std::get<1>(info.param);
                           return std::get<0>(info.param) + (model.empty() ? "" : "_" + model);
                         });

bool recovered() {
  return Context::last_call().recovered;
}

CheckedCall gemm(CaseFactors factors) {
  return [=](Context& context, std::uint64_t seed) mutable {
    factors.seed = seed;
    expect_right<double>(factors, through<double>(context));
    return recovered();
  };
}

TEST_P(FailedCommands, OfAProductAreTold) {
  for (const double beta : {0.0, -0.5}) {
    expect_told(gemm({.m = 60, .n = 44, .k = 31, .pad = 2, .alpha = 0.75, .beta = beta}));
    expect_told(gemm({.m = 64, .n = 64, .k = 31, .alpha = 0.75, .beta = beta}));
  }
}

TEST_P(FailedCommands, OfAFirstProductAreTold) {
  expect_told_at_first(gemm({.m = 60, .n = 44, .k = 31, .beta = -0.5}));
}

TEST_P(FailedCommands, OfABatchAreTold) {
  for (const bool by_pointers : {false, true})
    expect_told([=](Context& context, std::uint64_t seed) {
      BatchFactors f;
      f.one = {.m = 18, .n = 14, .k = 11, .pad = 1, .alpha = 1.5, .beta = -0.5, .seed = seed};
      f.count = 9;
      f.shuffled = by_pointers;
      expect_batch_right<float>(
          f, [&](const BatchCall<float>& b) { multiply_batch(context, b, by_pointers); });
      return recovered();
    });
}

// With other factors instead of other numbers.
double factor(std::uint64_t seed) {
  return static_cast<double>(seed % 97) / 64 + 0.25;
}

CheckedCall gemv(GemvCase of) {
  return [=](Context& context, std::uint64_t seed) mutable {
    of.alpha = factor(seed);
    expect_right_gemv<double>(of, [&](const CallerGemv& c) { call_gemv<double>(context, c); });
    return recovered();
  };
}

// Its work-groups are counted in memory that stays between calls, and was filled with zeros once.
CheckedCall fused(CheckedCall run) {
  return [=](Context& context, std::uint64_t seed) {
    OpenedDevice& device = *ContextEngine::of(context).gpu()->device();
    for (const bool transposes : {false, true}) {
      GemvKernel kernel = default_gemv_kernel(device.limits, Precision::d, transposes);
      kernel.fused = 2;
      device.gemv.prefer(Precision::d, transposes, kernel);
    }
    const bool recovers = run(context, seed);
    for (const bool transposes : {false, true})
      device.gemv.prefer(Precision::d, transposes, std::nullopt);
    return recovers;
  };
}

constexpr GemvCase long_sums{.m = 24, .n = 5000, .incx = 2, .beta = -0.5};
constexpr GemvCase long_columns{.op = Op::transpose, .m = 5000, .n = 70, .incy = -2};

TEST_P(FailedCommands, OfGemvAreTold) {
  for (const GemvCase& of : {long_sums, long_columns}) {
    expect_told(gemv(of));
    expect_told(fused(gemv(of)));
  }
}

TEST_P(FailedCommands, OfAFirstGemvAreTold) {
  expect_told_at_first(fused(gemv(long_sums)));
}

TEST_P(FailedCommands, OfLevel3AreTold) {
  for (const Routine routine :
       {Routine::symm, Routine::syrk, Routine::syr2k, Routine::trmm, Routine::trsm})
    expect_told([&](Context& context, std::uint64_t seed) {
      Level3Factors f{.routine = routine, .order = 90, .free = 31, .alpha = 0.75, .beta = -0.5};
      f.seed = seed;
      Outcome did;
      expect_right<double>(f, [&](const CallerLevel3& call) {
        did = run_level3(ContextEngine::of(context), to_row_major(call));
      });
      return did.recovered;
    });
}

LapackOutcome run_here(Context& context, const LapackProblem& p) {
  return run(ContextEngine::of(context), p);
}

TEST_P(FailedCommands, OfFactorisationsAreTold) {
  expect_told([](Context& context, std::uint64_t seed) {
    General<double> matrix(60, 50, 2, seed);
    const LapackOutcome did = run_here(context, matrix.problem());
    EXPECT_LT(matrix.error(), most_error);
    return did.outcome.recovered;
  });
  expect_told([](Context& context, std::uint64_t seed) {
    Definite<double> matrix(60, Uplo::lower, 2, seed);
    const LapackOutcome did = run_here(context, matrix.problem(LapackRoutine::potrf));
    EXPECT_EQ(did.info, 0);
    EXPECT_LT(matrix.error(), most_error);
    return did.outcome.recovered;
  });
  expect_told([](Context& context, std::uint64_t seed) {
    Orthogonal<double> matrix(60, 50, 2, seed);
    const LapackOutcome did = run_here(context, matrix.problem());
    EXPECT_LT(qr_error(matrix), most_error);
    return did.outcome.recovered;
  });
}

// One group, which no driver has to run beside another one.
TEST_P(FailedCommands, OfPanelsThatTheDeviceMakesAreTold) {
  expect_told([](Context& context, std::uint64_t seed) {
    Engine& engine = ContextEngine::of(context);
    std::atomic<int>& groups = engine.gpu()->device()->panels.groups;
    groups = 1;
    General<double> matrix(258, 256, 2, seed);
    const LapackOutcome did = run(engine, matrix.problem(), MatrixHome::copied);
    groups = 0;
    EXPECT_LT(matrix.error(), most_error);
    return did.outcome.recovered;
  });
}

// On the CPU, before the device is asked for more.
template <typename Matrix>
void factorise(Context& context, Matrix& matrix, LapackRoutine routine) {
  Engine& engine = ContextEngine::of(context);
  engine.cpu().run(matrix.problem(routine),
                   engine.plans().cpu_alone(Precision::d, Reason::none).cpu);
}

TEST_P(FailedCommands, OfInversesAreTold) {
  expect_told([](Context& context, std::uint64_t seed) {
    General<double> matrix(70, 70, 2, seed);
    factorise(context, matrix, LapackRoutine::getrf);
    const LapackOutcome did = run_here(context, matrix.problem(LapackRoutine::getri));
    EXPECT_LT(inverse_error(matrix.factors, matrix.a), most_error);
    return did.outcome.recovered;
  });
}

TEST_P(FailedCommands, OfSolvesAreTold) {
  const auto solved = [](Context& context, LapackProblem p, std::uint64_t seed,
                         const Columns<double>& a) {
    Columns<double> b(70, a.lines());
    b.randomise(seed + 1);
    Columns<double> x = b;
    with_right_sides(p, x);
    const LapackOutcome did = run_here(context, p);
    EXPECT_LT(residual(a, x, b), most_error);
    return did.outcome.recovered;
  };
  expect_told([&](Context& context, std::uint64_t seed) {
    General<double> matrix(70, 70, 2, seed);
    factorise(context, matrix, LapackRoutine::getrf);
    return solved(context, matrix.problem(LapackRoutine::getrs), seed, matrix.a);
  });
  expect_told([&](Context& context, std::uint64_t seed) {
    General<double> matrix(70, 70, 2, seed);
    return solved(context, matrix.problem(LapackRoutine::gesv), seed, matrix.a);
  });
  expect_told([&](Context& context, std::uint64_t seed) {
    Definite<double> matrix(70, Uplo::lower, 2, seed);
    factorise(context, matrix, LapackRoutine::potrf);
    return solved(context, matrix.problem(LapackRoutine::potrs), seed, matrix.whole);
  });
  expect_told([&](Context& context, std::uint64_t seed) {
    Definite<double> matrix(70, Uplo::upper, 2, seed);
    return solved(context, matrix.problem(LapackRoutine::posv), seed, matrix.whole);
  });
}

TEST_P(FailedCommands, OfReflectorsAreTold) {
  expect_told([](Context& context, std::uint64_t seed) {
    Orthogonal<double> matrix = factorised<double>(ContextEngine::of(context), 60, 50, 2, seed);
    Columns<double> q(50, 60);
    for (std::int64_t j = 0; j < 50; ++j)
      for (std::int64_t i = 0; i < 60; ++i) q.at(j, i) = i == j ? 1 : 0;
    reflect(matrix, false, q);
    LapackProblem p = matrix.problem(LapackRoutine::orgqr);
    p.reflectors = 50;
    const LapackOutcome did = run_here(context, p);
    EXPECT_LT(difference(matrix.factors, q), most_error);
    return did.outcome.recovered;
  });
  expect_told([](Context& context, std::uint64_t seed) {
    Orthogonal<double> matrix = factorised<double>(ContextEngine::of(context), 60, 50, 2, seed);
    Columns<double> b(70, 60), product(70, 60);
    b.randomise(seed + 1);
    product = b;
    reflect(matrix, false, product);
    LapackProblem p = matrix.problem(LapackRoutine::ormqr);
    with_right_sides(p, b);
    const LapackOutcome did = run_here(context, p);
    EXPECT_LT(difference(b, product), most_error);
    return did.outcome.recovered;
  });
}

}  // namespace
}  // namespace duoblas::test
