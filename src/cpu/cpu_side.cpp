#include "cpu/cpu_side.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <variant>

#include "cpu/batch_tasks.hpp"
#include "cpu/blas_instance.hpp"
#include "cpu/cpu_limits.hpp"
#include "cpu/level3_tiles.hpp"
#include "cpu/pieces.hpp"
#include "cpu/tiles.hpp"
#include "cpu/triangle_inverse.hpp"
#include "cpu/vector_pieces.hpp"
#include "cpu/workers.hpp"
#include "os/fork_state.hpp"
#include "problem/partition.hpp"
#include "problem/scale_c.hpp"

namespace duoblas {

struct CpuSide::State {
  CpuLimits limits;
  std::string library;
  std::vector<int> process_cores;  // that a thread has unless it was bound to fewer

  int threads(const CpuConfig& config) const {
    const int cores = static_cast<int>(config.cores.size());
    const int wanted = config.threads > 0 ? config.threads : cores > 0 ? cores : limits.threads;
    return std::clamp(wanted, 1, limits.threads);
  }

  InstanceRequest request(const CpuConfig& config) const {
    InstanceRequest request;
    request.library = config.library.empty() ? library : config.library;
    request.core_type = config.core_type;
    request.threads = config.tiles ? 1 : threads(config);
    // Workers of the instance stay on these cores; a call with one thread runs on the caller's.
    // There are too few namespaces for an instance per list of cores.
    if (request.threads > 1) request.cores = config.cores;
    return request;
  }

  // What was written before cannot be taken back: so where memory is short for what a call would
  // have, any instance does it.
  static BlasInstance& instance_at_hand() {
    BlasInstance* const instance = loaded_instance();
    if (instance == nullptr) throw std::bad_alloc();
    return *instance;
  }

  BlasInstance& instance(const CpuConfig& config) const {
    try {
      return blas_instance(request(config));
    } catch (const std::bad_alloc&) {
      return instance_at_hand();
    }
  }

  // The configuration within the caller's bound on threads. There are too few namespaces for an
  // instance per number of threads, and tiles need only the one with a single thread. Tiles of a
  // triangle have unequal work, so such calls use fewer threads of the instance that has all.
  // Nothing: there is no memory for it.
  std::optional<CpuConfig> within_bound(const CpuConfig& all) const {
    try {
      CpuConfig config = all;
      const int bound = thread_bound();
      if (bound > 0 && bound < threads(config)) {
        config.threads = bound;
        config.tiles = bound > 1;
      }
      return config;
    } catch (const std::bad_alloc&) {
      return std::nullopt;
    }
  }

  // The instance for a call that the BLAS divides among its own threads. It has one thread if their
  // number cannot be changed.
  BlasInstance& instance_with_own_threads(const CpuConfig& given) const {
    try {
      CpuConfig config = given;
      config.tiles = false;
      const int bound = thread_bound();
      const bool bounded = bound > 0 && bound < threads(config);
      if (bounded && (bound == 1 || !instance(config).may_have_fewer_threads())) config.threads = 1;
      return instance(config);
    } catch (const std::bad_alloc&) {
      return instance_at_hand();
    }
  }

