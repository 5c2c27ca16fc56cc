// Whole products of a program's memory, by each way that it can reach the device.
#include <algorithm>
#include <deque>
#include <iostream>
#include <map>
#include <memory>
#include <optional>

#include <duoblas/error.hpp>

#include "bench/cublasxt.hpp"
#include "bench/gemm_cases.hpp"
#include "bench/peer.hpp"
#include "engine/engine.hpp"
#include "gpu/queued/queued_products.hpp"
#include "memory/registered_memory.hpp"
#include "opencl/choose_device.hpp"
#include "planner/planner.hpp"
#include "problem/host_rect.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

constexpr const char* kUsage =
    R"([--precision s,d] [--n 1024,2048,4096,8192] [--pad 0] [--seconds 2] [--blocks 1024,2048,4096]
     [--ways pageable,registered,a_prepared,prepared,resident,planned,planned_registered]

Whole calls in turns, medians. "first" is the first call of a way, which locks pages and builds kernels.
--n      square matrices of this size
--pad    elements between the rows of each matrix
--ways   of the GPU alone: pageable; registered: A, B and C; a_prepared: A prepared, B and C registered;
         prepared: A and B; resident: all three in buffers of the program. planned, planned_registered:
         both sides, as planned. cublasxt, cublasxt_registered: cuBLASXt at its better block size.
--blocks cuBLASXt's block sizes to try
A limit of the device's memory is DUOBLAS_DEVICE_MEMORY's.
)";

/// The operands of one product in a program's memory; registered while this lives, if wanted.
struct HostMatrices {
  HostMatrices(const PeerProblem& shape, bool registered)
      : memory(shape), problem(as_gemm(shape)), is_registered(registered) {
    problem.alpha = 1;
    problem.a = memory.a.data();
    problem.b = memory.b.data();
    problem.c = memory.c.data();
    for (std::vector<char>* matrix : all())
      if (registered) enter_block(matrix->data(), matrix->size(), BlockOwner::program);
  }
  ~HostMatrices() {
    for (std::vector<char>* matrix : all())
      if (is_registered) leave_block(matrix->data(), BlockOwner::program);
  }
  HostMatrices(const HostMatrices&) = delete;
  HostMatrices& operator=(const HostMatrices&) = delete;

  std::vector<std::vector<char>*> all() { return {&memory.a, &memory.b, &memory.c}; }

  PeerOperands memory;
  GemmProblem problem;
  bool is_registered;
};

/// The same matrices in a program's own buffers.
class OnDevice {
 public:
  OnDevice(const cl::Device& device, const HostMatrices& matrices)
      : context_(device), queue_(context_), products_(queue_.raw(), {}) {
    product_.problem = matrices.problem;
    product_.a = upload(matrices.memory.a, matrices.problem.lda);
    product_.b = upload(matrices.memory.b, matrices.problem.ldb);
    product_.c = upload(matrices.memory.c, matrices.problem.ldc);
  }
  void multiply(const KernelParams& kernel) {
    product_.kernel = kernel;
    products_.enqueue(product_, {}, nullptr);
    queue_.finish();
  }

 private:
  BufferPlace upload(const std::vector<char>& bytes, std::int64_t ld) {
    buffers_.push_back(context_.allocate(bytes.size(), cl::Access::read_write));
    const std::size_t size = bytes.size();
    queue_.write(buffers_.back(), bytes.data(), {1, size, size, size, 0}, true);
    return {buffers_.back().raw(), 0, ld};
  }

  cl::Context context_;
  cl::Queue queue_;
  QueuedProducts products_;
  std::vector<cl::Buffer> buffers_;
  QueuedProduct product_;
};

/// Makes the ways, and owns what they work on.
class HostWays {
 public:
  HostWays(Engine& engine, const PeerProblem& shape, const NamedOptions& options)
      : engine_(engine), gpu_(*engine.gpu()), shape_(shape), options_(options) {
    for (const std::string& name : options.list("--ways")) add(name);
  }

  const std::vector<Contender>& ways() const { return ways_; }

  /// Whether all have the same C.
  bool agree() const {
    const std::vector<char>& first = matrices_.begin()->second->memory.c;
    return std::ranges::all_of(matrices_, [&](const auto& of) {
      return result_difference(shape_, first, of.second->memory.c) < 1;
    });
  }

 private:
  void add(const std::string& name) {
    if (name == "pageable")
      alone(name, matrices(name, false), SharingMode::staged, {});
    else if (name == "registered")
      alone(name, registered(), SharingMode::pinned, {});
    else if (name == "a_prepared")
      alone(name, registered(), SharingMode::pinned, {prepared(rect_of_a), nullptr});
    else if (name == "prepared")
      alone(name, registered(), SharingMode::pinned, {prepared(rect_of_a), prepared(rect_of_b)});
    else if (name == "resident")
      add_resident();
    else if (name == "planned")
      planned(name, matrices("pageable", false));
    else if (name == "planned_registered")
      planned(name, registered());
    else if (name == "cublasxt" || name == "cublasxt_registered")
      add_cublasxt(name);
    else
      throw SettingError("--ways has no " + name + "; try --help");
  }

