// A random call through the public interface.
#pragma once

#include <duoblas/context.hpp>

#include "soak/soak_call.hpp"

namespace duoblas::soak {

template <typename T>
struct GivenMatrix {
  T* data;
  std::int64_t ld;
};

/// \throws what the routine throws.
template <typename T>
void run_routine(Context& context, const SoakCall& call, GivenMatrix<const T> a,
                 GivenMatrix<const T> b, GivenMatrix<T> c);

}  // namespace duoblas::soak
