#include "bench/own_kernel.hpp"

#include <fstream>

#include "kernel_space/kernel_description.hpp"

namespace duoblas {
namespace {

cl::RectCopy whole(std::size_t bytes) {
  return {1, bytes, bytes, bytes, 0};
}

bool rows_are_aligned(const BoundOperand& operand) {
  return operand.pitch_bytes % 16 == 0;
}

}  // namespace

OwnKernel::OwnKernel(OpenedDevice& device)
    : device_(device), stopwatch_(device.context, device.queue) {}

std::string OwnKernel::name() const {
  return describe(kernel_);
}

BoundOperand OwnKernel::upload(const std::vector<char>& bytes, std::int64_t ld) {
  BoundOperand operand;
  const auto buffer =
      std::make_shared<cl::Buffer>(device_.context.allocate(bytes.size(), cl::Access::read_write));
  device_.queue.write(*buffer, bytes.data(), whole(bytes.size()), true);
  operand.buffer = buffer;
  operand.pitch_bytes = static_cast<std::size_t>(ld) * element_size(problem_.precision);
  return operand;
}

void OwnKernel::prepare(const PeerProblem& problem) {
  operands_ = {};
  const PeerOperands values(problem);
  problem_ = as_gemm(problem);
  operands_.a = upload(values.a, problem.lda);
  operands_.b = upload(values.b, problem.ldb);
  operands_.c = upload(values.c, problem.ldc);
  operands_.aligned_a = rows_are_aligned(operands_.a);
  operands_.aligned_b = rows_are_aligned(operands_.b);
  c_bytes_ = values.c.size();
}

void OwnKernel::use(const KernelParams& kernel) {
  kernel_ = kernel;
  // C is NaN, which shows the elements that a kernel does not write.
  const std::vector<char> poison(c_bytes_, static_cast<char>(0xff));
  device_.queue.write(*operands_.c.buffer, poison.data(), whole(c_bytes_), true);
  device_.queue.wait(enqueue());
}

void OwnKernel::dump(const std::string& path) {
  const KernelVariant variant{kernel_, problem_.precision, problem_.op_a, problem_.op_b};
  const std::vector<unsigned char> binary =
      device_.kernels.get(normalised(variant)).program.binary();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(binary.data()),
             static_cast<std::streamsize>(binary.size()));
}

cl::Event OwnKernel::enqueue() {
  scratch_.splits_last_tiles = true;
  return submit_product(device_, problem_, kernel_, operands_, scratch_);
}

double OwnKernel::seconds_per_call(int calls) {
  stopwatch_.start(turns_ahead_);
  scratch_.asked_for = asks_for_each_;
  for (int call = 1; call < calls; ++call) enqueue();
  scratch_.asked_for = true;
  return stopwatch_.seconds_until(enqueue()) / calls;
}

std::vector<char> OwnKernel::result() {
  std::vector<char> bytes(c_bytes_);
  device_.queue.read(*operands_.c.buffer, bytes.data(), whole(c_bytes_));
  return bytes;
}

}  // namespace duoblas
