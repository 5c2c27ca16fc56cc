#include "bench/peer_cublas.hpp"

#include <algorithm>
#include <limits>

#include "bench/cublas_session.hpp"

namespace duoblas {
namespace {

CublasApi::Gemm* gemm_of(const CublasApi& api, Precision precision) {
  switch (precision) {
    case Precision::s: return api.sgemm;
    case Precision::d: return api.dgemm;
    case Precision::c: return api.cgemm;
    case Precision::z: return api.zgemm;
  }
  return nullptr;
}

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
    cublas_.require(
        "cuBLAS's gemm",
        gemm_of(cublas_.api(), p.precision)(
            cublas_.handle(), cublas_op(p.op_b), cublas_op(p.op_a), size(p.n), size(p.m), size(p.k),
            cublas_one(p.precision), operands_.b.get(), size(p.ldb), operands_.a.get(), size(p.lda),
            cublas_zero(p.precision), operands_.c.get(), size(p.ldc)));
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
