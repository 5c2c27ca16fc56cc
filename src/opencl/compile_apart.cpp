#include "opencl/compile_apart.hpp"

#include <exception>

namespace duoblas::cl {
namespace {

constinit thread_local ScopedCompileApart* scope = nullptr;

}  // namespace

ScopedCompileApart::ScopedCompileApart(bool wanted) noexcept {
  if (wanted) scope = this;
}

ScopedCompileApart::~ScopedCompileApart() {
  if (scope == this) scope = nullptr;
}

const Context* ScopedCompileApart::context_for(const Device& device) noexcept {
  if (scope == nullptr || scope->failed_) return nullptr;
  try {
    if (!scope->context_) scope->context_.emplace(device);
    return &*scope->context_;
  } catch (const std::exception&) {  // the device is short of memory
    scope->failed_ = true;
    return nullptr;
  }
}

}  // namespace duoblas::cl
