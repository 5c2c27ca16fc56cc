// The list of the CPU BLAS's instances: each configuration is loaded once per process.
#include "cpu/blas_instance.hpp"

#include <atomic>
#include <mutex>
#include <string>

#include <duoblas/error.hpp>

#include "os/fork_state.hpp"

namespace duoblas {
namespace {

struct Entry {
  InstanceRequest request;
  BlasInstance* instance;
  Entry* next;
};

// A list that only grows, never destroyed: instances live as long as the process.
constinit std::atomic<Entry*> entries{nullptr};
constinit std::mutex loading;

Entry* find(const InstanceRequest& request) {
  for (Entry* entry = entries.load(std::memory_order_acquire); entry != nullptr;
       entry = entry->next)
    if (entry->request == request) return entry;
  return nullptr;
}

void stop_all_workers() {
  for (Entry* entry = entries.load(std::memory_order_acquire); entry != nullptr;
       entry = entry->next)
    entry->instance->stop_workers();
}

// Right answers at a possibly other speed. The nearest is of the same library, then of the same
// core type, then of as many threads.
BlasInstance* most_similar(const InstanceRequest& request) {
  BlasInstance* best = nullptr;
  int best_score = -1;
  for (Entry* entry = entries.load(); entry != nullptr; entry = entry->next) {
    const InstanceRequest& other = entry->instance->request();
    if (other.library != request.library) continue;
    const int score =
        2 * (other.core_type == request.core_type) + (other.threads == request.threads);
    if (score > best_score) {
      best = entry->instance;
      best_score = score;
    }
  }
  return best;
}

BlasInstance* load(const InstanceRequest& request) {
  std::string tried;
  std::string at_hand_tried;
  if (BlasInstance* instance = BlasInstance::load_private(request, tried)) return instance;
  if (BlasInstance* instance = most_similar(request)) return instance;
  if (BlasInstance* instance = BlasInstance::load_at_hand(request, at_hand_tried)) {
    instance->set_why_not_private(tried);
    return instance;
  }
  throw CpuBlasError(
      "no CPU BLAS can be loaded. A shared library that exports cblas_{s,d,c,z}gemm with 32-bit "
      "integers is needed: install libopenblas0-pthread (Debian, Ubuntu), or name one with "
      "DUOBLAS_CPU_BLAS. Tried:" +
      at_hand_tried);
}

}  // namespace

BlasInstance& blas_instance(const InstanceRequest& request) {
  if (Entry* entry = find(request)) return *entry->instance;
  const std::lock_guard lock(loading);
  if (Entry* entry = find(request)) return *entry->instance;
  at_rest_before_fork(stop_all_workers);
  auto* entry = new Entry{request, load(request), entries.load()};
  entries.store(entry, std::memory_order_release);
  return *entry->instance;
}

BlasInstance* loaded_instance() noexcept {
  const Entry* entry = entries.load(std::memory_order_acquire);
  return entry == nullptr ? nullptr : entry->instance;
}

}  // namespace duoblas
