#include "bench/vector_peer.hpp"

#include <complex>
#include <functional>
#include <utility>

#include <duoblas/error.hpp>

#include "bench/cublas_api.hpp"

namespace duoblas {
namespace {

class CublasVectors : public VectorPeer {
 public:
  explicit CublasVectors(const CublasApi& api) : api_(api) {
    check(api.create(&handle_));
    check(api.event_create(&start_));
    check(api.event_create(&end_));
  }
  ~CublasVectors() override {
    for (void* memory : {a_, x_, y_}) api_.free(memory);
    api_.event_destroy(start_);
    api_.event_destroy(end_);
    api_.destroy(handle_);
  }

  void prepare(const GemvProblem& problem, const std::vector<char>& a,
               const std::vector<char>& x) override {
    upload(a_, a);
    upload(x_, x);
    const auto bytes =
        static_cast<std::size_t>(problem.outputs()) * element_size(problem.precision);
    upload(y_, std::vector<char>(bytes));
    begin([this, problem] { gemv(problem); });
  }
  void prepare(const GerProblem& problem, const std::vector<char>& x, const std::vector<char>& y,
               const std::vector<char>& a) override {
    upload(a_, a);
    upload(x_, x);
    upload(y_, y);
    begin([this, problem] { ger(problem); });
  }
  void prepare(const AxpyProblem& problem, const std::vector<char>& x,
               const std::vector<char>& y) override {
    upload(x_, x);
    upload(y_, y);
    begin([this, problem] { axpy(problem); });
  }

  double seconds_per_call(int calls) override {
    check(api_.synchronize());
    check(api_.event_record(start_, nullptr));
    for (int call = 0; call < calls; ++call) enqueue_();
    check(api_.event_record(end_, nullptr));
    check(api_.event_synchronize(end_));
    float milliseconds = 0;
    check(api_.event_elapsed(&milliseconds, start_, end_));
    return static_cast<double>(milliseconds) * 1e-3 / calls;
  }

 private:
  static void check(CublasApi::Status status) {
    if (status != 0)
      throw DeviceError("cuBLAS or CUDA failed with status " + std::to_string(status));
  }
  void upload(void*& memory, const std::vector<char>& bytes) {
    api_.free(memory);
    memory = nullptr;
    check(api_.allocate(&memory, bytes.size()));
    check(api_.copy(memory, bytes.data(), bytes.size(), CublasApi::host_to_device));
  }

  void begin(std::function<void()> enqueue) {
    enqueue_ = std::move(enqueue);
    enqueue_();
    check(api_.synchronize());
  }

  // A scalar in the host's memory, of the type.
  const void* scalar(std::complex<double> value, Precision precision) {
    scalar_ = value;
    narrow_ = std::complex<float>(value);
    return is_double(precision) ? static_cast<const void*>(&scalar_) : &narrow_;
  }

  // A row-major matrix is its transpose in column-major order.
  void ger(const GerProblem& p) {
    CublasApi::Ger* const functions[] = {api_.sger, api_.dger, api_.cgeru, api_.zgeru};
    check(functions[precision_index(p.precision)](
        handle_, static_cast<int>(p.columns), static_cast<int>(p.rows),
        scalar(p.alpha, p.precision), y_, 1, x_, 1, a_, static_cast<int>(p.columns)));
  }
  void axpy(const AxpyProblem& p) {
    CublasApi::Axpy* const functions[] = {api_.saxpy, api_.daxpy, api_.caxpy, api_.zaxpy};
    check(functions[precision_index(p.precision)](handle_, static_cast<int>(p.size),
                                                  scalar(p.alpha, p.precision), x_, 1, y_, 1));
  }
  void gemv(const GemvProblem& p) {
    static constexpr std::complex<float> one_float = 1, zero_float = 0;
    static constexpr std::complex<double> one_double = 1, zero_double = 0;
    const bool doubles = is_double(p.precision);
    const void* one = doubles ? static_cast<const void*>(&one_double) : &one_float;
    const void* zero = doubles ? static_cast<const void*>(&zero_double) : &zero_float;
    CublasApi::Gemv* const functions[] = {api_.sgemv, api_.dgemv, api_.cgemv, api_.zgemv};
    check(functions[precision_index(p.precision)](
        handle_, p.transposes ? CublasApi::op_none : CublasApi::op_transpose,
        static_cast<int>(p.columns), static_cast<int>(p.rows), one, a_, static_cast<int>(p.columns),
        x_, 1, zero, y_, 1));
  }

  const CublasApi& api_;
  void *handle_ = nullptr, *start_ = nullptr, *end_ = nullptr;
  void *a_ = nullptr, *x_ = nullptr, *y_ = nullptr;
  std::function<void()> enqueue_;
  std::complex<double> scalar_;
  std::complex<float> narrow_;
};

}  // namespace

std::unique_ptr<VectorPeer> make_vector_peer(std::string& why_not) {
  const CublasApi* api = find_cublas(why_not);
  if (api == nullptr) return nullptr;
  try {
    return std::make_unique<CublasVectors>(*api);
  } catch (const DeviceError& error) {
    why_not = error.what();
    return nullptr;
  }
}

}  // namespace duoblas
