#include "bench/batch_peers.hpp"

#include <duoblas/error.hpp>

#include <complex>

#include "bench/cublas_api.hpp"
#include "kernel_space/kernel_description.hpp"

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

CublasApi::BatchedGemm* gemm_of(const CublasApi& api, Precision precision) {
  switch (precision) {
    case Precision::s: return api.sgemm_batched;
    case Precision::d: return api.dgemm_batched;
    case Precision::c: return api.cgemm_batched;
    case Precision::z: return api.zgemm_batched;
  }
  return nullptr;
}

void require(const char* call, CublasApi::Status status) {
  if (status != 0)
    throw DeviceError(std::string(call) + " failed with status " + std::to_string(status));
}

using Owned = std::unique_ptr<void, CublasApi::Status (*)(void*)>;

class CublasBatchPeer : public BatchPeer {
 public:
  explicit CublasBatchPeer(const CublasApi& api)
      : api_(api),
        handle_(nullptr, api.destroy),
        start_(new_event()),
        end_(new_event()),
        a_(nullptr, api.free),
        b_(nullptr, api.free),
        c_(nullptr, api.free) {
    void* handle = nullptr;
    require("cublasCreate", api.create(&handle));
    handle_.reset(handle);
    require("cublasSetMathMode", api.set_math_mode(handle, CublasApi::default_math));
  }

  std::string name() const override { return "cuBLAS, strided batch"; }

  void prepare(const SquareBatch& batch, const BatchOperandsOfPeer& operands) override {
    batch_ = batch;
    for (Owned* operand : {&a_, &b_, &c_}) operand->reset();
    a_ = upload(operands.a);
    b_ = upload(operands.b);
    c_ = upload(operands.c);
    c_bytes_ = operands.c.size();
    enqueue();
    require("cudaDeviceSynchronize", api_.synchronize());
  }

  double seconds_per_call(int calls) override {
    require("cudaDeviceSynchronize", api_.synchronize());
    require("cudaEventRecord", api_.event_record(start_.get(), nullptr));
    for (int call = 0; call < calls; ++call) enqueue();
    require("cudaEventRecord", api_.event_record(end_.get(), nullptr));
    require("cudaEventSynchronize", api_.event_synchronize(end_.get()));
    float milliseconds = 0;
    require("cudaEventElapsedTime", api_.event_elapsed(&milliseconds, start_.get(), end_.get()));
    return static_cast<double>(milliseconds) * 1e-3 / calls;
  }

  std::vector<char> result() override {
    std::vector<char> c(c_bytes_);
    require("cudaMemcpy", api_.copy(c.data(), c_.get(), c.size(), CublasApi::device_to_host));
    return c;
  }

 private:
  Owned new_event() const {
    void* event = nullptr;
    require("cudaEventCreate", api_.event_create(&event));
    return {event, api_.event_destroy};
  }

  Owned upload(const std::vector<char>& bytes) const {
    void* memory = nullptr;
    require("cudaMalloc", api_.allocate(&memory, bytes.size()));
    Owned owned(memory, api_.free);
    require("cudaMemcpy", api_.copy(memory, bytes.data(), bytes.size(), CublasApi::host_to_device));
    return owned;
  }

  // Row-major matrices are their transposes in column-major order: B comes first.
  void enqueue() {
    static constexpr std::complex<float> one_float = 1, zero_float = 0;
    static constexpr std::complex<double> one_double = 1, zero_double = 0;
    const bool doubles = is_double(batch_.precision);
    const void* one = doubles ? static_cast<const void*>(&one_double) : &one_float;
    const void* zero = doubles ? static_cast<const void*>(&zero_double) : &zero_float;
    const int n = static_cast<int>(batch_.n);
    const long long stride = batch_.stride();
    require("cuBLAS's batch", gemm_of(api_, batch_.precision)(
                                  handle_.get(), cublas_op(batch_.op_b), cublas_op(batch_.op_a), n,
                                  n, n, one, b_.get(), n, stride, a_.get(), n, stride, zero,
                                  c_.get(), n, stride, static_cast<int>(batch_.count)));
  }

