#include "bench/gemv_peer.hpp"

#include <complex>

#include <duoblas/error.hpp>

#include "bench/cublas_api.hpp"

namespace duoblas {
namespace {

class CublasGemv : public GemvPeer {
 public:
  explicit CublasGemv(const CublasApi& api) : api_(api) {
    check(api.create(&handle_));
    check(api.event_create(&start_));
    check(api.event_create(&end_));
  }
  ~CublasGemv() override {
    for (void* memory : {a_, x_, y_}) api_.free(memory);
    api_.event_destroy(start_);
    api_.event_destroy(end_);
    api_.destroy(handle_);
  }

  void prepare(const GemvProblem& problem, const std::vector<char>& a,
               const std::vector<char>& x) override {
    problem_ = problem;
    upload(a_, a);
    upload(x_, x);
    const auto bytes =
        static_cast<std::size_t>(problem.outputs()) * element_size(problem.precision);
    upload(y_, std::vector<char>(bytes));
    enqueue();
    check(api_.synchronize());
  }

  double seconds_per_call(int calls) override {
    check(api_.synchronize());
    check(api_.event_record(start_, nullptr));
    for (int call = 0; call < calls; ++call) enqueue();
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

  // A row-major matrix is its transpose in column-major order.
  void enqueue() {
    static constexpr std::complex<float> one_float = 1, zero_float = 0;
    static constexpr std::complex<double> one_double = 1, zero_double = 0;
    const GemvProblem& p = problem_;
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
  GemvProblem problem_;
};

}  // namespace

std::unique_ptr<GemvPeer> make_gemv_peer(std::string& why_not) {
  const CublasApi* api = find_cublas(why_not);
  if (api == nullptr) return nullptr;
  try {
    return std::make_unique<CublasGemv>(*api);
  } catch (const DeviceError& error) {
    why_not = error.what();
    return nullptr;
  }
}

}  // namespace duoblas
