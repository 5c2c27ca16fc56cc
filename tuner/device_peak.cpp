#include "tuner/device_peak.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include <duoblas/error.hpp>

#include "gpu/kernels/kernel_source.hpp"
#include "gpu/product/product.hpp"
#include "opencl/handles.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

constexpr int steps = 16;  // STEPS of kernels/peak.cl
// Long beside the 10 to 50 us that a launch and its wait take, short beside a display's patience.
constexpr double enough_seconds = 0.02;
constexpr int peak_rounds = 3;

struct Form {
  int width = 1;  ///< of vectors
  int chains = 8;
  bool fused = true;  ///< fma(), else a * b + c
  MatrixUnit unit = MatrixUnit::none;

  bool is_of_bytes() const { return unit >= MatrixUnit::integers; }
  bool is_of_blocks() const {
    return unit != MatrixUnit::none && (!is_of_bytes() || unit == MatrixUnit::integers_matrix);
  }
  /// Sums of a work-item.
  std::size_t sums() const {
    return static_cast<std::size_t>(chains * (is_of_blocks() ? 4 : width));
  }
  /// Of a work-item, in a step of a chain. A multiply-add is two.
  double operations() const {
    switch (unit) {
      case MatrixUnit::fp64: return 32;
      case MatrixUnit::fp64_deep: return 64;
      case MatrixUnit::integers:
      case MatrixUnit::integers_dot:
      case MatrixUnit::integers_dp4a: return 8;
      case MatrixUnit::integers_matrix: return 256;
      default: return 2.0 * width;
    }
  }
};

std::string text(const Form& form) {
  const std::string chains = std::to_string(form.chains) + " chains of ";
  switch (form.unit) {
    case MatrixUnit::fp64: return chains + "matrix instructions of 16 x 8 x 4";
    case MatrixUnit::fp64_deep: return chains + "matrix instructions of 16 x 8 x 8";
    case MatrixUnit::integers: return chains + "four products and sums";
    case MatrixUnit::integers_dot: return chains + "dot";
    case MatrixUnit::integers_dp4a: return chains + "dp4a";
    case MatrixUnit::integers_matrix: return chains + "matrix instructions of 16 x 8 x 32 bytes";
    default: break;
  }
  return chains + (form.fused ? "fma" : "a * b + c") +
         (form.width > 1 ? ", vectors of " + std::to_string(form.width) : "");
}

// A multiply-add takes about 4 cycles on CPUs and GPUs, and units take one or two a cycle: 8 chains
// are enough, and where registers are few fewer may be better.
std::vector<Form> forms_for(const DeviceLimits& limits, bool doubles) {
  const bool fused = doubles ? limits.fma_double : limits.fma_single;
  std::vector<Form> forms;
  if (limits.is_cpu) {
    const int native = std::max(limits.vector_bytes / (doubles ? 8 : 4), 1);
    for (const int width : {native / 2, native})
      if (width > 1 || width == native)
        for (const int chains : {8, 12}) forms.push_back({std::min(width, 16), chains, fused});
    return forms;
  }
  for (const int width : {1, 2, 4})
    for (const int chains : {4, 8}) forms.push_back({width, chains, fused});
  if (doubles && limits.fp64_matrix)
    for (const MatrixUnit unit : {MatrixUnit::fp64, MatrixUnit::fp64_deep})
      for (const int chains : {4, 8}) forms.push_back({1, chains, true, unit});
  return forms;
}

std::vector<Form> forms_of_bytes(const DeviceLimits& limits) {
  std::vector<MatrixUnit> units = {MatrixUnit::integers};
  if (limits.byte_dot_products) units.push_back(MatrixUnit::integers_dot);
  if (limits.byte_dp4a) units.push_back(MatrixUnit::integers_dp4a);
  if (limits.byte_matrix) units.push_back(MatrixUnit::integers_matrix);
  std::vector<Form> forms;
  for (const MatrixUnit unit : units)
    for (const int chains : {4, 8}) forms.push_back({1, chains, true, unit});
  return forms;
}

class PeakKernel {
 public:
  PeakKernel(const cl::Context& context, const DeviceLimits& limits, const Form& form, bool doubles,
             const std::string& source)
      : limits_(limits), form_(form), doubles_(doubles) {
    const std::string number = doubles ? "double" : "float";
    const std::string options =
        (form.unit == MatrixUnit::integers_dot ? "-cl-std=CL3.0" : "-cl-std=CL1.2") +
        std::string(" -DPREFETCH=1 -DDOUBLES=") + std::to_string(doubles ? 1 : 0) +
        " -DNUMBER=" + number + " -DVECTOR=" + number +
        (form.width > 1 ? std::to_string(form.width) : "") +
        " -DCHAINS=" + std::to_string(form.chains) + " -DMULTIPLY_ADD=" + (form.fused ? "0" : "1") +
        " -DMATRIX=" + std::to_string(static_cast<int>(form.unit));
    program_ = cl::build_from_source(context, source, options);
    kernel_ = program_.kernel("peak");
    const std::size_t items = range().global[0];
    bytes_ = items * form.sums() * (doubles ? sizeof(double) : sizeof(float));  // or of an int
    numbers_ = context.allocate(bytes_, cl::Access::read_write);
    kernel_.set_argument(0, numbers_);
    kernel_.set_argument(1, turns());
    set_scalar(2, 0.5);
    set_scalar(3, 0.5);
  }

