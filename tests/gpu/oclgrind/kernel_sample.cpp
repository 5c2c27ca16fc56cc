// kernel_sample [--only WORD | --without WORD | --broken]
// A few kernels of each family on tiny problems, for a simulator that sees every access
// (run_oclgrind.py); those whose name has the word in it, or has not. Prints one line per kernel;
// exits with 1 where a result is wrong, and with 2 where a kernel does not build or run.
#include <duoblas/error.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpu/device/opened_device.hpp"
#include "gpu/product/product.hpp"
#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "opencl/program_cache.hpp"
#include "os/own_stack.hpp"
#include "problem/element_types.hpp"
#include "support/reference_gemm.hpp"
#include "support/turns.hpp"

namespace duoblas::test {
namespace {

struct Sample {
  const char* about;
  Precision precision;
  Op op_a, op_b;
  KernelParams params;
};

KernelParams panel(const std::function<void(KernelParams&)>& change) {
  KernelParams p;
  p.tile_rows = 2;
  p.vector_width = 2;
  p.tile_cols = 4;
  p.block_m = p.block_n = p.block_k = 24;
  p.multiply_add = MultiplyAdd::plain;  // the simulator has no fma of floats
  change(p);
  return canonical(p);
}

// Groups of 32 work-items, which lane patches need.
KernelParams tiled(const std::function<void(KernelParams&)>& change) {
  KernelParams p;
  p.family = KernelFamily::tiled;
  p.tile_rows = p.tile_cols = p.vector_width = 2;
  p.group_rows = 4;
  p.group_cols = 8;
  p.k_unroll = 8;
  p.local_a = p.local_b = true;
  p.multiply_add = MultiplyAdd::plain;
  change(p);
  return canonical(p);
}

KernelParams bytes(const std::function<void(KernelParams&)>& change) {
  return tiled([&](auto& p) {
    p.matrix = MatrixUnit::integers;
    p.tile_rows = p.tile_cols = 4;
    p.group_rows = 8;
    change(p);
  });
}

// Products by integers are of devices without doubles.
cl::Device device_for(const Sample& sample, cl::Device chosen) {
  chosen.info.has_fp64 &= !is_by_integers(sample.params);
  return chosen;
}

std::vector<Sample> samples() {
  constexpr Op n = Op::none, t = Op::transpose, c = Op::conj_transpose;
  return {
      {"panel in place", Precision::s, n, n, panel([](auto&) {})},
      {"panel packed", Precision::d, t, t, panel([](auto& p) { p.k_unroll = 4; })},
      {"panel complex", Precision::c, n, c, panel([](auto& p) { p.pack_a = true; })},
      {"panel options", Precision::d, n, n, panel([](auto& p) {
         p.pack_b = p.inline_sizes = true;
         p.loop_order = 1;
         p.k_unroll = 2;
       })},
      {"panel k split", Precision::s, n, t, panel([](auto& p) { p.k_split = 2; })},
      {"local memory", Precision::s, n, n, tiled([](auto&) {})},
      {"local memory, turned", Precision::d, t, t, tiled([](auto& p) { p.prefetch = 0; })},
      {"local memory of A", Precision::c, n, c, tiled([](auto& p) { p.local_b = false; })},
      {"no local memory", Precision::z, c, n, tiled([](auto& p) {
         p.local_a = p.local_b = false;
         p.vector_width = 1;
       })},
      {"fragments", Precision::s, n, t, tiled([](auto& p) {
         p.fragments = true;
         p.lane_order = LaneOrder::patch_4x8;
         p.madd_order = MaddOrder::row_serpentine;
       })},
      {"fragments of one step", Precision::d, t, n, tiled([](auto& p) {
         p.fragments = true;
         p.k_unroll = p.vector_width = 1;
         p.tile_rows = 8;
         p.tile_cols = 4;
         p.assignment = Assignment::patch_offset;
       })},
      {"packed", Precision::s, t, n, tiled([](auto& p) { p.pack_a = p.pack_b = true; })},
      {"packed, complex", Precision::c, n, c, tiled([](auto& p) {
         p.pack_a = p.pack_b = true;
         p.assignment = Assignment::consecutive;
       })},
      {"k split", Precision::d, n, n, tiled([](auto& p) { p.k_split = 4; })},
      {"k split, bands", Precision::z, t, c, tiled([](auto& p) {
         p.k_split = 2;
         p.raster = 2;
         p.loop_order = 1;
         p.inline_sizes = true;
       })},
      {"teams", Precision::s, n, t, tiled([](auto& p) { p.group_depth = 4; })},
      {"teams, k split", Precision::z, t, c, tiled([](auto& p) {
         p.group_depth = p.k_split = 2;
         p.fragments = true;
       })},
      {"images", Precision::s, n, n, tiled([](auto& p) {
         p.tile_rows = p.tile_cols = p.vector_width = 4;
         p.pack_a = p.pack_b = p.image_a = p.image_b = true;
       })},
      {"image of B in place of local memory", Precision::d, n, t, tiled([](auto& p) {
         p.pack_b = p.image_b = true;
         p.local_b = false;
       })},
      {"integers", Precision::d, t, n, bytes([](auto&) {})},
  };
}

// A buffer that holds the lines with what is between them, and ends with the last one's last
// element. Written in one piece: the simulator takes what comes line by line for uninitialised.
template <typename T>
BoundOperand operand_on(OpenedDevice& device, const TestMatrix<T>& x, bool upload) {
  const auto elements = static_cast<std::size_t>((x.lines() - 1) * x.ld() + x.length());
  const std::size_t bytes = elements * sizeof(T);
  auto buffer =
      std::make_shared<cl::Buffer>(device.context.allocate(bytes, cl::Access::read_write));
  if (upload) device.queue.write(*buffer, x.data(), {1, bytes, bytes, bytes, 0}, true);
  BoundOperand operand;
  operand.buffer = buffer;
  operand.pitch_bytes = static_cast<std::size_t>(x.ld()) * sizeof(T);
  return operand;
}

// The largest error of a product over edges of tiles, and of one over whole tiles; C is
// uninitialised before.
template <typename T>
double error_of(const cl::Device& chosen, const Sample& sample) {
  double worst = 0;
  for (const bool edges : {true, false}) {
    // Opened anew: the simulator takes memory that was released and allocated again for
    // uninitialised, whatever is written to it then.
    OpenedDevice device(device_for(sample, chosen), GpuFolders{});
    // Of products by integers the simulator takes a second for a hundred numbers.
    const bool few = is_by_integers(sample.params);
    if (few && !edges) continue;
    const std::int64_t m = few     ? 3
                           : edges ? 11
                                   : 16,
                       n = few     ? 5
                           : edges ? 19
                                   : 32,
                       k = few     ? 7
                           : edges ? 27
                                   : 16;
    const std::int64_t pad = edges ? 3 : 0;
    const bool plain_a = sample.op_a == Op::none, plain_b = sample.op_b == Op::none;
    TestMatrix<T> a(plain_a ? m : k, plain_a ? k : m, pad),
        b(plain_b ? k : n, plain_b ? n : k, pad);
    TestMatrix<T> c(m, n, pad);
    a.randomise(1);
    b.randomise(2);
    edges ? c.randomise(3) : c.fill(nan_value<T>);
    const Call<T> call{Layout::row_major, sample.op_a, sample.op_b, m,      n,       k, T(2),
                       a.data(),          a.ld(),      b.data(),    b.ld(), T(edges)};
    const auto dense = [&] {
      return dense_op(c.data(), c.ld(), Layout::row_major, Op::none, m, n);
    };
    const auto c0 = dense();
    const GemmProblem problem{.precision = sample.precision,
                              .op_a = sample.op_a,
                              .op_b = sample.op_b,
                              .m = m,
                              .n = n,
                              .k = k,
                              .alpha = 2.0,
                              .lda = a.ld(),
                              .ldb = b.ld(),
                              .beta = edges ? 1.0 : 0.0,
                              .ldc = c.ld()};
    const ProductOperands operands{operand_on(device, a, true), operand_on(device, b, true),
                                   operand_on(device, c, edges), !edges, !edges};
    if (is_by_integers(sample.params)) {
      const KernelVariant variant = normalised({sample.params, sample.precision});
      run_alone(device, device.queue, problem, variant, device.kernels.get(variant), operands);
    } else {
      ProductScratch scratch;
      device.queue.wait(submit_product(device, problem, sample.params, operands, scratch));
    }
    const std::size_t bytes = operands.c.pitch_bytes * static_cast<std::size_t>(m - 1) +
                              static_cast<std::size_t>(n) * sizeof(T);
    device.queue.read(*operands.c.buffer, c.data(), {1, bytes, bytes, bytes, 0});
    worst = std::max(worst, c.guards_untouched() ? scaled_error(call, c0, dense()) : 1e9);
  }
  return worst;
}

double error_of(const cl::Device& chosen, const Sample& sample) {
  return with_element_type(sample.precision,
                           [&](auto zero) { return error_of<decltype(zero)>(chosen, sample); });
}

// A race, an uninitialised value and a read behind the end, for the simulator to find.
int run_broken(const cl::Device& chosen) {
  const cl::Context context(chosen);
  cl::Queue queue(context);
  cl::ProgramCache programs("");
  const cl::Program program = programs.build(context,
                                             "__kernel void broken(__global int* x) {\n"
                                             "  __local int shared[1];\n"
                                             "  const int item = get_local_id(0);\n"
                                             "  if (item == 1) x[0] = shared[0];\n"
                                             "  shared[0] = item;\n"
                                             "  x[1] = x[64];\n"
                                             "}\n",
                                             "-cl-std=CL1.2");
  const cl::Buffer buffer = context.allocate(64 * sizeof(int), cl::Access::read_write);
  cl::Kernel kernel = program.kernel("broken");
  kernel.set_argument(0, buffer);
  queue.wait(queue.submit(kernel, {{2, 1}, {2, 1}}));
  return 0;
}

// Whether the arguments ask for this kernel.
bool is_wanted(const std::vector<std::string>& arguments, const std::string& about) {
  if (arguments.size() != 2) return true;
  return (about.find(arguments[1]) != std::string::npos) == (arguments[0] == "--only");
}

int run(const std::vector<std::string>& arguments) {
  std::string why_not;
  const auto devices = cl::list_devices(&why_not);
  if (devices.empty()) throw DeviceError(why_not);
  if (arguments == std::vector<std::string>{"--broken"}) return run_broken(devices.front());
  std::printf("device: %s\n", devices.front().info.name.c_str());
  int status = 0;
  unsigned number = 0;
  for (const Sample& sample : samples()) {
    const char* const about = sample.about;
    // Three seconds each: two runs of the suite share them.
    if (is_usual_run() && (number++ + turn_of_run()) % 2 != 0) continue;
    if (!is_wanted(arguments, about)) continue;
    std::fprintf(stderr, "kernel: %s\n", about);
    const OpenedDevice device(device_for(sample, devices.front()), GpuFolders{});
    const KernelRule* rule = violated_rule(sample.params, sample.precision, device.limits);
    if (rule != nullptr) {
      std::printf("left out: %s: rule %s\n", about, std::string(rule->name).c_str());
      continue;
    }
    try {
      const double error = error_of(devices.front(), sample);
      std::printf("%s: %s: error %.3f\n", error < 1 ? "right" : "wrong", about, error);
      if (!(error < 1)) status = 1;
    } catch (const DeviceError& error) {
      std::printf("failed: %s: %s\n", about, error.what());
      status = 2;
    }
    std::fflush(stdout);
  }
  return status;
}

}  // namespace
}  // namespace duoblas::test

int main(int argc, char** argv) {
  try {
    // What Oclgrind knows of uninitialised values of a kernel ends with the thread that built it:
    // here one thread does everything.
    return duoblas::on_own_stack([&] { return duoblas::test::run({argv + 1, argv + argc}); });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
