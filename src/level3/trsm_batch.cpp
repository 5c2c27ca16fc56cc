#include "level3/trsm_batch.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <random>
#include <utility>

#include "check/level3_check.hpp"
#include "engine/outcome.hpp"
#include "gpu/streams/trsm_batched.hpp"
#include "level3/blocked_level3.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

// Checked are so many solves of a call, or all.
constexpr std::int64_t sampled_solves = 4;

// Solves that are worth a job of their own, and those that the CPU BLAS does not take as they are.
bool are_better_alone(const TrsmBatch& batch) {
  constexpr std::int64_t largest_order = 256;
  constexpr double most_flops = 2.0 * 512 * 512 * 512;  // as products of a batch
  const Level3Problem& p = batch.shape;
  return batch.count == 1 || order(p) > largest_order || flops(p) >= most_flops ||
         std::max({p.m, p.n, p.lda, p.ldc}) > cpu_blas_limits.leading_dimension;
}

void copy_rows(const Level3Problem& p, void* to, std::int64_t to_ld, const void* from,
               std::int64_t from_ld) {
  const auto element = static_cast<std::int64_t>(element_size(p.precision));
  for (std::int64_t row = 0; row < p.m; ++row)
    std::memcpy(static_cast<char*>(to) + row * to_ld * element,
                static_cast<const char*>(from) + row * from_ld * element,
                static_cast<std::size_t>(p.n * element));
}

// The old and the new values are in the caller's memory and the job's, or the other way round.
WrongOutput wrong_solve(const Level3Problem& solve, const RoutineJob& job, std::int64_t number,
                        std::uint64_t seed) {
  if (!can_check(solve)) return {};
  const std::size_t bytes =
      static_cast<std::size_t>(solve.m * solve.n) * element_size(solve.precision);
  const auto in_job = [&](const void* values) {
    return static_cast<const char*>(values) + static_cast<std::size_t>(number) * bytes;
  };
  const bool apart = job.results() != nullptr;
  std::vector<char> b(bytes);
  Level3Problem p = solve;
  p.c = b.data();
  p.ldc = p.n;
  if (apart)
    copy_rows(p, p.c, p.ldc, solve.c, solve.ldc);
  else
    std::memcpy(p.c, in_job(job.old_values()), bytes);
  Level3Check check(p, seed, 1.0, {});
  if (apart)
    std::memcpy(p.c, in_job(job.results()), bytes);
  else
    copy_rows(p, p.c, p.ldc, solve.c, solve.ldc);
  const auto wrong = check.compare().wrong;
  if (!wrong) return {};
  return check.describe(*wrong) + " in solve " + std::to_string(number) + " of a batch";
}

Outcome run_on_cpu(Engine& engine, const std::vector<TrsmBatch>& small) {
  Outcome outcome;
  outcome.products = 1;
  outcome.plan = engine.plans().cpu_alone(small.front().shape.precision, Reason::too_small);
  const Stopwatch watch;
  engine.cpu().run(TrsmCalls(small), outcome.plan.cpu);
  outcome.times.cpu = outcome.times.whole = watch.seconds();
  for (const TrsmBatch& batch : small) engine.log().call(TrsmRoutine(batch), outcome);
  return outcome;
}

}  // namespace

std::string TrsmRoutine::text() const {
  const Level3Problem& p = batch_.shape;
  return std::string(1, letter(p.precision)) + "trsm_batched m=" + std::to_string(p.m) +
         " n=" + std::to_string(p.n) + (p.side == Side::left ? " left" : " right");
}

// Alike are solves of about the same order and number of right-hand sides, in memory that is
// reached in one manner.
std::uint64_t TrsmRoutine::number() const {
  const Level3Problem& p = batch_.shape;
  const std::int64_t lines = order(p), sides = free_extent(p);
  const int wide = sides < lines / 4 ? 0 : sides < lines ? 1 : sides < 4 * lines ? 2 : 3;
  const bool at_places = batch_.a.places != nullptr || batch_.b.places != nullptr;
  return stream_number(RoutineProgramKind::trsm_batched, p.precision,
                       {wide, p.side == Side::left, at_places});
}

double TrsmRoutine::kept_bytes() const {
  return static_cast<double>(batch_.count) * static_cast<double>(batch_.shape.m) *
         static_cast<double>(batch_.shape.n) * static_cast<double>(element_size(precision()));
}

std::int64_t TrsmRoutine::unit(const GpuSide&) const {
  return solves_at_once(batch_.shape);
}

void TrsmRoutine::run(CpuSide& cpu, const CpuConfig& config, Interval outputs, bool* begun) const {
  const TrsmBatch part = batch_.part(outputs);
  cpu.run(TrsmCalls({&part, 1}), config, begun);
}

// Each thread calls a BLAS with one thread.
void TrsmRoutine::require(CpuSide& cpu, const CpuConfig& config) const {
  CpuConfig one = config;
  one.threads = 1;
  cpu.require(Routine::trsm, precision(), one);
}

RoutineJob TrsmRoutine::start(GpuSide& gpu, Interval outputs, Interval of_host, SharingMode sharing,
                              bool looked_at) const {
  return start_trsm_batch(gpu.device(), batch_.part(outputs), sharing, batch_.part(of_host),
                          looked_at);
}

void TrsmRoutine::publish(const RoutineJob& job, Interval outputs) const {
  publish_trsm_batch(job, batch_.part(outputs));
}

WrongOutput TrsmRoutine::wrong(const RoutineJob& job, Interval outputs, bool all,
                               std::uint64_t seed) const {
  const TrsmBatch part = batch_.part(outputs);
  const bool each = all || part.count <= sampled_solves;
  std::mt19937_64 engine(seed);
  std::uniform_int_distribution<std::int64_t> any(0, part.count - 1);
  for (std::int64_t i = 0; i < (each ? part.count : sampled_solves); ++i) {
    const std::int64_t number = each ? i : any(engine);
    if (auto wrong = wrong_solve(part.solve(number), job, number, engine())) return wrong;
  }
  return {};
}

std::vector<TriedProgram> TrsmRoutine::programs(const GpuSide&) const {
  return {trsm_program(batch_.shape)};
}

Outcome run_trsm_batches(Engine& engine, const std::vector<TrsmBatch>& batches) {
  WholeCall call;
  std::int64_t solves = 0;
  std::vector<TrsmBatch> small;
  const bool by_speed = engine.plans().request().chooses_by_speed();
  for (const TrsmBatch& batch : batches) {
    solves += batch.count;
    if (batch.empty()) continue;
    const bool is_small = by_speed && traffic_bytes(batch) < smallest_stream_bytes;
    if (batch.shape.only_scales_c() || (is_small && !are_better_alone(batch))) {
      small.push_back(batch);
      continue;
    }
    if (are_better_alone(batch)) {
      for (std::int64_t i = 0; i < batch.count; ++i) {
        Outcome outcome = run_level3(engine, batch.solve(i));
        if (outcome.used_gpu && outcome.plan.strategy == Strategy::gpu) outcome.gpu_products = 1;
        call.add(std::move(outcome));
      }
      continue;
    }
    Outcome outcome = engine.run(TrsmRoutine(batch));
    if (outcome.used_gpu) outcome.gpu_products = outcome.plan.gpu_extent;
    call.add(std::move(outcome));
  }
  if (!small.empty()) call.add(run_on_cpu(engine, small));
  Outcome outcome = call.take();
  outcome.batch_products = solves;
  return outcome;
}

}  // namespace duoblas
