// CLBlast as a peer.
#include <algorithm>
#include <array>
#include <limits>

#include <duoblas/error.hpp>

#include "bench/device_stopwatch.hpp"
#include "bench/dynamic_library.hpp"
#include "bench/peer.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {
namespace {

// CLBlast's public C ABI (clblast_c.h, version 1). Its enums are ints, its handles are OpenCL's,
// and its complex scalars are cl_float2 and cl_double2, which are passed as two members are.
using Status = int;
constexpr int row_major = 101;
constexpr int transpose_no = 111;
constexpr int transpose_yes = 112;
constexpr int transpose_conjugate = 113;

template <typename Real>
struct alignas(2 * sizeof(Real)) Pair {
  Real s[2];
};

template <typename Scalar>
using Gemm = Status(int layout, int a_transpose, int b_transpose, std::size_t m, std::size_t n,
                    std::size_t k, Scalar alpha, void* a, std::size_t a_offset, std::size_t a_ld,
                    void* b, std::size_t b_offset, std::size_t b_ld, Scalar beta, void* c,
                    std::size_t c_offset, std::size_t c_ld, void** queue, void** event);

struct Api {
  Gemm<float>* sgemm = nullptr;
  Gemm<double>* dgemm = nullptr;
  Gemm<Pair<float>>* cgemm = nullptr;
  Gemm<Pair<double>>* zgemm = nullptr;
  Status (*clear_cache)() = nullptr;

  explicit Api(DynamicLibrary& library) {
    library.find("CLBlastSgemm", sgemm);
    library.find("CLBlastDgemm", dgemm);
    library.find("CLBlastCgemm", cgemm);
    library.find("CLBlastZgemm", zgemm);
    library.find("CLBlastClearCache", clear_cache);
  }
};

int transpose_of(Op op) {
  switch (op) {
    case Op::none: return transpose_no;
    case Op::transpose: return transpose_yes;
    case Op::conj_transpose: return transpose_conjugate;
  }
  return transpose_no;
}

class ClblastPeer : public Peer {
 public:
  ClblastPeer(const DynamicLibrary& library, const Api& api, const cl::Context& context,
              cl::Queue& queue)
      : name_("CLBlast (" + library.file_name() + ")"),
        api_(api),
        context_(context),
        queue_(queue),
        stopwatch_(context, queue) {}

  // CLBlast keeps its programs in static variables, which would be released at exit, behind the
  // context and possibly behind the driver.
  ~ClblastPeer() override { api_.clear_cache(); }

  std::string name() const override { return name_; }

  bool supports(const PeerProblem& problem) const override {
    const GemmProblem p = as_gemm(problem);
    const cl::DeviceInfo& device = context_.device().info;
    // The kernels take 32-bit sizes.
    const std::int64_t longest = std::max({p.m, p.n, p.k, p.lda, p.ldb, p.ldc});
    const std::size_t largest =
        std::max({rect_of_a(p).span(), rect_of_b(p).span(), rect_of_c(p).span()});
    return problem.count == 1 && std::min({p.m, p.n, p.k}) >= 1 &&
           longest <= std::numeric_limits<int>::max() && largest <= device.max_allocation_bytes &&
           (device.has_fp64 || !is_double(p.precision));
  }

  void prepare(const PeerProblem& problem) override {
    problem_ = problem;
    const PeerOperands operands(problem);
    // The old buffers go first: two sets of operands may be more than the device holds.
    buffers_ = {};
    buffers_ = {upload(operands.a), upload(operands.b), upload(operands.c)};
    c_bytes_ = operands.c.size();
    queue_.wait(enqueue());
  }

  double seconds_per_call(int calls) override {
    stopwatch_.start();
    cl::Event last;
    for (int call = 0; call < calls; ++call) last = enqueue();
    return stopwatch_.seconds_until(last) / calls;
  }

  std::vector<char> result() override {
    std::vector<char> c(c_bytes_);
    queue_.read(buffers_[2], c.data(), {1, c.size(), c.size(), c.size(), 0});
    return c;
  }

 private:
  cl::Buffer upload(const std::vector<char>& bytes) {
    cl::Buffer buffer = context_.allocate(bytes.size(), cl::Access::read_write);
    queue_.write(buffer, bytes.data(), {1, bytes.size(), bytes.size(), bytes.size(), 0}, true);
    return buffer;
  }

  // The event of the call's last kernel. CLBlast flushes its queue.
  cl::Event enqueue() {
    switch (problem_.precision) {
      case Precision::s: return enqueue_as(api_.sgemm, 1.0F, 0.0F);
      case Precision::d: return enqueue_as(api_.dgemm, 1.0, 0.0);
      case Precision::c: return enqueue_as(api_.cgemm, Pair<float>{{1, 0}}, Pair<float>{{0, 0}});
      case Precision::z: return enqueue_as(api_.zgemm, Pair<double>{{1, 0}}, Pair<double>{{0, 0}});
    }
    return {};
  }

  template <typename Scalar>
  cl::Event enqueue_as(Gemm<Scalar>* gemm, Scalar alpha, Scalar beta) {
    const auto size = [](std::int64_t value) { return static_cast<std::size_t>(value); };
    const PeerProblem& p = problem_;
    void* queue = queue_.raw();
    void* event = nullptr;
    const Status status =
        gemm(row_major, transpose_of(p.op_a), transpose_of(p.op_b), size(p.m), size(p.n), size(p.k),
             alpha, buffers_[0].raw(), 0, size(p.lda), buffers_[1].raw(), 0, size(p.ldb), beta,
             buffers_[2].raw(), 0, size(p.ldc), &queue, &event);
    cl::Event owned(event);
    if (status != 0)
      throw DeviceError("CLBlast's gemm failed with status " + std::to_string(status), status);
    return owned;
  }

  std::string name_;
  Api api_;
  const cl::Context& context_;
  cl::Queue& queue_;
  DeviceStopwatch stopwatch_;
  PeerProblem problem_;
  std::array<cl::Buffer, 3> buffers_;  // A, B, C
  std::size_t c_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Peer> make_clblast_peer(const cl::Context& context, cl::Queue& queue,
                                        std::string& why_not) {
  DynamicLibrary library("libclblast.so.1");
  const Api api(library);
  if (!library) {
    why_not = "no CLBlast (" + library.problem() + "); install libclblast1";
    return nullptr;
  }
  return std::make_unique<ClblastPeer>(library, api, context, queue);
}

}  // namespace duoblas
