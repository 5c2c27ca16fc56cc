#include "bench/batch_peers.hpp"

#include "bench/cublas_session.hpp"
#include "kernel_space/kernel_description.hpp"

namespace duoblas {
namespace {

CublasApi::BatchedGemm* gemm_of(const CublasApi& api, Precision precision) {
  switch (precision) {
    case Precision::s: return api.sgemm_batched;
    case Precision::d: return api.dgemm_batched;
    case Precision::c: return api.cgemm_batched;
    case Precision::z: return api.zgemm_batched;
  }
  return nullptr;
}

class CublasBatchPeer : public BatchPeer {
 public:
  explicit CublasBatchPeer(const CublasApi& api) : cublas_(api), operands_(cublas_) {}

  std::string name() const override { return "cuBLAS, strided batch"; }

  void prepare(const SquareBatch& batch, const BatchOperandsOfPeer& operands) override {
    batch_ = batch;
    operands_.upload(cublas_, operands);
    enqueue();
    cublas_.synchronize();
  }

  double seconds_per_call(int calls) override {
    return cublas_.seconds_per_call(calls, [this] { enqueue(); });
  }

  std::vector<char> result() override { return cublas_.download(operands_.c, operands_.c_bytes); }

 private:
  // Row-major matrices are their transposes in column-major order: B comes first.
  void enqueue() {
    const int n = static_cast<int>(batch_.n);
    const long long stride = batch_.stride();
    cublas_.require("cuBLAS's batch",
                    gemm_of(cublas_.api(), batch_.precision)(
                        cublas_.handle(), cublas_op(batch_.op_b), cublas_op(batch_.op_a), n, n, n,
                        cublas_one(batch_.precision), operands_.b.get(), n, stride,
                        operands_.a.get(), n, stride, cublas_zero(batch_.precision),
                        operands_.c.get(), n, stride, static_cast<int>(batch_.count)));
  }

  const CublasSession cublas_;
  CublasOperands operands_;
  SquareBatch batch_;
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
  return on_cublas<CublasBatchPeer>(why_not);
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
  // C is NaN, which shows the elements that a kernel does not write.
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
