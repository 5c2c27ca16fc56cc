#include "cpu/instance_registry.hpp"

#include <mutex>

#include "cpu/fork_state.hpp"

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

}  // namespace

BlasInstance& blas_instance(const InstanceRequest& request) {
  if (Entry* entry = find(request)) return *entry->instance;
  const std::lock_guard lock(loading);
  if (Entry* entry = find(request)) return *entry->instance;
  at_rest_before_fork(stop_all_workers);
  auto* entry = new Entry{request, BlasInstance::load(request), entries.load()};
  entries.store(entry, std::memory_order_release);
  return *entry->instance;
}

}  // namespace duoblas