  HostMatrices& matrices(const std::string& whose, bool is_registered) {
    std::unique_ptr<HostMatrices>& place = matrices_[whose];
    if (!place) place = std::make_unique<HostMatrices>(shape_, is_registered);
    return *place;
  }
  HostMatrices& registered() { return matrices("registered", true); }

  const ResidentMatrix* prepared(HostRect (*rect_of)(const GemmProblem&)) {
    prepared_.push_back(gpu_.make_resident(rect_of(registered().problem)));
    return prepared_.back().get();
  }

  void add_resident() {
    std::string why;
    device_ = cl::choose_device(cl::list_devices(&why), engine_.settings().device, true, &why);
    if (!device_) throw DeviceError(why);
    HostMatrices& from = matrices("pageable", false);
    on_device_ = std::make_unique<OnDevice>(*device_, from);
    timed("resident", [this, kernel = kernel_of(from)] { on_device_->multiply(kernel); });
  }

  void add_cublasxt(const std::string& name) {
    std::string why_not;
    if (cublas_ == nullptr) cublas_ = find_cublas(why_not);
    if (cublas_ == nullptr) throw DeviceError(why_not);
    HostMatrices& theirs = matrices(name, false);
    if (name != "cublasxt")
      for (std::vector<char>* matrix : theirs.all()) locked_.emplace_back(*cublas_, *matrix);
    for (const std::string& block : options_.list("--blocks")) {
      CublasXt& library = libraries_.emplace_back(*cublas_, std::stoi(block));
      timed(name + " " + block, [&] { library.multiply(theirs.problem); });
    }
  }

  KernelParams kernel_of(const HostMatrices& m) const {
    return gpu_kernel(m.problem, engine_.machine(), MathMode::exact);
  }
  template <typename Call>
  void timed(const std::string& name, Call call) {
    ways_.push_back({name, [call] { return seconds_of(call); }});
  }
  void planned(const std::string& name, const HostMatrices& m) {
    timed(name, [this, &m] { engine_.run(m.problem); });
  }
  void alone(const std::string& name, const HostMatrices& m, SharingMode mode,
             ResidentOperands resident) {
    timed(name, [this, &m, mode, resident, kernel = kernel_of(m)] {
      gpu_.submit(m.problem, kernel, {mode, mode, resident}).wait();
    });
  }

  Engine& engine_;
  GpuSide& gpu_;
  const PeerProblem shape_;
  const NamedOptions& options_;
  std::map<std::string, std::unique_ptr<HostMatrices>> matrices_;
  std::vector<std::shared_ptr<const ResidentMatrix>> prepared_;
  std::optional<cl::Device> device_;
  std::unique_ptr<OnDevice> on_device_;
  const CublasApi* cublas_ = nullptr;
  std::deque<CublasXt> libraries_;
  std::deque<CudaRegistration> locked_;
  std::vector<Contender> ways_;
};

void compare(Engine& engine, const PeerProblem& shape, const NamedOptions& options) {
  const HostWays all(engine, shape, options);
  const std::vector<Contender>& ways = all.ways();
  std::vector<double> first;
  for (const Contender& way : ways) first.push_back(way.seconds());
  const std::vector<Taken> taken = in_turns(ways, {3, 50, options.positive("--seconds")});
  const Table table(
      {{std::string(1, letter(shape.precision)) + "gemm " + std::to_string(shape.n), -24},
       {"ms", 10},
       {"TFLOPS", 7},
       {"over first", 10},
       {"first ms", 9},
       {"", -1}});
  for (std::size_t i = 0; i < ways.size(); ++i)
    table.row({ways[i].name, fixed(1e3 * taken[i].median, 3),
               fixed(1e-3 * shape.giga_flops() / taken[i].median, 2), fixed(taken[i].ratio, 3),
               fixed(1e3 * first[i], 1), taken[i].problem});
  if (!all.agree()) std::cout << "  RESULTS DIFFER" << std::endl;
}

int run(const NamedOptions& options) {
  Settings settings = Settings::from_environment();
  Engine& engine = *new Engine(settings);  // drivers outlive main badly
  if (engine.gpu() == nullptr) throw DeviceError(engine.facts().gpu_problem());
  std::cout << engine.gpu()->info().name << (settings.standin ? " (stand-in)\n" : "\n");
  for (const std::string& precision : options.list("--precision"))
    for (const std::string& n : options.list("--n"))
      compare(engine,
              square_problem(precision_named(precision), {Op::none, Op::none}, std::stoll(n),
                             options.whole("--pad", 0)),
              options);
  return 0;
}

}  // namespace

BenchCase host_case() {
  return {"host", kUsage,
          NamedOptions({{"--precision", "s,d"},
                        {"--n", "1024,2048,4096,8192"},
                        {"--pad", "0"},
                        {"--seconds", "2"},
                        {"--blocks", "1024,2048,4096"},
                        {"--ways",
                         "pageable,registered,a_prepared,prepared,resident,planned,"
                         "planned_registered"}}),
          run};
}

}  // namespace duoblas
