// cuBLASXt, which multiplies matrices in the host's memory on a GPU by moving tiles of them.
#pragma once

#include <memory>

#include "bench/host_matrices.hpp"

namespace duoblas {

struct CublasApi;

/// On the first GPU, with tiles of one size. Errors are DeviceError. Not thread-safe.
class CublasXt {
 public:
  /// \param block  rows and columns of a tile, in elements.
  CublasXt(const CublasApi& api, int block);

  /// C = op(A) op(B), s or d; C is complete when this returns.
  void multiply(const HostMatrices& matrices);

 private:
  const CublasApi& api_;
  std::unique_ptr<void, int (*)(void*)> handle_;
};

/// Locks the pages of the operands for CUDA, from the constructor to the destructor.
class CudaRegistration {
 public:
  CudaRegistration(const CublasApi& api, HostMatrices& matrices);
  ~CudaRegistration();
  CudaRegistration(const CudaRegistration&) = delete;
  CudaRegistration& operator=(const CudaRegistration&) = delete;

 private:
  const CublasApi& api_;
  HostMatrices& matrices_;
};

}  // namespace duoblas
