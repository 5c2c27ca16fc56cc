// cuBLAS and the part of the CUDA runtime around it, found at run time, and both at work: a handle,
// memory of the device, a pair of events around calls. The prototypes and numbers are those of
// their public C ABI, written down here so that nothing of CUDA is needed to build.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <duoblas/error.hpp>
#include <duoblas/types.hpp>

#include "problem/precision.hpp"

namespace duoblas {

/// Enums are ints in that ABI; handles, events and streams are pointers. A status of 0 is success.
struct CublasApi {
  using Status = int;

  static constexpr int host_to_device = 1;  ///< cudaMemcpyHostToDevice
  static constexpr int device_to_host = 2;  ///< cudaMemcpyDeviceToHost
  static constexpr int op_none = 0;         ///< CUBLAS_OP_N
  static constexpr int op_transpose = 1;    ///< CUBLAS_OP_T
  static constexpr int op_conjugate = 2;    ///< CUBLAS_OP_C
  static constexpr int default_math = 0;    ///< CUBLAS_DEFAULT_MATH

  /// C = alpha op(A) op(B) + beta C, column-major; alpha and beta in host memory. One type serves
  /// the four precisions: they differ in what the pointers point to.
  using Gemm = Status(void* handle, int op_a, int op_b, int m, int n, int k, const void* alpha,
                      const void* a, int lda, const void* b, int ldb, const void* beta, void* c,
                      int ldc);

  /// y = alpha op(A) x + beta y, column-major; likewise.
  using Gemv = Status(void* handle, int op, int m, int n, const void* alpha, const void* a, int lda,
                      const void* x, int incx, const void* beta, void* y, int incy);
  /// Many products, whose matrices are so many elements apart (gemmStridedBatched).
  using BatchedGemm = Status(void* handle, int op_a, int op_b, int m, int n, int k,
                             const void* alpha, const void* a, int lda, long long stride_a,
                             const void* b, int ldb, long long stride_b, const void* beta, void* c,
                             int ldc, long long stride_c, int count);

  /// The same on operands in the host's memory, whose dimensions are size_t (cuBLASXt).
  using HostGemm = Status(void* handle, int op_a, int op_b, std::size_t m, std::size_t n,
                          std::size_t k, const void* alpha, const void* a, std::size_t lda,
                          const void* b, std::size_t ldb, const void* beta, void* c,
                          std::size_t ldc);

  Status (*device_count)(int* count) = nullptr;
  const char* (*error_string)(Status status) = nullptr;
  Status (*allocate)(void** memory, std::size_t bytes) = nullptr;
  Status (*free)(void* memory) = nullptr;
  Status (*copy)(void* to, const void* from, std::size_t bytes, int direction) = nullptr;
  Status (*synchronize)() = nullptr;  ///< of the whole device
  Status (*host_register)(void* memory, std::size_t bytes, unsigned flags) = nullptr;
  Status (*host_unregister)(void* memory) = nullptr;
  Status (*event_create)(void** event) = nullptr;
  Status (*event_destroy)(void* event) = nullptr;
  Status (*event_record)(void* event, void* stream) = nullptr;
  Status (*event_synchronize)(void* event) = nullptr;
  Status (*event_elapsed)(float* milliseconds, void* from, void* to) = nullptr;

  Status (*create)(void** handle) = nullptr;
  Status (*destroy)(void* handle) = nullptr;
  Status (*version)(void* handle, int* version) = nullptr;
  Status (*set_math_mode)(void* handle, int mode) = nullptr;
  /// By precision: s, d, c, z.
  Gemm* gemm[4] = {};
  Gemv* gemv[4] = {};
  BatchedGemm* batched[4] = {};

  Status (*xt_create)(void** handle) = nullptr;
  Status (*xt_destroy)(void* handle) = nullptr;
  Status (*xt_device_select)(void* handle, int count, int* devices) = nullptr;
  Status (*xt_set_block_dim)(void* handle, int elements) = nullptr;
  HostGemm* xt_gemm[2] = {};
};

/// CUDA 13, 12 or 11, or whatever has no version in its name: the first that finds a GPU. Null
/// where none does: `why_not` then says why. The table lives as long as the process.
const CublasApi* find_cublas(std::string& why_not);

/// What CUDA or cuBLAS made, released by the function that belongs to it.
using CublasOwned = std::unique_ptr<void, CublasApi::Status (*)(void*)>;

/// \throws DeviceError like everything below.
class CublasSession {
 public:
  explicit CublasSession(const CublasApi& api);

  const CublasApi& api() const { return api_; }
  void* handle() const { return handle_.get(); }
  /// \throws DeviceError that names the call, where it failed.
  void require(const char* call, CublasApi::Status status) const;
  /// The same of a call of CUDA's, whose numbers are others.
  void require_cuda(const char* call, CublasApi::Status status) const;

  /// No memory yet.
  CublasOwned nothing() const { return {nullptr, api_.free}; }
  CublasOwned upload(const std::vector<char>& bytes) const;
  std::vector<char> download(const CublasOwned& memory, std::size_t bytes) const;
  void synchronize() const;

  /// Device time of one of `calls` calls back to back, of which each is enqueued by `enqueue`.
  double seconds_per_call(int calls, const std::function<void()>& enqueue) const;

 private:
  CublasOwned new_event() const;

  const CublasApi& api_;
  CublasOwned handle_;
  CublasOwned start_, end_;
};

/// A, B and C of a product in the device's memory.
struct CublasOperands {
  explicit CublasOperands(const CublasSession& session)
      : a(session.nothing()), b(session.nothing()), c(session.nothing()) {}

  /// Copies `from.a`, `from.b` and `from.c`. The old operands go first: two sets may be more than
  /// the device holds.
  template <typename From>
  void upload(const CublasSession& session, const From& from) {
    for (CublasOwned* operand : {&a, &b, &c}) operand->reset();
    a = session.upload(from.a);
    b = session.upload(from.b);
    c = session.upload(from.c);
    c_bytes = from.c.size();
  }

  CublasOwned a, b, c;
  std::size_t c_bytes = 0;
};

/// A `Peer` that is made of a CublasApi. Null where cuBLAS cannot be had: `why_not` then says why.
template <typename Peer>
std::unique_ptr<Peer> on_cublas(std::string& why_not) {
  const CublasApi* api = find_cublas(why_not);
  if (api == nullptr) return nullptr;
  try {
    return std::make_unique<Peer>(*api);
  } catch (const DeviceError& error) {
    why_not = std::string("cuBLAS does not start: ") + error.what();
    return nullptr;
  }
}

/// CUBLAS_OP_ of it.
int cublas_op(Op op);

/// A scalar that is 1, or 0, of this type.
const void* cublas_one(Precision precision);
const void* cublas_zero(Precision precision);

}  // namespace duoblas