  // If every core is allowed, setting the affinity at each call gains nothing.
  bool binds(const std::vector<int>& cores) const {
    return !std::includes(cores.begin(), cores.end(), process_cores.begin(), process_cores.end());
  }
};

namespace {

// Bound by memory: several threads help once C is out of one core's caches.
void scale_on_workers(const GemmProblem& part, int threads) {
  constexpr std::int64_t worth_sharing = 4 << 20;
  if (footprint(part.precision, part.m, part.n, part.ldc) < worth_sharing) return scale_c(part);
  const auto scale_rows = [&part](std::int64_t begin, std::int64_t end) {
    scale_c(block_of(part, {begin, end - begin}, {0, part.n}, {0, part.k}));
  };
  parallel_for(part.m, std::cref(scale_rows), threads);
}

// Binds a worker of the pool for each tile. Otherwise the worker has the cores of the thread that
// started it. The pool may also be the host's, which must find its threads where they were.
template <typename Tile>
void hand_out_bound(std::int64_t count, int threads, const std::vector<int>& cores, Tile&& tile) {
  const auto bound_tile = [&](std::int64_t index) {
    const ScopedAffinity on_cores(cores);
    tile(index);
  };
  hand_out(count, std::cref(bound_tile), threads);
}

void run_tiles(BlasInstance& blas, const GemmProblem& piece, int threads,
               const std::vector<int>& cores) {
  const TileGrid grid = tile_grid(piece, threads);
  hand_out_bound(grid.count(), threads, cores,
                 [&](std::int64_t index) { blas.gemm(tile_of(piece, grid, index)); });
}

void run_tiles(BlasInstance& blas, const std::vector<TileSteps>& tiles, int threads,
               const std::vector<int>& cores) {
  hand_out_bound(static_cast<std::int64_t>(tiles.size()), threads, cores, [&](std::int64_t index) {
    for (const Step& step : tiles[static_cast<std::size_t>(index)])
      if (const auto* product = std::get_if<GemmProblem>(&step))
        blas.gemm(*product);
      else
        blas.run(std::get<Level3Problem>(step), 0);
  });
}

// Returns false, with nothing done, if the BLAS's own threads have to do it.
template <typename State>
bool run_in_tiles(const State& state, const Level3Problem& part, const CpuConfig& all) {
  std::optional<CpuConfig> config = state.within_bound(all);
  // A child of fork() has none of the workers, but the BLAS starts its threads again.
  if (!config || fork_generation() > 0) return false;
  const int threads = state.threads(*config);
  const auto grid = level3_grid(part, threads);
  if (!grid) return false;
  config->tiles = true;
  BlasInstance& blas = state.instance(*config);
  // An instance with its own threads, used because no other could be loaded, does one call at a
  // time.
  if (blas.threads() > 1) return false;
  blas.require(part.routine, part.precision);
  std::vector<TileSteps> tiles;
  try {
    tiles = level3_tiles(part, *grid);
  } catch (const std::bad_alloc&) {
    return false;
  }
  run_tiles(blas, tiles, threads, config->cores.empty() ? state.limits.cores : config->cores);
  return true;
}

bool fits_ints(const GemmProblem& p) {
  const PieceLimits limits;
  return std::max({p.m, p.n, p.k}) <= limits.extent &&
         std::max({p.lda, p.ldb, p.ldc}) <= limits.leading_dimension;
}

// All of them before the first is done; nothing: there is no memory for it.
std::optional<std::vector<BatchRound>> rounds_of(const BatchProblem& batch, int threads) {
  try {
    return batch_rounds(batch, threads);
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
}

void run_one(BlasInstance& blas, const GemmProblem& product) {
  if (product.only_scales_c()) return scale_c(product);
  if (fits_ints(product)) return blas.gemm(product);
  for_each_piece(product, {}, [&](const GemmProblem& piece) { blas.gemm(piece); });
}

}  // namespace

CpuSide::CpuSide(CpuLimits limits, std::string library) : state_(std::make_unique<State>()) {
  state_->limits = std::move(limits);
  state_->library = std::move(library);
  state_->process_cores = allowed_cores();
}

CpuSide::~CpuSide() = default;

void CpuSide::run(const GemmProblem& part, const CpuConfig& all) {
  if (part.empty()) return;
  const std::optional<CpuConfig> config = state_->within_bound(all);
  if (part.only_scales_c()) return scale_on_workers(part, config ? config->threads : 1);
  watch_forks();
  const std::vector<int> as_it_is;
  // OpenBLAS computes on the calling thread too. Tiles bind their threads themselves, because
  // oneTBB takes the main thread's cores at its start for all there are, for the host's own use of
  // it too.
  const bool binds = config && !config->tiles && state_->binds(config->cores);
  const ScopedAffinity on_cores(binds ? config->cores : as_it_is);
  const auto run_piece = [&](const GemmProblem& piece) {
    const ForkGuard work;
    BlasInstance& blas = config ? state_->instance(*config) : State::instance_at_hand();
    // An instance with its own threads, used because no other could be loaded, does one call at a
    // time.
    if (!config || !config->tiles || blas.threads() > 1) return blas.gemm(piece);
    run_tiles(blas, piece, state_->threads(*config),
              config->cores.empty() ? state_->limits.cores : config->cores);
  };
  for_each_piece(part, {}, std::cref(run_piece));
}

void CpuSide::run(const BatchProblem& batch, const CpuConfig& all) {
  std::optional<CpuConfig> config = state_->within_bound(all);
  const auto rounds = config ? rounds_of(batch, state_->threads(*config)) : std::nullopt;
  if (!rounds) {
    for (const BatchGroup& group : batch.groups)
      for (std::int64_t i = 0; i < group.count; ++i) run(group.product(i), all);
    return;
  }
  const int threads = state_->threads(*config);
  config->tiles = true;  // the instance of one thread
  watch_forks();
  for (const BatchRound& round : *rounds) {
    if (round.is_shared) {
      const BatchTask& only = round.tasks.front();
      run(batch.groups[only.group].product(only.first), all);
      continue;
    }
    const ForkGuard work;
    BlasInstance& blas = state_->instance(*config);
    const std::vector<int>& cores = config->cores.empty() ? state_->limits.cores : config->cores;
    const auto run_task = [&](std::int64_t index) {
      const BatchTask& task = round.tasks[static_cast<std::size_t>(index)];
      const ScopedAffinity on_cores(cores);
      for (std::int64_t i = 0; i < task.count; ++i)
        run_one(blas, batch.groups[task.group].product(task.first + i));
    };
    // An instance with its own threads, used because no other could be loaded, does one call at a
    // time.
    hand_out(static_cast<std::int64_t>(round.tasks.size()), std::cref(run_task),
             blas.threads() > 1 ? 1 : threads);
  }
}

void CpuSide::run(const Level3Problem& part, const CpuConfig& config) {
  if (part.empty()) return;
  watch_forks();
  const ForkGuard work;
  if (run_in_tiles(*state_, part, config)) return;
  const std::vector<int> as_it_is;
  const ScopedAffinity on_cores(state_->binds(config.cores) ? config.cores : as_it_is);
  state_->instance_with_own_threads(config).run(part, thread_bound());
}

void CpuSide::solve_by_inverse(const Level3Problem& part, const CpuConfig& config) {
  if (part.empty()) return;
  const TriangleInverses inverse(part, order(part));
  inverse.solve_with(
      part, 0, [&](const GemmProblem& product) { run(product, config); },
      [&](const Level3Problem& step) { run(step, config); });
}

int CpuSide::run(const LapackProblem& part, const CpuConfig& config) {
  if (part.empty()) return 0;
  watch_forks();
  const std::vector<int> as_it_is;
  const ScopedAffinity on_cores(state_->binds(config.cores) ? config.cores : as_it_is);
  const ForkGuard work;
  return state_->instance_with_own_threads(config).lapack(part, thread_bound());
}

// Zeros are written first, whatever the BLAS makes of a NaN times 0.
void CpuSide::run(const GemvProblem& part, const CpuConfig& config) {
  if (part.empty()) return;
  if (part.only_scales_y()) return scale_y(part);
  GemvProblem adding = part;
  if (part.overwrites_y()) {
    scale_y(part);
    adding.beta = 1.0;
  }
  watch_forks();
  const std::vector<int> as_it_is;
  const ScopedAffinity on_cores(state_->binds(config.cores) ? config.cores : as_it_is);
  const auto run_piece = [&](const GemvProblem& piece) {
    const ForkGuard work;
    state_->instance_with_own_threads(config).run(piece, thread_bound());
  };
  for_each_piece(adding, {}, std::cref(run_piece));  // takes no memory
}

void CpuSide::run(const AdjointCopy& part, const CpuConfig& config) {
  watch_forks();
  const ForkGuard work;
  const std::optional<CpuConfig> bounded = state_->within_bound(config);
  copy_adjoint(part, bounded ? state_->threads(*bounded) : 1);
}

template <typename AnyRoutine>
void CpuSide::require(AnyRoutine routine, Precision precision, const CpuConfig& config) {
  watch_forks();
  const ForkGuard work;
  state_->instance_with_own_threads(config).require(routine, precision);
}
template void CpuSide::require<Routine>(Routine, Precision, const CpuConfig&);
template void CpuSide::require<VectorRoutine>(VectorRoutine, Precision, const CpuConfig&);
template void CpuSide::require<LapackRoutine>(LapackRoutine, Precision, const CpuConfig&);

bool CpuSide::prepare(const CpuConfig& config) {
  watch_forks();
  const ForkGuard work;
  const InstanceRequest request = state_->request(state_->within_bound(config).value_or(config));
  const BlasInstance& instance = blas_instance(request);
  return instance.request() == request && instance.is_as_requested();
}

const CpuLimits& CpuSide::limits() const {
  return state_->limits;
}

CpuConfig CpuSide::all_cores(const std::string& core_type) const {
  CpuConfig config;
  config.library = state_->library;
  config.core_type = core_type;
  config.threads = state_->limits.threads;
  config.cores = state_->limits.cores;
  return config;
}

std::string CpuSide::description(const CpuConfig& config) {
  watch_forks();
  const ForkGuard work;
  const BlasInstance& instance = state_->instance(config);
  if (instance.is_private()) return instance.config();
  std::string why;
  for (const char letter : instance.why_not_private())
    if (letter != '\n') why += letter;
  return instance.config() + " (not a private copy, but the process's own:" + why + ")";
}

std::string CpuSide::library_path() {
  watch_forks();
  const ForkGuard work;
  return state_->instance(all_cores("")).path();
}

}  // namespace duoblas
