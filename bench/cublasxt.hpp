// cuBLASXt, which multiplies matrices in the host's memory on a GPU by moving tiles of them.
#pragma once

#include <memory>
#include <vector>

#include "bench/cublas.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// On the first GPU, with tiles of one size. Errors are DeviceError. Not thread-safe.
class CublasXt {
 public:
  /// \param block  rows and columns of a tile, in elements.
  CublasXt(const CublasApi& api, int block);

  /// C = A B, s or d; C is complete when this returns.
  void multiply(const GemmProblem& problem);

 private:
  const CublasApi& api_;
  std::unique_ptr<void, int (*)(void*)> handle_;
};

/// Locks the pages of a matrix for CUDA, from the constructor to the destructor.
class CudaRegistration {
 public:
  CudaRegistration(const CublasApi& api, std::vector<char>& matrix);
  ~CudaRegistration() { api_.host_unregister(memory_); }
  CudaRegistration(const CudaRegistration&) = delete;
  CudaRegistration& operator=(const CudaRegistration&) = delete;

 private:
  const CublasApi& api_;
  void* memory_;
};

}  // namespace duoblas
