#include "bench/peer_cublas.hpp"

#include <duoblas/error.hpp>

#include <algorithm>
#include <complex>
#include <limits>

#include "bench/cublas_api.hpp"

namespace duoblas {
namespace {

int cublas_op(Op op) {
  switch (op) {
    case Op::none: return CublasApi::op_none;
    case Op::transpose: return CublasApi::op_transpose;
    case Op::conj_transpose: return CublasApi::op_conjugate;
  }
  return CublasApi::op_none;
}

CublasApi::Gemm* gemm_of(const CublasApi& api, Precision precision) {
  switch (precision) {
    case Precision::s: return api.sgemm;
    case Precision::d: return api.dgemm;
    case Precision::c: return api.cgemm;
    case Precision::z: return api.zgemm;
  }
  return nullptr;
}

// A pointer to CUDA or cuBLAS, released by the function that belongs to it.
using Owned = std::unique_ptr<void, CublasApi::Status (*)(void*)>;

void check_blas(const char* call, CublasApi::Status status) {
  if (status != 0)
    throw DeviceError(std::string(call) + " failed with cuBLAS status " + std::to_string(status));
}

class CublasPeer : public Peer {
 public:
  explicit CublasPeer(const CublasApi& api)
      : api_(api),
        handle_(nullptr, api.destroy),
        start_(new_event()),
        end_(new_event()),
        a_(nullptr, api.free),
        b_(nullptr, api.free),
        c_(nullptr, api.free) {
    void* handle = nullptr;
    check_blas("cublasCreate", api.create(&handle));
    handle_.reset(handle);
    check_blas("cublasSetMathMode", api.set_math_mode(handle, CublasApi::default_math));
    check_blas("cublasGetVersion", api.version(handle, &version_));
  }

  // The library's number is 10000 major + 100 minor + patch.
  std::string name() const override {
    return "cuBLAS " + std::to_string(version_ / 10000) + "." +
           std::to_string(version_ / 100 % 100) + "." + std::to_string(version_ % 100);
  }

  bool supports(const PeerProblem& p) const override {
    return std::min({p.m, p.n, p.k}) >= 1 &&
           std::max({p.m, p.n, p.k, p.lda, p.ldb, p.ldc}) <= std::numeric_limits<int>::max();
  }

  void prepare(const PeerProblem& problem) override {
    problem_ = problem;
    const PeerOperands operands(problem);
    // The old operands go first: two sets may be more than the device holds.
    for (Owned* operand : {&a_, &b_, &c_}) operand->reset();
    a_ = upload(operands.a);
    b_ = upload(operands.b);
    c_ = upload(operands.c);
    c_bytes_ = operands.c.size();
    enqueue();
    check("cudaDeviceSynchronize", api_.synchronize());
  }

  double seconds_per_call(int calls) override {
    check("cudaDeviceSynchronize", api_.synchronize());
    check("cudaEventRecord", api_.event_record(start_.get(), nullptr));
    for (int call = 0; call < calls; ++call) enqueue();
    check("cudaEventRecord", api_.event_record(end_.get(), nullptr));
    check("cudaEventSynchronize", api_.event_synchronize(end_.get()));
    float milliseconds = 0;
    check("cudaEventElapsedTime", api_.event_elapsed(&milliseconds, start_.get(), end_.get()));
    return static_cast<double>(milliseconds) * 1e-3 / calls;
  }

  std::vector<char> result() override {
    std::vector<char> c(c_bytes_);
    check("cudaMemcpy", api_.copy(c.data(), c_.get(), c.size(), CublasApi::device_to_host));
    return c;
  }

 private:
  void check(const char* call, CublasApi::Status status) const {
    if (status != 0) throw DeviceError(std::string(call) + " failed: " + api_.error_string(status));
  }

  Owned new_event() const {
    void* event = nullptr;
    check("cudaEventCreate", api_.event_create(&event));
    return {event, api_.event_destroy};
  }

  Owned upload(const std::vector<char>& bytes) const {
    void* memory = nullptr;
    check("cudaMalloc", api_.allocate(&memory, bytes.size()));
    Owned owned(memory, api_.free);
    check("cudaMemcpy", api_.copy(memory, bytes.data(), bytes.size(), CublasApi::host_to_device));
    return owned;
  }

  // A row-major matrix is its transpose in column-major order: C' = op(B)' op(A)', so that B comes
  // first and each operand keeps its op and its leading dimension.
  void enqueue() {
    // Two reals each: the first alone is the scalar of a real product.
    static constexpr std::complex<float> one_float = 1, zero_float = 0;
    static constexpr std::complex<double> one_double = 1, zero_double = 0;
    const PeerProblem& p = problem_;
    const bool doubles = is_double(p.precision);
    const void* one = doubles ? static_cast<const void*>(&one_double) : &one_float;
    const void* zero = doubles ? static_cast<const void*>(&zero_double) : &zero_float;
    const auto size = [](std::int64_t value) { return static_cast<int>(value); };
    check_blas("cuBLAS's gemm", gemm_of(api_, p.precision)(
                                    handle_.get(), cublas_op(p.op_b), cublas_op(p.op_a), size(p.n),
                                    size(p.m), size(p.k), one, b_.get(), size(p.ldb), a_.get(),
                                    size(p.lda), zero, c_.get(), size(p.ldc)));
  }

  const CublasApi& api_;
  Owned handle_;
  Owned start_, end_;  // CUDA events
  Owned a_, b_, c_;    // in the device's memory
  int version_ = 0;
  PeerProblem problem_;
  std::size_t c_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Peer> make_cublas_peer(std::string& why_not) {
  const CublasApi* api = find_cublas(why_not);
  if (api == nullptr) return nullptr;
  try {
    return std::make_unique<CublasPeer>(*api);
  } catch (const DeviceError& error) {
    why_not = std::string("cuBLAS does not start: ") + error.what();
    return nullptr;
  }
}

}  // namespace duoblas
