// What both variants of a level-3 call (by halves, as one job of the device) have in common.
// Private to src/level3.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "engine/engine.hpp"
#include "facts/rates.hpp"
#include "level3/blocked_level3.hpp"
#include "planner/forecast.hpp"
#include "planner/reason.hpp"
#include "planner/way.hpp"
#include "problem/halving.hpp"

namespace duoblas {

/// The product with the call's operands, with whole matrices in place of triangles.
GemmProblem whole_product(const Level3Problem& problem);
/// Seconds of the CPU alone by the cost model; 0: it has no estimate.
double estimated_cpu_seconds(const Engine& engine, const Level3Problem& problem);

/// Whether an estimate is so much lower than the CPU's that it counts as a gain. `part` of the call
/// is compared.
inline bool gains(double seconds, double cpu_seconds, double part = 1) {
  return cpu_seconds - seconds >
         std::max(part * (1 - worthwhile) * cpu_seconds, rates::seconds_of_own_spinning);
}

/// Whether the CPU BLAS takes less for the call than the device must gain, as estimated. Such calls
/// are not planned.
bool is_too_short(const Engine& engine, const Level3Problem& problem);

/// The largest leading dimension of the call's operands.
std::int64_t widest_ld(const Level3Problem& p);

/// For a CPU BLAS with 32-bit integers: calls `run` with a copy of each operand whose ld is over
/// `max_ld`, and then copies back what it wrote: for C of syrk, syr2k, herk and her2k only the
/// stored triangle. \pre no extent is over max_ld.
void with_narrow_copies(const Level3Problem& p, std::int64_t max_ld,
                        const std::function<void(const Level3Problem&)>& run);

/// `product` and `routine` get what the CPU BLAS does of the step, in order: what only scales is a
/// product, and what exceeds the limits is divided. Needs no memory, if both are references.
void divide(const Step& step, const RoutineLimits& limits,
            const std::function<void(const GemmProblem&)>& product,
            const std::function<void(const RoutineStep&)>& routine);
/// Turns the steps into calls of the CPU BLAS, and divides steps that exceed its limits.
std::vector<CallStep> steps_on_cpu(Engine& engine, const RoutineLimits& limits,
                                   const std::vector<Step>& steps);
/// Does the steps: products as planned, and routines on all cores; or everything with `config`,
/// which leaves cores to a device that computes meanwhile. \throws CpuBlasError.
void carry_out_on_cpu(Engine& engine, const std::vector<CallStep>& steps,
                      const CpuConfig* config = nullptr);
void carry_out(Engine& engine, const RoutineStep& step, const CpuConfig* config = nullptr);
/// Does a step on all cores. Needs no memory, except for leading dimensions over the CPU BLAS's: in
/// the middle of a call. \throws CpuBlasError.
void run_on_cpu(Engine& engine, const Step& step);

/// A level-3 call by halves: one full block, which is a product for both sides, and two halves of
/// the same kind, again and again as long as the products gain. What is left is the CPU BLAS's own
/// routine.
struct CallHalves {
  std::vector<CallStep> steps;     ///< in their order
  std::optional<Reason> declined;  ///< why the whole call is not halved, where it is not
  /// Then: the kind of the product that is the CPU's by what is known of it, if one is.
  std::optional<CallKind> left;
};

/// Plans each product, once. With an engine that insists on the GPU there are three levels of
/// halves, whatever they gain.
CallHalves halves_of_call(Engine& engine, const RoutineLimits& limits,
                          const Level3Problem& problem);

/// What a call is expected to take each way; 0: it cannot go that way, or nothing is expected.
struct SecondsOfWays {
  double plain = 0, job = 0, halves = 0;
};
/// Which way it goes, by what such calls took, or else by these. `may_be_plain`: where its halves
/// are not to find out a time.
Way choose_way(Engine& engine, const Level3Problem& problem, const SecondsOfWays& expected,
               bool may_be_plain = true);

/// Notes the call's time, by which later ones are judged. \pre engine.learning().is_on()
void remember(Engine& engine, const Level3Problem& problem, const Decision& decision,
              const Outcome& did, const CallClass& call);

/// The call as one job of the device. If the device cannot hold all operands at once: as several
/// jobs and products between them (device_parts.hpp). Empty if the device does not take such
/// calls, or if `pays`, which is asked with the expected seconds, says no; null: it is not asked.
std::vector<CallStep> device_steps(Engine& engine, const Level3Problem& problem,
                                   const std::function<bool(double)>& pays = {});
Outcome carry_out(Engine& engine, const DeviceCall& call, Level3Device& device);

/// That of a product or a job; null: of the CPU BLAS's own routine.
const Plan* plan_of(const CallStep& step);
/// Seconds that the steps are expected to take; 0: not known.
double expected_seconds(const Engine& engine, const std::vector<CallStep>& steps);

}  // namespace duoblas
