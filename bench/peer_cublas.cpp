// cuBLAS as a peer: products, and strided batches.
#include <algorithm>
#include <limits>

#include "bench/cublas.hpp"
#include "bench/peer.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {
namespace {

class CublasPeer : public Peer {
 public:
  explicit CublasPeer(const CublasApi& api) : cublas_(api), operands_(cublas_) {
    cublas_.require("cublasGetVersion", api.version(cublas_.handle(), &version_));
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
    operands_.upload(cublas_, PeerOperands(problem));
    enqueue();
    cublas_.synchronize();
  }

  double seconds_per_call(int calls) override {
    return cublas_.seconds_per_call(calls, [this] { enqueue(); });
  }

  std::vector<char> result() override { return cublas_.download(operands_.c, operands_.c_bytes); }

 private:
  // A row-major matrix is its transpose in column-major order: C' = op(B)' op(A)', so that B comes
  // first and each operand keeps its op and its leading dimension.
  void enqueue() {
    const PeerProblem& p = problem_;
    const auto size = [](std::int64_t value) { return static_cast<int>(value); };
    const int op_a = cublas_op(p.op_a), op_b = cublas_op(p.op_b);
    const void *one = cublas_one(p.precision), *zero = cublas_zero(p.precision);
    const void *a = operands_.a.get(), *b = operands_.b.get();
    void* c = operands_.c.get();
    const CublasApi& api = cublas_.api();
    if (p.count == 1) {
      cublas_.require("cuBLAS's gemm",
                      api.gemm[precision_index(p.precision)](
                          cublas_.handle(), op_b, op_a, size(p.n), size(p.m), size(p.k), one, b,
                          size(p.ldb), a, size(p.lda), zero, c, size(p.ldc)));
      return;
    }
    const GemmProblem of_one = as_gemm(p);
    const auto stride = [&](const HostRect& rect) {
      return static_cast<long long>(rect.span() / element_size(p.precision));
    };
    cublas_.require("cuBLAS's batch", api.batched[precision_index(p.precision)](
                                          cublas_.handle(), op_b, op_a, size(p.n), size(p.m),
                                          size(p.k), one, b, size(p.ldb), stride(rect_of_b(of_one)),
                                          a, size(p.lda), stride(rect_of_a(of_one)), zero, c,
                                          size(p.ldc), stride(rect_of_c(of_one)), size(p.count)));
  }

  const CublasSession cublas_;
  CublasOperands operands_;
  int version_ = 0;
  PeerProblem problem_;
};

}  // namespace

std::unique_ptr<Peer> make_cublas_peer(std::string& why_not) {
  return on_cublas<CublasPeer>(why_not);
}

}  // namespace duoblas
