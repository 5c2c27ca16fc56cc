#include "cpu/blas_instance.hpp"

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include <duoblas/error.hpp>

#include "cpu/core_type.hpp"
#include "cpu/cpu_limits.hpp"
#include "cpu/far_rows.hpp"
#include "cpu/thread_team.hpp"
#include "os/dynamic_library.hpp"
#include "os/fork_state.hpp"
#include "os/host_functions.hpp"
#include "os/link_namespace.hpp"

namespace duoblas {
namespace {

constinit thread_local bool inside = false;

template <typename F>
void find(F*& function, void* handle, const char* name) {
  function = reinterpret_cast<F*>(blas_symbol(handle, name));
}

// How many calls an OpenBLAS can have under way: each has a buffer, there are two per thread that
// it was built for ("MAX_THREADS=64") and 50 at least. Version 0.3.21 prints a warning over that
// number, and ends the process over it by 512. Its own workers have a buffer each.
int most_callers(const std::string& config, int threads) {
  if (config.find("OpenBLAS") == std::string::npos) return INT_MAX;
  const std::string name = "MAX_THREADS=";
  const std::size_t at = config.find(name);
  const int built_for = at == std::string::npos ? 1 : std::atoi(config.c_str() + at + name.size());
  return std::max(1, std::max(50, 2 * built_for) - (threads - 1));
}

std::vector<EnvironmentChange> environment_of(const InstanceRequest& request,
                                              const std::string& core_type) {
  const std::string threads = std::to_string(request.threads);
  return {
      {"OPENBLAS_CORETYPE", core_type, core_type.empty()},
      {"OPENBLAS_NUM_THREADS", threads},
      {"OPENBLAS_DEFAULT_NUM_THREADS", "", true},
      {"GOTO_NUM_THREADS", "", true},
      {"OMP_NUM_THREADS", threads},  // OpenBLAS built with OpenMP, and other libraries
      {"BLIS_NUM_THREADS", threads},
      {"MKL_NUM_THREADS", threads},
      // Idle workers spin for 2^20 cycles, 0.4 ms, not for the default 2^28 (0.1 s), which would
      // take power from the GPU. sgemm, n = 256, two cores of an AMD EPYC (Zen 4), quietest of
      // three runs: 181 us one after the other; 196 us, 223 us and 246 us after pauses of 0.1, 1
      // and 3 ms. With 2^22: 180 us up to 1 ms.
      {"OPENBLAS_THREAD_TIMEOUT", "20"},
  };
}

// The names that are tried for `library` ("" = the installed ones, best first).
std::vector<std::string> blas_candidates(const std::string& library) {
  if (!library.empty()) return {library};
  std::vector<std::string> names;
#ifdef DUOBLAS_LIBRARY_ARCHITECTURE
  // Debian's build with its own threads; the plain soname is whichever build the administrator
  // chose, which may be the serial one.
  names.push_back("/usr/lib/" DUOBLAS_LIBRARY_ARCHITECTURE "/openblas-pthread/libopenblas.so.0");
#endif
  names.insert(names.end(), {"libopenblas.so.0", "libopenblas.so", "libblis.so.4", "libblas.so.3",
                             "libcblas.so.3"});
  return names;
}

}  // namespace

std::string BlasInstance::adopt(void* handle) {
  functions_.find_in(handle);
  for (const Precision precision : all_precisions)
    if (!functions_.has_gemm(precision))
      return std::string("does not export cblas_") + letter(precision) + "gemm";
  // Our own drop-in may be installed under a BLAS's name; it would call us again, without end.
  if (library_symbol(handle, "duoblas_dropin_version") != nullptr ||
      library_symbol(handle, "duoblas_sgemm") != nullptr)
    return "is DuoBLAS itself";
  char* (*get_config)() = nullptr;
  char* (*get_core_name)() = nullptr;
  find(get_config, handle, "openblas_get_config");
  find(get_core_name, handle, "openblas_get_corename");
  find(pause_openmp_, handle, "omp_pause_resource_all");
  find(get_num_threads_, handle, "openblas_get_num_threads");
  find(set_num_threads_, handle, "openblas_set_num_threads");
  before_fork_ = before_fork_of(handle);
  path_ = path_of_library(handle, request_.library);
  config_ = get_config != nullptr ? get_config() : path_;
  if (config_.find("USE64BITINT") != std::string::npos)
    return "was built for 64-bit integers (CBLAS with 32-bit int is needed)";
  core_name_ = get_core_name != nullptr ? get_core_name() : "";
  if (private_) threads_ = get_num_threads_ != nullptr ? get_num_threads_() : request_.threads;
  callers_ = std::make_unique<Semaphore>(most_callers(config_, threads()));
  return "";
}

BlasInstance* BlasInstance::load_private(const InstanceRequest& request, std::string& tried) {
  LinkNamespace space;
  if (!space.valid()) {
    tried += "\n  " + space.error();
    return nullptr;
  }
  const ScopedAffinity on_cores(request.cores);  // workers inherit it
  // OpenBLAS raises SIGINT where it cannot start a thread, and that ends the program.
  InstanceRequest able = request;
  able.threads = ThreadTeam(request.threads, std::chrono::microseconds(0)).size();
  auto instance = std::unique_ptr<BlasInstance>(new BlasInstance(request));
  instance->private_ = true;
  const auto open = [&](const std::string& name, const std::string& core_type, void*& handle) {
    space.set_environment(environment_of(able, core_type));
    handle = space.open(name);
    return handle == nullptr ? space.error() : instance->adopt(handle);
  };
  for (const std::string& name : blas_candidates(request.library)) {
    void* handle = nullptr;
    std::string why_not = open(name, request.core_type, handle);
    // The library's own choice, or what it fell back to where it does not know the type asked for.
    const bool chosen = !same_core_type(instance->core_name_, request.core_type);
    if (why_not.empty() && chosen && !request.as_detected) {
      const std::string better = better_core_type(instance->core_name_, vector_extensions());
      if (!better.empty()) {
        space.close(handle);
        why_not = open(name, better, handle);
      }
    }
    if (why_not.empty()) {
      space.keep(handle);
      instance->preparation_ = space.preparation();
      return instance.release();
    }
    if (handle != nullptr) space.close(handle);
    tried += "\n  " + name + ": " + why_not;
  }
  return nullptr;
}

BlasInstance* BlasInstance::load_at_hand(const InstanceRequest& request, std::string& tried) {
  const ScopedAffinity on_cores(request.cores);
  const bool keys_left = thread_keys_are_left();
  auto instance = std::unique_ptr<BlasInstance>(new BlasInstance(request));
  for (const std::string& name : blas_candidates(request.library)) {
    const bool already_there = open_loaded_library(name.c_str()) != nullptr;
    if (!already_there && !keys_left) {
      tried += "\n  " + name + ": " + no_thread_keys_left;
      continue;
    }
    void* handle = open_library(name.c_str());
    if (handle == nullptr) {
      tried += "\n  " + why_no_library(name);
      continue;
    }
    const std::string why_not = instance->adopt(handle);
    if (!why_not.empty()) {
      tried += "\n  " + name + ": " + why_not;
      continue;
    }
    if (!already_there && instance->set_num_threads_ != nullptr)
      instance->set_num_threads_(request.threads);
    watch_forks_before_others();
    return instance.release();
  }
  return nullptr;
}

int BlasInstance::threads() const {
  if (private_) return threads_;
  return get_num_threads_ != nullptr ? get_num_threads_() : request_.threads;
}

bool BlasInstance::is_as_requested() const {
  const std::string& type = request_.core_type;
  return private_ && threads() == request_.threads &&
         (type.empty() || same_core_type(core_name_, type));
}

void BlasInstance::stop_workers() {
  // In the fallback the library heard of the fork itself.
  if (!private_) return;
  preparation_.apply();
  if (before_fork_ != nullptr) {
    before_fork_();
    workers_stopped_.store(true);
  }
  // GNU OpenMP has workers for each thread that multiplies. A child has this thread only, and would
  // wait for its workers for ever.
  constexpr int hard = 2;
  if (pause_openmp_ != nullptr) pause_openmp_(hard);
}

void BlasInstance::start_workers() {
  const ScopedAffinity on_cores(request_.cores);
  // OpenBLAS starts those that it stopped, if it is told their number.
  if (set_num_threads_ == nullptr) return;
  number_.lock();
  set_num_threads_(threads_);
  number_.unlock();
}

template <typename Call>
void BlasInstance::with_number_of_threads(int number, Call&& call) {
  if (!private_ || set_num_threads_ == nullptr || threads_ == 1) return call();
  if (number <= 0 || number >= threads_) {
    number_.lock_shared();
    call();
  } else {
    number_.lock();
    set_num_threads_(number);
    call();
    set_num_threads_(threads_);
  }
  number_.unlock();
}

template <typename Call>
void BlasInstance::with_workers(int most_threads, Call&& call) {
  preparation_.apply();
  if (workers_stopped_.load(std::memory_order_relaxed) && workers_stopped_.exchange(false))
    start_workers();
  with_number_of_threads(most_threads, [&] {
    callers_->acquire();
    inside = true;
    call();
    inside = false;
    callers_->release();
  });
}

bool inside_cpu_blas() noexcept {
  return inside;
}

void BlasInstance::lack(const std::string& function) const {
  throw CpuBlasError("the CPU BLAS " + path_ + " does not export " + function +
                     ": install a complete one (libopenblas0-pthread on Debian and Ubuntu), or "
                     "name one with DUOBLAS_CPU_BLAS");
}

int BlasInstance::lapack(const LapackProblem& p, int most_threads) {
  require(p.routine, p.precision);
  const auto size = static_cast<std::int64_t>(element_size(p.precision));
  int info = 0;
  const auto call = [&](const LapackProblem& part, const LapackWork& work) {
    with_workers(most_threads, [&] { info = functions_.call(part, work); });
  };
  std::vector<char> good;
  try {
    good.resize(static_cast<std::size_t>(good_work(p) * size));
  } catch (const std::bad_alloc&) {
    // The caller may have written to the matrix before: panels, and products with them, go on with
    // the least that LAPACK takes.
    alignas(64) char little[4096];
    const LapackWork work{little, static_cast<std::int64_t>(sizeof little) / size};
    LapackProblem part = p;
    if (p.routine == LapackRoutine::ormqr && p.side == Side::left)
      part.right_sides = std::min(p.right_sides, work.elements);
    if (least_work(part) > work.elements) throw;
    call(part, work);
    for (std::int64_t done = part.right_sides; info == 0 && done < p.right_sides;
         done += part.right_sides) {
      part.b = element_of(p.b, p.ldb, 0, done, p.precision);
      part.right_sides = std::min(part.right_sides, p.right_sides - done);
      call(part, work);
    }
    return info;
  }
  call(p, {good.data(), good_work(p)});
  return info;
}

template <typename Problem>
void BlasInstance::run(const Problem& p, int most_threads) {
  require(routine_of(p), p.precision);
  with_workers(most_threads, [&] { functions_.call(p); });
}
template void BlasInstance::run<Level3Problem>(const Level3Problem&, int);
template void BlasInstance::run<GemvProblem>(const GemvProblem&, int);

void BlasInstance::gemm(const GemmProblem& p) {
  if (has_rows_too_far_apart(p))
    return multiply_near(p, [this](const GemmProblem& near) { gemm(near); });
  with_workers(0, [&] { functions_.call(p); });
}

}  // namespace duoblas
