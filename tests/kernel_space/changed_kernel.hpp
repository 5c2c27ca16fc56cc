// A kernel that differs from the default in every field.
#pragma once

#include <algorithm>

#include "kernel_space/kernel_fields.hpp"

namespace duoblas::test {

/// In every field the first legal value that is not the default.
inline KernelParams all_changed() {
  KernelParams params;
  for (const KernelField& field : kernel_fields()) {
    const int old = field.get(params);
    field.set(params, *std::ranges::find_if(field.values, [&](int v) { return v != old; }));
  }
  return params;
}

}  // namespace duoblas::test
