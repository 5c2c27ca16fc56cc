// decide() and carry_out() of lapack_call.hpp for getri: a solve with the factors. With Y for which
// A^H Y = 1, inv(A) is Y^H. So it is inv(A) A whose residual is a solve's, as it is LAPACK's.
#include <algorithm>
#include <cstdint>
#include <new>
#include <variant>

#include "cpu/workers.hpp"
#include "engine/cpu_blas.hpp"
#include "lapack/device_decision.hpp"
#include "lapack/solves.hpp"
#include "os/page_block.hpp"
#include "problem/adjoint.hpp"
#include "problem/element_types.hpp"

namespace duoblas {
namespace {

LapackProblem solve_for(const LapackProblem& p, void* y) {
  LapackProblem solve = p;
  solve.routine = LapackRoutine::getrs;
  solve.op = adjoint(p.precision);
  solve.right_sides = solve.ldb = p.n;
  solve.b = y;
  return solve;
}

// The pages are new, and their first touch takes longer than the writing: each thread has some.
void become_identity(const LapackProblem& solve) {
  with_element_type(solve.precision, [&](auto zero) {
    using T = decltype(zero);
    parallel_for(solve.n, [&](std::int64_t begin, std::int64_t end) {
      T* const y = static_cast<T*>(solve.b);
      std::fill(y + begin * solve.ldb, y + end * solve.ldb, zero);
      for (std::int64_t i = begin; i < end; ++i) y[i * solve.ldb + i] = T(1);
    });
  });
}

}  // namespace

Decision decide_inverse(Engine& engine, const LapackProblem& p, MatrixHome home) {
  Decision decision;
  decision.reason = Reason::routine_fastest;
  if (const auto call = solve_on_device(engine, solve_for(p, nullptr), home))
    decision.steps.emplace_back(*call);
  return decision;
}

// A is written at the very end, so until then LAPACK can do the call. Where the device works in
// place and is asked for, level 3 divides the solve.
LapackOutcome carry_out_inverse(Engine& engine, const LapackProblem& p, const Decision& decision) {
  LapackOutcome did;
  did.outcome.plan.reason = decision.reason;
  did.info = first_zero(p);
  if (did.info > 0) return did;
  const auto* const call =
      decision.steps.empty() ? nullptr : std::get_if<DeviceFactorisation>(&decision.steps.front());
  if (call != nullptr || engine.plans().insists_on_gpu()) try {
      const PageBlock memory(static_cast<std::size_t>(p.n * p.n) * element_size(p.precision));
      const LapackProblem solve = solve_for(p, memory.data());
      become_identity(solve);
      did.outcome =
          call != nullptr
              ? solve_on_device(engine, DeviceFactorisation{solve, call->width, call->plan})
              : solve_factorised(engine, solve);
      run_on_cpu(engine, AdjointCopy{p.precision, p.n, p.n, memory.data(), p.n, p.a, p.lda});
      return did;
    } catch (const std::bad_alloc&) {
      // The CPU needs less.
    }
  did.info = run_on_cpu(engine, p);
  return did;
}

}  // namespace duoblas
