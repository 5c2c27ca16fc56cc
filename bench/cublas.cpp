#include "bench/cublas.hpp"

#include <complex>

#include "bench/dynamic_library.hpp"

namespace duoblas {
namespace {

struct Version {
  const char* runtime;
  const char* cublas;
};

// Newest first. Runtime and cuBLAS of one version belong together. (The runtime of CUDA 11 has
// "11.0" in its name throughout.)
constexpr Version versions[] = {{"libcudart.so.13", "libcublas.so.13"},
                                {"libcudart.so.12", "libcublas.so.12"},
                                {"libcudart.so.11.0", "libcublas.so.11"},
                                {"libcudart.so", "libcublas.so"}};

bool find_runtime(DynamicLibrary& library, CublasApi& api) {
  library.find("cudaGetDeviceCount", api.device_count);
  library.find("cudaGetErrorString", api.error_string);
  library.find("cudaMalloc", api.allocate);
  library.find("cudaFree", api.free);
  library.find("cudaMemcpy", api.copy);
  library.find("cudaDeviceSynchronize", api.synchronize);
  library.find("cudaHostRegister", api.host_register);
  library.find("cudaHostUnregister", api.host_unregister);
  library.find("cudaEventCreate", api.event_create);
  library.find("cudaEventDestroy", api.event_destroy);
  library.find("cudaEventRecord", api.event_record);
  library.find("cudaEventSynchronize", api.event_synchronize);
  library.find("cudaEventElapsedTime", api.event_elapsed);
  return static_cast<bool>(library);
}

bool find_blas(DynamicLibrary& library, CublasApi& api) {
  library.find("cublasCreate_v2", api.create);
  library.find("cublasDestroy_v2", api.destroy);
  library.find("cublasGetVersion_v2", api.version);
  library.find("cublasSetMathMode", api.set_math_mode);
  constexpr const char* letters[] = {"S", "D", "C", "Z"};
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string start = std::string("cublas") + letters[i];
    library.find((start + "gemm_v2").c_str(), api.gemm[i]);
    library.find((start + "gemv_v2").c_str(), api.gemv[i]);
    library.find((start + "gemmStridedBatched").c_str(), api.batched[i]);
  }
  library.find("cublasXtCreate", api.xt_create);
  library.find("cublasXtDestroy", api.xt_destroy);
  library.find("cublasXtDeviceSelect", api.xt_device_select);
  library.find("cublasXtSetBlockDim", api.xt_set_block_dim);
  library.find("cublasXtSgemm", api.xt_gemm[0]);
  library.find("cublasXtDgemm", api.xt_gemm[1]);
  return static_cast<bool>(library);
}

// Empty: `api` is complete and there is a GPU. The GPU is asked for before cuBLAS is loaded, which
// is hundreds of megabytes.
std::string load(const Version& version, CublasApi& api) {
  DynamicLibrary runtime(version.runtime);
  if (!find_runtime(runtime, api)) return runtime.problem();
  int count = 0;
  const CublasApi::Status status = api.device_count(&count);
  if (status != 0)
    return std::string(version.runtime) + " finds no GPU: " + api.error_string(status) +
           " (CUDA error " + std::to_string(status) + ")";
  if (count == 0) return std::string(version.runtime) + " finds no GPU";
  DynamicLibrary blas(version.cublas);
  return find_blas(blas, api) ? std::string() : blas.problem();
}

// Two reals each: the first alone is the scalar of a real product.
constexpr std::complex<float> one_float = 1, zero_float = 0;
constexpr std::complex<double> one_double = 1, zero_double = 0;

}  // namespace

const CublasApi* find_cublas(std::string& why_not) {
  std::string problems;
  for (const Version& version : versions) {
    CublasApi api;
    const std::string problem = load(version, api);
    if (problem.empty()) return new CublasApi(api);  // never freed: it outlives every user
    problems += (problems.empty() ? "" : "; ") + problem;
  }
  why_not = "no cuBLAS (" + problems + ")";
  return nullptr;
}

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
