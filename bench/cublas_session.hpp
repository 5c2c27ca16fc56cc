// cuBLAS at work: a handle, memory of the device, and a pair of events around calls.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <duoblas/error.hpp>
#include <duoblas/types.hpp>

#include "bench/cublas_api.hpp"
#include "problem/precision.hpp"

namespace duoblas {

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
