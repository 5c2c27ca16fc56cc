#include "bench/vector_peer.hpp"

#include <functional>
#include <utility>

#include "bench/cublas_session.hpp"

namespace duoblas {
namespace {

class CublasVectors : public VectorPeer {
 public:
  explicit CublasVectors(const CublasApi& api)
      : cublas_(api), a_(cublas_.nothing()), x_(cublas_.nothing()), y_(cublas_.nothing()) {}

  void prepare(const GemvProblem& problem, const std::vector<char>& a,
               const std::vector<char>& x) override {
    upload(a_, a);
    upload(x_, x);
    const auto bytes =
        static_cast<std::size_t>(problem.outputs()) * element_size(problem.precision);
    upload(y_, std::vector<char>(bytes));
    begin([this, problem] { gemv(problem); });
  }

  double seconds_per_call(int calls) override { return cublas_.seconds_per_call(calls, enqueue_); }

 private:
  void check(CublasApi::Status status) const { cublas_.require("cuBLAS's call", status); }
  void upload(CublasOwned& memory, const std::vector<char>& bytes) {
    memory.reset();
    memory = cublas_.upload(bytes);
  }

  void begin(std::function<void()> enqueue) {
    enqueue_ = std::move(enqueue);
    enqueue_();
    cublas_.synchronize();
  }

  void gemv(const GemvProblem& p) {
    const CublasApi& api = cublas_.api();
    CublasApi::Gemv* const functions[] = {api.sgemv, api.dgemv, api.cgemv, api.zgemv};
    check(functions[precision_index(p.precision)](
        cublas_.handle(), p.transposes ? CublasApi::op_none : CublasApi::op_transpose,
        static_cast<int>(p.columns), static_cast<int>(p.rows), cublas_one(p.precision), a_.get(),
        static_cast<int>(p.columns), x_.get(), 1, cublas_zero(p.precision), y_.get(), 1));
  }

  const CublasSession cublas_;
  CublasOwned a_, x_, y_;
  std::function<void()> enqueue_;
};

}  // namespace

std::unique_ptr<VectorPeer> make_vector_peer(std::string& why_not) {
  return on_cublas<CublasVectors>(why_not);
}

}  // namespace duoblas
