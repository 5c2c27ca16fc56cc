// Every public entry in a forked child: it answers, on the CPU, and leaves OpenCL alone.
#include <gtest/gtest.h>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <duoblas/duoblas.h>
#include <duoblas/opencl.h>
#include <duoblas/duoblas.hpp>
#include <duoblas/opencl.hpp>

#include "api/context_state.hpp"
#include "conformance/forced_context.hpp"
#include "opencl/device.hpp"
#include "opencl/handles.hpp"

namespace duoblas::test {
namespace {

constexpr unsigned watchdog_seconds = 60;
constexpr std::int64_t n = 300;
const std::string reason = "forked child: CPU only";

// What the parent did before the fork.
enum class Before { both_sides, cpu_only };

void PrintTo(Before before, std::ostream* out) {
  *out << (before == Before::both_sides ? "both sides" : "CPU only");
}

Settings settings_for(Before before) {
  Settings settings = forced_settings();
  if (before == Before::cpu_only) {
    settings.strategy = Strategy::cpu;
    settings.split.reset();
  }
  return settings;
}

std::vector<double> square(double value) {
  return std::vector<double>(static_cast<std::size_t>(n * n), value);
}

class ForkedChild : public testing::TestWithParam<Before> {
 protected:
  ForkedChild() {
    context_.gemm(Layout::row_major, Op::none, Op::none, n, n, n, 1, a_.data(), n, b_.data(), n, 0,
                  c_.data(), n);
    EXPECT_EQ(Context::last_call().strategy,
              GetParam() == Before::both_sides ? Strategy::hybrid : Strategy::cpu);
  }

