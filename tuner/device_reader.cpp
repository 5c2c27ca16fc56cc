#include "tuner/device_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>

#include "gpu/kernels/kernel_source.hpp"
#include "gpu/product/product.hpp"
#include "opencl/wait_deadline.hpp"
#include "problem/host_rect.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

constexpr double round_seconds = 0.02;
constexpr int reads = 5, copies_made = 3, short_launches = 21;
constexpr std::size_t group_items = 256, most_items_per_unit = 16 * group_items;

// Memory as one row, which is bound or copied whole.
HostRect row_of(const ReadMemory& memory, std::size_t count) {
  const std::size_t bytes = count * sizeof(std::uint32_t);
  return {memory.numbers(), 1, bytes, bytes, sizeof(std::uint32_t)};
}

}  // namespace

DeviceReader::DeviceReader(OpenedDevice& device, const std::string& kernel_dir) : device_(device) {
  const std::string source = joined_source({"read_sum.cl"}, kernel_dir);
  const bool blocks = device.limits.is_cpu;
  const std::vector<Form> forms =
      blocks ? std::vector<Form>{{16, 4, 8}}
             : std::vector<Form>{{4, 4, 2048}, {4, 4, 4096}, {4, 8, 2048}, {4, 8, 4096}};
  for (const Form& form : forms) {
    Built built{form,
                cl::build_from_source(device.context, source,
                                      "-cl-std=CL1.2 -DWIDTH=" + std::to_string(form.width) +
                                          " -DUNROLL=" + std::to_string(form.unroll) +
                                          " -DBLOCKS=" + (blocks ? "1" : "0")),
                {}};
    built.kernel = built.program.kernel("read_sum");
    built_.push_back(std::move(built));
  }
  const auto units = static_cast<std::size_t>(std::max(device.limits.compute_units, 1));
  sums_ = device.context.allocate(units * most_items_per_unit * sizeof(std::uint32_t),
                                  cl::Access::write_only);
}

cl::Range DeviceReader::range_of(const Form& form) const {
  const auto units = static_cast<std::size_t>(std::max(device_.limits.compute_units, 1));
  const auto items = units * static_cast<std::size_t>(form.items_per_unit);
  if (device_.limits.is_cpu) return {{items, 1}, {1, 1}};
  const std::size_t most = std::max<std::size_t>(1, device_.limits.max_work_group_size);
  std::size_t group = group_items;
  while (group > most) group /= 2;  // a power of two divides the items
  return {{items, 1}, {group, 1}};
}

std::size_t DeviceReader::most_bytes(std::size_t wanted) const {
  const cl::DeviceInfo& info = device_.context.device().info;
  std::size_t most = std::min(wanted, info.max_allocation_bytes);
  if (const std::size_t limit = device_.free_limits().memory_bytes; limit > 0)
    most = std::min(most, limit / 2);
  return most / 4096 * 4096;
}

double DeviceReader::seconds_of(Built& built, const Numbers& numbers, int launches) {
  const auto vector = sizeof(std::uint32_t) * static_cast<std::size_t>(built.form.width);
  cl::Kernel& kernel = built.kernel;
  kernel.set_argument(0, *numbers.where.buffer);
  kernel.set_argument(1, std::uint64_t{numbers.where.offset_bytes / vector});
  kernel.set_argument(2, std::uint64_t{numbers.count * sizeof(std::uint32_t) / vector});
  kernel.set_argument(3, sums_);
  const cl::Range range = range_of(built.form);
  EarlierKernels earlier;
  const Stopwatch watch;
  for (int i = 1; i < launches; ++i)
    earlier.push_back(std::make_shared<cl::Event>(device_.queue.enqueue(kernel, range)));
  device_.queue.wait(device_.queue.submit(kernel, range));
  const double seconds = watch.seconds();
  require_all(device_.queue, earlier);
  return seconds;
}

// Before its times are believed.
void DeviceReader::require_sum(Built& built, const Numbers& numbers) {
  const std::size_t items = range_of(built.form).global[0];
  const std::size_t bytes = items * sizeof(std::uint32_t);
  seconds_of(built, numbers, 1);
  std::uint32_t sum = 0;
  {
    using Sums = std::vector<std::uint32_t>;
    const std::unique_ptr<Sums, cl::DeletedUnlessHung> sums(new Sums(items));
    device_.queue.read(sums_, sums->data(), {1, bytes, bytes, bytes, 0});
    for (const std::uint32_t of_item : *sums) sum += of_item;
  }
  if (sum != ReadMemory::sum(0, numbers.count))
    throw DeviceError(device_.context.device().info.name + " does not read what is in memory");
}

double DeviceReader::rate_of(Built& built, const Numbers& numbers, double seconds) {
  int launches = 1;
  double took = seconds_of(built, numbers, launches);
  constexpr int most_launches = 1 << 12;
  while (took < seconds && launches < most_launches) {
    launches *= 2;
    took = seconds_of(built, numbers, launches);
  }
  return launches * static_cast<double>(numbers.count * sizeof(std::uint32_t)) / took;
}

DeviceReader::Numbers DeviceReader::copied(const ReadMemory& memory, std::size_t bytes) {
  const std::size_t count = bytes / sizeof(std::uint32_t);
  return {device_.memory.staged_input(row_of(memory, count), bytes), count};
}

double DeviceReader::own_rate(const ReadMemory& memory, std::size_t bytes) {
  const Numbers numbers = copied(memory, bytes);
  double best = 0;
  for (std::size_t i = 0; i < built_.size(); ++i) {
    require_sum(built_[i], numbers);
    std::vector<double> rates;
    for (int round = 0; round < reads; ++round)
      rates.push_back(rate_of(built_[i], numbers, round_seconds));
    if (const double rate = median(rates); rate > best) {
      best = rate;
      best_ = i;
    }
  }
  return best;
}

double DeviceReader::copied_rate(const ReadMemory& memory, std::size_t bytes) {
  std::vector<double> rates;
  for (int turn = 0; turn < copies_made; ++turn) {
    const Stopwatch watch;
    const Numbers numbers = copied(memory, bytes);
    seconds_of(built_[best_], numbers, 1);
    rates.push_back(static_cast<double>(bytes) / watch.seconds());
  }
  return median(rates);
}

bool DeviceReader::bind_in_place(const ReadMemory& memory, std::size_t count) {
  in_place_ = {device_.memory.inputs_in_place(row_of(memory, count), {}, nullptr).a, count};
  if (!in_place_.where.buffer) return false;
  const auto vector = sizeof(std::uint32_t) * static_cast<std::size_t>(built_[best_].form.width);
  if (in_place_.where.offset_bytes % vector != 0) return false;
  require_sum(built_[best_], in_place_);
  return true;
}

double DeviceReader::in_place_rate(double seconds, std::size_t count) {
  return rate_of(built_[best_], {in_place_.where, std::min(count, in_place_.count)}, seconds);
}

double DeviceReader::launch_seconds() {
  Numbers numbers;
  numbers.where.buffer = std::make_shared<cl::Buffer>(
      device_.context.allocate(sizeof(std::uint32_t) * 16, cl::Access::read_only));
  std::vector<double> seconds;
  for (int i = 0; i < short_launches; ++i) seconds.push_back(seconds_of(built_[best_], numbers, 1));
  return median(seconds);
}

}  // namespace duoblas
