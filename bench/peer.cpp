#include "bench/peer.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>

#include <duoblas/error.hpp>
#include <duoblas/settings.hpp>

#include "opencl/choose_device.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {
namespace {

template <typename Real>
void fill_random(std::vector<char>& bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr int bits = std::numeric_limits<Real>::digits;
  constexpr auto half = std::int64_t{1} << (bits - 1);
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Real)) {
    const auto whole = static_cast<std::int64_t>(random() >> (64 - bits));
    const Real value = static_cast<Real>(whole - half) / static_cast<Real>(half);
    std::memcpy(bytes.data() + at, &value, sizeof value);
  }
}

template <typename Real>
double number(const std::vector<char>& bytes, std::size_t index) {
  Real value;
  std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  return static_cast<double>(value);
}

template <typename Real>
double worst_difference(const PeerProblem& problem, const std::vector<char>& x,
                        const std::vector<char>& y) {
  const std::size_t parts = is_complex(problem.precision) ? 2 : 1;
  const std::size_t row = static_cast<std::size_t>(problem.n) * parts;
  const std::size_t pitch = static_cast<std::size_t>(problem.ldc) * parts;
  double worst = 0;
  for (std::size_t at = 0; at < x.size() / sizeof(Real); ++at) {
    if (at % pitch >= row) continue;
    const double difference = std::abs(number<Real>(x, at) - number<Real>(y, at));
    if (std::isnan(difference)) return difference;
    if (difference > worst) worst = difference;
  }
  return worst / static_cast<double>(std::numeric_limits<Real>::epsilon());
}

}  // namespace

double PeerProblem::giga_flops() const {
  return 1e-9 * flops(as_gemm(*this)) * static_cast<double>(count);
}

PeerProblem square_problem(Precision precision, std::pair<Op, Op> ops, std::int64_t n,
                           std::int64_t pad, std::int64_t count) {
  const std::int64_t ld = n + pad;
  return {precision, ops.first, ops.second, n, n, n, ld, ld, ld, count};
}

GemmProblem as_gemm(const PeerProblem& problem) {
  GemmProblem gemm;
  gemm.precision = problem.precision;
  gemm.op_a = problem.op_a;
  gemm.op_b = problem.op_b;
  gemm.m = problem.m;
  gemm.n = problem.n;
  gemm.k = problem.k;
  gemm.lda = problem.lda;
  gemm.ldb = problem.ldb;
  gemm.ldc = problem.ldc;
  return gemm;
}

std::vector<char> random_matrix(Precision precision, std::size_t bytes, std::uint64_t seed) {
  std::vector<char> matrix(bytes);
  if (is_double(precision))
    fill_random<double>(matrix, seed);
  else
    fill_random<float>(matrix, seed);
  return matrix;
}

PeerOperands::PeerOperands(const PeerProblem& problem) {
  const GemmProblem p = as_gemm(problem);
  const auto count = static_cast<std::size_t>(problem.count);
  a = random_matrix(p.precision, count * rect_of_a(p).span(), 1);
  b = random_matrix(p.precision, count * rect_of_b(p).span(), 2);
  // All bits set is a NaN in float and in double.
  c.assign(count * rect_of_c(p).span(), static_cast<char>(0xff));
}

double result_difference(const PeerProblem& problem, const std::vector<char>& x,
                         const std::vector<char>& y) {
  const double worst = is_double(problem.precision) ? worst_difference<double>(problem, x, y)
                                                    : worst_difference<float>(problem, x, y);
  return worst / (static_cast<double>(problem.k) * (is_complex(problem.precision) ? 4 : 1));
}

std::vector<std::unique_ptr<Peer>> peers_named(const std::vector<std::string>& names,
                                               OpenedDevice& device) {
  std::vector<std::unique_ptr<Peer>> peers;
  for (const std::string& name : names) {
    if (name == "none") continue;
    if (name != "cublas" && name != "clblast")
      throw SettingError("--peers takes cublas, clblast or none, not \"" + name + "\"");
    std::string why_not;
    auto peer = name == "cublas" ? make_cublas_peer(why_not)
                                 : make_clblast_peer(device.context, device.queue, why_not);
    if (peer != nullptr)
      peers.push_back(std::move(peer));
    else
      std::printf("no %s: %s\n", name.c_str(), why_not.c_str());
  }
  return peers;
}

std::unique_ptr<OpenedDevice> opened_device(const std::string& name) {
  std::string why;
  const auto chosen = cl::choose_device(cl::list_devices(&why), name, true, &why);
  if (!chosen) throw DeviceError(why);
  auto device = std::make_unique<OpenedDevice>(
      *chosen, GpuFolders{"", Settings::from_environment().kernel_dir}, true);
  const DeviceLimits& limits = device->limits;
  std::printf("%s: async copies %d, fp64 matrix %d, tf32 matrix %d, wide %d, local memory %zu\n",
              chosen->info.name.c_str(), limits.async_copies, limits.fp64_matrix,
              limits.tf32_matrix, limits.wide_matrix, limits.local_memory_bytes);
  std::fflush(stdout);
  return device;
}

std::shared_ptr<const cl::Buffer> uploaded(OpenedDevice& device, const std::vector<char>& bytes) {
  const std::size_t size = bytes.size();
  auto buffer = std::make_shared<cl::Buffer>(device.context.allocate(size, cl::Access::read_write));
  device.queue.write(*buffer, bytes.data(), {1, size, size, size, 0}, true);
  return buffer;
}

}  // namespace duoblas
