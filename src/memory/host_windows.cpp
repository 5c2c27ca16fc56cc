#include "memory/host_windows.hpp"

namespace duoblas {

std::shared_ptr<const HostWindow> HostWindows::acquire(const cl::Context& context,
                                                       std::uintptr_t begin, std::uintptr_t end,
                                                       bool read_only) {
  const std::lock_guard guard(mutex_);
  std::erase_if(live_, [](const auto& window) { return window.expired(); });
  for (const auto& weak : live_) {
    auto window = weak.lock();
    if (!window || end <= window->begin || window->end <= begin) continue;
    const bool contained = window->begin <= begin && end <= window->end;
    if (contained && read_only && window->read_only) return window;
    return nullptr;
  }
  live_.reserve(live_.size() + 1);
  auto window = std::make_shared<HostWindow>();
  window->begin = begin;
  window->end = end;
  window->read_only = read_only;
  window->buffer = context.wrap(reinterpret_cast<void*>(begin), end - begin,
                                read_only ? cl::Access::read_only : cl::Access::read_write);
  live_.push_back(window);
  return window;
}

}  // namespace duoblas
