#include "bench/own_kernel.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include <duoblas/error.hpp>

#include "kernel_space/kernel_description.hpp"
#include "kernel_space/kernel_fields.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {
namespace {

cl::RectCopy whole(std::size_t bytes) {
  return {1, bytes, bytes, bytes, 0};
}

BatchedOperand operand(std::shared_ptr<const cl::Buffer> buffer, const HostRect& rect,
                       std::int64_t ld, std::size_t element) {
  BatchedOperand made;
  made.first.buffer = std::move(buffer);
  made.first.pitch_bytes = static_cast<std::size_t>(ld) * element;
  made.stride = static_cast<std::int64_t>(rect.span() / element);
  made.aligned = made.first.pitch_bytes % 16 == 0;
  return made;
}

}  // namespace

OwnKernel::OwnKernel(OpenedDevice& device)
    : device_(device), stopwatch_(device.context, device.queue) {}

std::string OwnKernel::name() const {
  return describe(kernel_);
}

void OwnKernel::prepare(const PeerProblem& problem) {
  operands_ = {};
  const PeerOperands values(problem);
  problem_ = as_gemm(problem);
  count_ = problem.count;
  const std::size_t element = element_size(problem.precision);
  operands_.a = operand(uploaded(device_, values.a), rect_of_a(problem_), problem.lda, element);
  operands_.b = operand(uploaded(device_, values.b), rect_of_b(problem_), problem.ldb, element);
  operands_.c = operand(uploaded(device_, values.c), rect_of_c(problem_), problem.ldc, element);
  c_bytes_ = values.c.size();
}

void OwnKernel::use(const KernelParams& kernel) {
  kernel_ = kernel;
  // C is NaN, which shows the elements that a kernel does not write.
  const std::vector<char> poison(c_bytes_, static_cast<char>(0xff));
  device_.queue.write(*operands_.c.first.buffer, poison.data(), whole(c_bytes_), true);
  device_.queue.wait(enqueue());
}

cl::Event OwnKernel::enqueue() {
  if (count_ > 1) return submit_batched(device_, problem_, count_, kernel_, operands_, scratch_);
  scratch_.splits_last_tiles = true;
  ProductOperands operands;
  operands.a = operands_.a.first;
  operands.b = operands_.b.first;
  operands.c = operands_.c.first;
  operands.aligned_a = operands_.a.aligned;
  operands.aligned_b = operands_.b.aligned;
  return submit_product(device_, problem_, kernel_, operands, scratch_);
}

double OwnKernel::seconds_per_call(int calls) {
  stopwatch_.start();
  scratch_.asked_for = asks_for_each_;
  for (int call = 1; call < calls; ++call) enqueue();
  scratch_.asked_for = true;
  const double seconds = stopwatch_.seconds_until(enqueue()) / calls;
  if (count_ > 1) scratch_.release();
  return seconds;
}

std::vector<char> OwnKernel::result() {
  std::vector<char> bytes(c_bytes_);
  device_.queue.read(*operands_.c.first.buffer, bytes.data(), whole(c_bytes_));
  return bytes;
}

KernelParams with_assignments(KernelParams base, const std::string& line) {
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    const auto fields = kernel_fields();
    const auto field = std::ranges::find(fields, word.substr(0, equals), &KernelField::name);
    int value = 0;
    const char* first = word.data() + std::min(word.size(), equals + 1);
    const char* last = word.data() + word.size();
    const auto parsed = std::from_chars(first, last, value);
    if (equals == std::string::npos || field == fields.end() || parsed.ptr != last ||
        parsed.ec != std::errc() || !field->is_legal(value))
      throw SettingError("\"" + word + "\" is not a kernel field with a legal value");
    field->set(base, value);
  }
  return base;
}

std::vector<KernelParams> points_of_file(const std::string& path, const KernelParams& base) {
  std::ifstream file(path);
  if (!file) throw SettingError("cannot read " + path);
  std::vector<KernelParams> points;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line.front() != '#') points.push_back(with_assignments(base, line));
  return points;
}

}  // namespace duoblas