  // The child's failures are printed there; one that hangs dies of SIGALRM.
  template <typename Body>
  void in_child(Body&& body) {
    std::fflush(nullptr);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::alarm(watchdog_seconds);
      try {
        body();
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
      if (GetParam() == Before::cpu_only) {
        EXPECT_EQ(::dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_NOLOAD), nullptr);
      }
      std::fflush(nullptr);
      ::_exit(HasFailure() ? 1 : 0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }

  std::vector<double> a_ = square(1), b_ = square(2), c_ = square(0);
  Context context_{settings_for(GetParam())};
};

void expect_says_why(Context& context) {
  const std::string said = context.describe();
  EXPECT_NE(said.find("GPU: none (" + reason + ")"), std::string::npos) << said;
  EXPECT_NE(said.find("CPU: "), std::string::npos) << said;
}

TEST_P(ForkedChild, DescribesTheParentsContextAndOneOfItsOwn) {
  in_child([&] {
    expect_says_why(context_);
    Context own(forced_settings());
    expect_says_why(own);
    expect_says_why(Context::process_default());
  });
}

TEST_P(ForkedChild, KnowsAMachineWithoutAGpuAndItsProfile) {
  in_child([&] {
    Context own(forced_settings());
    for (Context* context : {&context_, &own}) {
      Engine& engine = ContextEngine::of(*context);
      EXPECT_EQ(engine.facts().profile_problem(), "");
      EXPECT_EQ(engine.facts().profile_key().device, "");
      EXPECT_EQ(engine.facts().profile_origin().vendor, "");
      engine.facts().adopt(Profile{});
      EXPECT_FALSE(engine.machine().has_gpu);
      EXPECT_EQ(engine.gpu(), nullptr);
      EXPECT_EQ(engine.facts().gpu_problem(), reason);
    }
  });
}

TEST_P(ForkedChild, MultipliesAndSolvesOnTheCpu) {
  in_child([&] {
    Context own(forced_settings());
    for (Context* context : {&context_, &own}) {
      c_ = square(-1);
      context->gemm(Layout::row_major, Op::none, Op::none, n, n, n, 1, a_.data(), n, b_.data(), n,
                    0, c_.data(), n);
      EXPECT_EQ(c_, square(600));
      EXPECT_EQ(Context::last_call().reason, reason);
      context->symm(Layout::row_major, Side::left, Uplo::upper, n, n, 1, a_.data(), n, b_.data(), n,
                    0, c_.data(), n);
      EXPECT_EQ(c_, square(600));
      c_ = square(-1);
      Job job = context->gemm_async(Layout::row_major, Op::none, Op::none, n, n, n, 1, a_.data(), n,
                                    b_.data(), n, 0, c_.data(), n);
      EXPECT_TRUE(job.done());
      job.wait();
      EXPECT_EQ(c_, square(600));
    }
  });
}

// All ones with the order added to the diagonal, by 2 n: solutions are ones.
TEST_P(ForkedChild, SolvesEquationsOnTheCpu) {
  const auto solves = [](Context& context) {
    std::vector<double> general = square(1), x(static_cast<std::size_t>(n), 2.0 * n);
    for (std::size_t i = 0; i < general.size(); i += static_cast<std::size_t>(n + 1))
      general[i] += static_cast<double>(n);
    std::vector<double> definite = general, y = x;
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
    EXPECT_EQ(context.gesv(n, 1, general.data(), n, pivots.data(), x.data(), n), 0);
    EXPECT_EQ(context.posv(Uplo::lower, n, 1, definite.data(), n, y.data(), n), 0);
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(x[i], 1, 1e-12);
      EXPECT_NEAR(y[i], 1, 1e-12);
    }
  };
  solves(context_);
  EXPECT_EQ(Context::last_call().strategy,
            GetParam() == Before::both_sides ? Strategy::hybrid : Strategy::cpu);
  in_child([&] {
    Context own(forced_settings());
    for (Context* context : {&context_, &own}) {
      solves(*context);
      EXPECT_EQ(Context::last_call().strategy, Strategy::cpu);
      EXPECT_EQ(Context::last_call().reason, reason);
    }
  });
}

TEST_P(ForkedChild, MultipliesWithMatricesThatItOrItsParentPrepared) {
  auto of_parent =
      std::make_unique<Prepared<double>>(context_.prepare(Layout::row_major, n, n, a_.data(), n));
  in_child([&] {
    const Prepared<double> own = context_.prepare(Layout::row_major, n, n, b_.data(), n);
    EXPECT_FALSE(own.on_device());
    EXPECT_FALSE(of_parent->on_device());
    c_ = square(-1);
    context_.gemm<double>(Layout::row_major, Op::none, Op::none, n, n, n, 1, *of_parent, own, 0,
                          c_.data(), n);
    EXPECT_EQ(c_, square(600));
    of_parent.reset();
  });
}

TEST_P(ForkedChild, AnswersInEveryFunctionOfC) {
  const auto multiply = [&] {
    c_ = square(-1);
    return duoblas_dgemm(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, n, n, n, 1,
                         a_.data(), n, b_.data(), n, 0, c_.data(), n) == DUOBLAS_OK &&
           c_ == square(600);
  };
  if (GetParam() == Before::both_sides) {
    ASSERT_EQ(duoblas_set_split(1, 2), DUOBLAS_OK);
    ASSERT_TRUE(multiply());
    ASSERT_EQ(Context::last_call().strategy, Strategy::hybrid);
  }
  ASSERT_EQ(duoblas_register(a_.data(), a_.size() * sizeof(double)), DUOBLAS_OK);
  in_child([&] {
    EXPECT_EQ(duoblas_set_split(1, 2), DUOBLAS_OK);
    EXPECT_EQ(duoblas_set_math(DUOBLAS_MATH_TF32X3), DUOBLAS_OK);
    EXPECT_TRUE(multiply());
    EXPECT_EQ(duoblas_dtrsm(DUOBLAS_ROW_MAJOR, DUOBLAS_LEFT, DUOBLAS_LOWER, DUOBLAS_NO_TRANS,
                            DUOBLAS_UNIT, n, n, 1, a_.data(), n, c_.data(), n),
              DUOBLAS_OK);
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
    std::int64_t zero = 0;
    EXPECT_EQ(duoblas_dgetrf(n, n, square(1).data(), n, pivots.data(), &zero), DUOBLAS_SINGULAR);
    EXPECT_EQ(zero, 2);
    EXPECT_EQ(duoblas_register(b_.data(), 100), DUOBLAS_OK);
    EXPECT_EQ(duoblas_unregister(b_.data()), DUOBLAS_OK);
    duoblas_prepared* prepared = nullptr;
    EXPECT_EQ(duoblas_dprepare(DUOBLAS_ROW_MAJOR, n, n, a_.data(), n, &prepared), DUOBLAS_OK);
    EXPECT_EQ(duoblas_prepared_on_device(prepared), 0);
    EXPECT_EQ(
        duoblas_dgemm_prepared(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, n, n, n, 1,
                               {nullptr, 0, prepared}, {b_.data(), n, nullptr}, 0, c_.data(), n),
        DUOBLAS_OK);
    EXPECT_EQ(c_, square(600));
    duoblas_prepared_free(prepared);
    EXPECT_EQ(duoblas_unregister(a_.data()), DUOBLAS_OK);
    void* memory = duoblas_malloc(1000);
    EXPECT_NE(memory, nullptr);
    duoblas_free(memory);
    EXPECT_EQ(duoblas_clear_split(), DUOBLAS_OK);
  });
  EXPECT_EQ(duoblas_unregister(a_.data()), DUOBLAS_OK);
  EXPECT_EQ(duoblas_clear_split(), DUOBLAS_OK);
}

INSTANTIATE_TEST_SUITE_P(Of, ForkedChild, testing::Values(Before::both_sides, Before::cpu_only),
                         [](const auto& instance) {
                           return instance.param == Before::both_sides
                                      ? "AParentThatUsedBothSides"
                                      : "AParentThatUsedTheCpuOnly";
                         });

// The queue is the parent's, or made by a driver that a fork has broken: it is not looked at.
TEST_P(ForkedChild, IsRefusedADeviceBlas) {
  int no_queue = 0;
  auto* queue = reinterpret_cast<_cl_command_queue*>(&no_queue);
  in_child([&] {
    duoblas_device_blas* made = nullptr;
    EXPECT_EQ(duoblas_device_blas_create(queue, &made), DUOBLAS_DEVICE_ERROR);
    EXPECT_EQ(made, nullptr);
    EXPECT_STREQ(duoblas_last_error(),
                 "OpenCL does not survive a fork: this process is a forked child");
    EXPECT_THROW(DeviceBlas(queue, forced_settings()), DeviceError);
  });
}

TEST(ForkedChildDeviceBlas, OfTheParentIsRefusedAndFreed) {
  const cl::Context context(cl::list_devices().at(0));
  const cl::Queue queue(context);
  auto blas =
      std::make_unique<DeviceBlas>(static_cast<_cl_command_queue*>(queue.raw()), forced_settings());
  std::fflush(nullptr);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(watchdog_seconds);
    bool refused = false;
    try {
      blas->gemm<float>(Layout::row_major, Op::none, Op::none, 0, 1, 1, 1, {nullptr, 0, 1},
                        {nullptr, 0, 1}, 0, {nullptr, 0, 1});
    } catch (const DeviceError& error) {
      refused = std::string(error.what()).find("does not survive a fork") != std::string::npos;
    }
    blas.reset();
    ::_exit(refused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace duoblas::test
