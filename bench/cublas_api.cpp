#include "bench/cublas_api.hpp"

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
  library.find("cublasSgemm_v2", api.sgemm);
  library.find("cublasDgemm_v2", api.dgemm);
  library.find("cublasCgemm_v2", api.cgemm);
  library.find("cublasZgemm_v2", api.zgemm);
  library.find("cublasSgemv_v2", api.sgemv);
  library.find("cublasDgemv_v2", api.dgemv);
  library.find("cublasCgemv_v2", api.cgemv);
  library.find("cublasZgemv_v2", api.zgemv);
  library.find("cublasSgemmStridedBatched", api.sgemm_batched);
  library.find("cublasDgemmStridedBatched", api.dgemm_batched);
  library.find("cublasCgemmStridedBatched", api.cgemm_batched);
  library.find("cublasZgemmStridedBatched", api.zgemm_batched);
  library.find("cublasXtCreate", api.xt_create);
  library.find("cublasXtDestroy", api.xt_destroy);
  library.find("cublasXtDeviceSelect", api.xt_device_select);
  library.find("cublasXtSetBlockDim", api.xt_set_block_dim);
  library.find("cublasXtSgemm", api.xt_sgemm);
  library.find("cublasXtDgemm", api.xt_dgemm);
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

}  // namespace duoblas