  const CublasApi& api_;
  Owned handle_;
  Owned start_, end_;
  Owned a_, b_, c_;
  SquareBatch batch_;
  std::size_t c_bytes_ = 0;
};

cl::RectCopy whole(std::size_t bytes) {
  return {1, bytes, bytes, bytes, 0};
}

}  // namespace

double SquareBatch::giga_flops() const {
  const auto cube = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  return (is_complex(precision) ? 8e-9 : 2e-9) * cube * static_cast<double>(count);
}

PeerProblem SquareBatch::as_one() const {
  return dense_problem(precision, Op::none, Op::none, n * count, n, n);
}

BatchOperandsOfPeer::BatchOperandsOfPeer(const SquareBatch& batch) {
  PeerOperands rows(batch.as_one());
  a = std::move(rows.a);
  c = std::move(rows.c);
  b = PeerOperands(
          dense_problem(batch.precision, Op::none, Op::none, 1, batch.n, batch.n * batch.count))
          .b;
}

std::unique_ptr<BatchPeer> make_cublas_batch_peer(std::string& why_not) {
  const CublasApi* api = find_cublas(why_not);
  if (api == nullptr) return nullptr;
  try {
    return std::make_unique<CublasBatchPeer>(*api);
  } catch (const DeviceError& error) {
    why_not = std::string("cuBLAS does not start: ") + error.what();
    return nullptr;
  }
}

OwnBatch::OwnBatch(OpenedDevice& device)
    : device_(device), stopwatch_(device.context, device.queue) {}

std::string OwnBatch::name() const {
  return describe(kernel_);
}

BatchedOperand OwnBatch::upload(const std::vector<char>& bytes) {
  BatchedOperand operand;
  const auto buffer =
      std::make_shared<cl::Buffer>(device_.context.allocate(bytes.size(), cl::Access::read_write));
  device_.queue.write(*buffer, bytes.data(), whole(bytes.size()), true);
  operand.first.buffer = buffer;
  operand.first.pitch_bytes = static_cast<std::size_t>(batch_.n) * element_size(batch_.precision);
  operand.stride = batch_.stride();
  operand.aligned = operand.first.pitch_bytes % 16 == 0;
  return operand;
}

void OwnBatch::prepare(const SquareBatch& batch, const BatchOperandsOfPeer& operands) {
  operands_ = {};
  batch_ = batch;
  operands_.a = upload(operands.a);
  operands_.b = upload(operands.b);
  operands_.c = upload(operands.c);
  c_bytes_ = operands.c.size();
}

void OwnBatch::use(const KernelParams& kernel) {
  kernel_ = kernel;
  // A C of NaN shows what a kernel does not write.
  const std::vector<char> poison(c_bytes_, static_cast<char>(0xff));
  device_.queue.write(*operands_.c.first.buffer, poison.data(), whole(c_bytes_), true);
  device_.queue.wait(enqueue());
}

cl::Event OwnBatch::enqueue() {
  GemmProblem shape;
  shape.precision = batch_.precision;
  shape.op_a = batch_.op_a;
  shape.op_b = batch_.op_b;
  shape.m = shape.n = shape.k = batch_.n;
  return submit_batched(device_, shape, batch_.count, kernel_, operands_, scratch_);
}

double OwnBatch::seconds_per_call(int calls) {
  stopwatch_.start();
  for (int call = 1; call < calls; ++call) enqueue();
  const double seconds = stopwatch_.seconds_until(enqueue()) / calls;
  scratch_.release();
  return seconds;
}

std::vector<char> OwnBatch::result() {
  std::vector<char> bytes(c_bytes_);
  device_.queue.read(*operands_.c.first.buffer, bytes.data(), whole(c_bytes_));
  return bytes;
}

}  // namespace duoblas
