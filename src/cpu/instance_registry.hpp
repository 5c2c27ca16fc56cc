// The BLAS instances of this process: one per distinct request, shared by all callers.
#pragma once

#include "cpu/blas_instance.hpp"

namespace duoblas {

/// The instance for this request, loaded at the first call. Thread-safe; takes no lock once it is
/// loaded. If no further namespace can be had (about 11 fit), the most similar instance: its
/// request() then differs from this one.
/// \pre a ForkGuard exists, so that no fork copies the lock while it is taken.
/// \throws CpuBlasError.
BlasInstance& blas_instance(const InstanceRequest& request);

/// One that is loaded; null: none is. For calls that have no memory for a request.
BlasInstance* loaded_instance() noexcept;

}  // namespace duoblas