  /// GFLOPS. \throws DeviceError.
  double rate(cl::Queue& queue) {
    const cl::Event filled = queue.fill_with_zeros(numbers_, bytes_);
    seconds_of(queue, 1);  // memory, and code, come at the first use
    queue.check_ended(filled);
    int launches = 1;
    double seconds = seconds_of(queue, launches);
    constexpr int most_launches = 1 << 14;
    while (seconds < enough_seconds && launches < most_launches) {
      launches *= 2;
      seconds = seconds_of(queue, launches);
    }
    for (int round = 1; round < peak_rounds; ++round)
      seconds = std::min(seconds, seconds_of(queue, launches));
    return launches * flops() / seconds * 1e-9;
  }

 private:
  // CPU devices: single work-items, enough that all cores end at the same time. Other devices:
  // twice as many work-items as any multiprocessor holds.
  cl::Range range() const {
    const auto units = static_cast<std::size_t>(std::max(limits_.compute_units, 1));
    if (limits_.is_cpu) return {{16 * units, 1}, {1, 1}};
    const std::size_t group = std::min<std::size_t>(256, limits_.max_work_group_size);
    return {{16 * units * group, 1}, {group, 1}};
  }
  // On a large GPU reads and writes around the loop then take at most a hundredth of the time (8
  // bytes for 8192 operations). On a GPU with 0.3 TFLOPS a launch takes at most 0.1 s. If the
  // driver leaves loops early, the number is far below that limit.
  int turns() const {
    const int wanted = limits_.is_cpu ? 1024 : 256;
    if (limits_.loop_turns == 0) return wanted;
    return static_cast<int>(
        std::clamp<std::int64_t>(limits_.loop_turns / (2 * steps * form_.chains), 1, wanted));
  }
  double flops() const {
    return static_cast<double>(range().global[0]) * turns() * steps * form_.chains *
           form_.operations();
  }
  void set_scalar(unsigned index, double value) {
    if (form_.is_of_bytes())
      kernel_.set_argument(index, 0x01020304u);
    else if (doubles_)
      kernel_.set_argument(index, value);
    else
      kernel_.set_argument(index, static_cast<float>(value));
  }
  double seconds_of(cl::Queue& queue, int launches) {
    EarlierKernels earlier;
    const Stopwatch watch;
    for (int i = 1; i < launches; ++i)
      earlier.push_back(std::make_shared<cl::Event>(queue.enqueue(kernel_, range())));
    queue.wait(queue.submit(kernel_, range()));
    const double seconds = watch.seconds();
    require_all(queue, earlier);
    return seconds;
  }

  const DeviceLimits& limits_;
  Form form_;
  bool doubles_;
  cl::Program program_;
  cl::Kernel kernel_;
  cl::Buffer numbers_;
  std::size_t bytes_ = 0;
};

std::optional<DevicePeak> best_of(const std::vector<Form>& forms, const cl::Device& device,
                                  const DeviceLimits& limits, bool doubles,
                                  const std::string& kernel_dir) {
  std::optional<DevicePeak> best;
  try {
    const cl::Context context(device);
    cl::Queue queue(context);
    for (const Form& form : forms) {
      try {
        const std::string source = peak_source(kernel_dir, form.unit);
        const double rate = PeakKernel(context, limits, form, doubles, source).rate(queue);
        if (!best || rate > best->gflops) best = DevicePeak{rate, text(form)};
      } catch (const DeviceError&) {
        // A form that this device does not compile, or has no registers for.
      }
    }
  } catch (const DeviceError&) {
    return std::nullopt;
  }
  return best;
}

}  // namespace

std::optional<DevicePeak> device_peak(const cl::Device& device, const DeviceLimits& limits,
                                      Precision precision, const std::string& kernel_dir) {
  const bool doubles = is_double(precision);
  if (doubles && !device.info.has_fp64) return std::nullopt;
  return best_of(forms_for(limits, doubles), device, limits, doubles, kernel_dir);
}

std::optional<DevicePeak> device_byte_peak(const cl::Device& device, const DeviceLimits& limits,
                                           const std::string& kernel_dir) {
  return best_of(forms_of_bytes(limits), device, limits, false, kernel_dir);
}

}  // namespace duoblas
