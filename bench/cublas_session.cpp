#include "bench/cublas_session.hpp"

#include <complex>
#include <string>

#include <duoblas/error.hpp>

namespace duoblas {
namespace {

// Two reals each: the first alone is the scalar of a real product.
constexpr std::complex<float> one_float = 1, zero_float = 0;
constexpr std::complex<double> one_double = 1, zero_double = 0;

}  // namespace

CublasSession::CublasSession(const CublasApi& api)
    : api_(api), handle_(nullptr, api.destroy), start_(new_event()), end_(new_event()) {
  void* handle = nullptr;
  require("cublasCreate", api.create(&handle));
  handle_.reset(handle);
  require("cublasSetMathMode", api.set_math_mode(handle, CublasApi::default_math));
}

void CublasSession::require(const char* call, CublasApi::Status status) const {
  if (status != 0)
    throw DeviceError(std::string(call) + " failed with status " + std::to_string(status));
}

void CublasSession::require_cuda(const char* call, CublasApi::Status status) const {
  if (status != 0) throw DeviceError(std::string(call) + " failed: " + api_.error_string(status));
}

CublasOwned CublasSession::upload(const std::vector<char>& bytes) const {
  void* memory = nullptr;
  require_cuda("cudaMalloc", api_.allocate(&memory, bytes.size()));
  CublasOwned owned(memory, api_.free);
  require_cuda("cudaMemcpy",
               api_.copy(memory, bytes.data(), bytes.size(), CublasApi::host_to_device));
  return owned;
}

std::vector<char> CublasSession::download(const CublasOwned& memory, std::size_t bytes) const {
  std::vector<char> values(bytes);
  require_cuda("cudaMemcpy",
               api_.copy(values.data(), memory.get(), bytes, CublasApi::device_to_host));
  return values;
}

void CublasSession::synchronize() const {
  require_cuda("cudaDeviceSynchronize", api_.synchronize());
}

double CublasSession::seconds_per_call(int calls, const std::function<void()>& enqueue) const {
  synchronize();
  require_cuda("cudaEventRecord", api_.event_record(start_.get(), nullptr));
  for (int call = 0; call < calls; ++call) enqueue();
  require_cuda("cudaEventRecord", api_.event_record(end_.get(), nullptr));
  require_cuda("cudaEventSynchronize", api_.event_synchronize(end_.get()));
  float milliseconds = 0;
  require_cuda("cudaEventElapsedTime", api_.event_elapsed(&milliseconds, start_.get(), end_.get()));
  return static_cast<double>(milliseconds) * 1e-3 / calls;
}

CublasOwned CublasSession::new_event() const {
  void* event = nullptr;
  require_cuda("cudaEventCreate", api_.event_create(&event));
  return {event, api_.event_destroy};
}

int cublas_op(Op op) {
  switch (op) {
    case Op::none: return CublasApi::op_none;
    case Op::transpose: return CublasApi::op_transpose;
    case Op::conj_transpose: return CublasApi::op_conjugate;
  }
  return CublasApi::op_none;
}

const void* cublas_one(Precision precision) {
  return is_double(precision) ? static_cast<const void*>(&one_double) : &one_float;
}

const void* cublas_zero(Precision precision) {
  return is_double(precision) ? static_cast<const void*>(&zero_double) : &zero_float;
}

}  // namespace duoblas
