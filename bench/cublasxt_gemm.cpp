#include "bench/cublasxt_gemm.hpp"

#include <duoblas/error.hpp>

#include "bench/cublas_api.hpp"

namespace duoblas {
namespace {

int cublas_op(Op op) {
  return op == Op::none ? CublasApi::op_none : CublasApi::op_transpose;  // real types only
}

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

// A row-major matrix is its transpose in column-major order: C' = op(B)' op(A)'.
void CublasXt::multiply(const HostMatrices& matrices) {
  static constexpr float one_float = 1, zero_float = 0;
  static constexpr double one_double = 1, zero_double = 0;
  const GemmProblem& p = matrices.problem;
  const bool doubles = p.precision == Precision::d;
  const void* one = doubles ? static_cast<const void*>(&one_double) : &one_float;
  const void* zero = doubles ? static_cast<const void*>(&zero_double) : &zero_float;
  const auto size = [](std::int64_t value) { return static_cast<std::size_t>(value); };
  CublasApi::HostGemm* gemm = doubles ? api_.xt_dgemm : api_.xt_sgemm;
  check("cublasXtGemm",
        gemm(handle_.get(), cublas_op(p.op_b), cublas_op(p.op_a), size(p.n), size(p.m), size(p.k),
             one, p.b, size(p.ldb), p.a, size(p.lda), zero, p.c, size(p.ldc)));
  check("cudaDeviceSynchronize", api_.synchronize());
}

CudaRegistration::CudaRegistration(const CublasApi& api, HostMatrices& matrices)
    : api_(api), matrices_(matrices) {
  for (std::vector<char>* matrix : matrices_.all())
    check("cudaHostRegister", api_.host_register(matrix->data(), matrix->size(), 0));
}

CudaRegistration::~CudaRegistration() {
  for (std::vector<char>* matrix : matrices_.all()) api_.host_unregister(matrix->data());
}

}  // namespace duoblas
