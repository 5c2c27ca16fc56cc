#include "memory/host_windows.hpp"

#include <algorithm>

#include <duoblas/error.hpp>

namespace duoblas {

std::shared_ptr<const HostWindow> HostWindows::acquire(const cl::Context& context,
                                                       std::uintptr_t begin, std::uintptr_t end,
                                                       bool read_only) {
  const std::lock_guard guard(mutex_);
  std::erase_if(live_, [](const auto& window) { return window.expired(); });
  const bool meets_another = std::ranges::any_of(live_, [&](const auto& weak) {
    const auto window = weak.lock();
    return window && begin < window->end && window->begin < end;
  });
  if (meets_another) return nullptr;
  live_.reserve(live_.size() + 1);
  auto window = std::make_shared<HostWindow>();
  window->begin = begin;
  window->end = end;
  try {
    window->buffer = context.wrap(reinterpret_cast<void*>(begin), end - begin,
                                  read_only ? cl::Access::read_only : cl::Access::read_write);
  } catch (const DeviceError&) {
    return nullptr;
  }
  live_.push_back(window);
  return window;
}

}  // namespace duoblas
