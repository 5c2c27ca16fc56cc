#include "bench/cublasxt.hpp"

#include <string>

#include <duoblas/error.hpp>

#include "bench/cublas.hpp"

namespace duoblas {
namespace {

void check(const char* call, CublasApi::Status status) {
  if (status != 0)
    throw DeviceError(std::string(call) + " failed with status " + std::to_string(status));
}

}  // namespace

CublasXt::CublasXt(const CublasApi& api, int block) : api_(api), handle_(nullptr, api.xt_destroy) {
  void* handle = nullptr;
  check("cublasXtCreate", api.xt_create(&handle));
  handle_.reset(handle);
  int first = 0;
  check("cublasXtDeviceSelect", api.xt_device_select(handle, 1, &first));
  check("cublasXtSetBlockDim", api.xt_set_block_dim(handle, block));
}

// A row-major matrix is its transpose in column-major order: C' = B' A'.
void CublasXt::multiply(const GemmProblem& p) {
  const auto size = [](std::int64_t value) { return static_cast<std::size_t>(value); };
  check("cublasXtGemm", api_.xt_gemm[p.precision == Precision::d ? 1 : 0](
                            handle_.get(), CublasApi::op_none, CublasApi::op_none, size(p.n),
                            size(p.m), size(p.k), cublas_one(p.precision), p.b, size(p.ldb), p.a,
                            size(p.lda), cublas_zero(p.precision), p.c, size(p.ldc)));
  check("cudaDeviceSynchronize", api_.synchronize());
}

CudaRegistration::CudaRegistration(const CublasApi& api, std::vector<char>& matrix)
    : api_(api), memory_(matrix.data()) {
  check("cudaHostRegister", api.host_register(matrix.data(), matrix.size(), 0));
}

}  // namespace duoblas
