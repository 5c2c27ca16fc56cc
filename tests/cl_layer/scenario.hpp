// One product on a GpuSide of its own, from listing devices to releasing everything.
#pragma once

#include <duoblas/error.hpp>

#include <optional>
#include <string>

#include "gpu/gpu_side.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "support/reference_gemm.hpp"

namespace duoblas::test {

struct Scenario {
  SharingMode mode = SharingMode::staged;
  float beta = 0;
  std::string cache_dir;

  static constexpr std::int64_t m = 21, n = 70, k = 13, pad = 3;
  TestMatrix<float> a{m, k, pad, 1}, b{k, n, pad, 2}, c{m, n, pad, 3};
  TestMatrix<float> old_c = c;

  void prepare() {
    a.randomise(1);
    b.randomise(2);
    c.randomise(3);
    old_c = c;
  }

  Call<float> call() const {
    return {Layout::row_major, Op::none, Op::none, m,      n,   k, 0.5f,
            a.data(),          a.ld(),   b.data(), b.ld(), beta};
  }

  GemmProblem problem() {
    return {.precision = Precision::s,
            .m = m,
            .n = n,
            .k = k,
            .alpha = 0.5,
            .a = a.data(),
            .lda = a.ld(),
            .b = b.data(),
            .ldb = b.ld(),
            .beta = beta,
            .c = c.data(),
            .ldc = c.ld()};
  }

  /// A kernel that packs B, so that the chain has more than one launch.
  static KernelParams kernel(const GpuSide& side) {
    KernelParams params = default_kernel(Precision::s, side.limits());
    params.pack_a = false;
    params.pack_b = true;
    return params;
  }

  /// The error's text; nothing where the product was made.
  std::optional<std::string> run() {
    std::string why_not;
    const auto devices = cl::list_devices(&why_not);
    if (devices.empty()) return why_not;
    try {
      GpuSide side(devices.front(), {cache_dir, ""});
      side.submit(problem(), kernel(side), mode).wait();
    } catch (const DeviceError& error) {
      return error.what();
    }
    return std::nullopt;
  }

  bool is_right() const {
    const auto dense = [](const TestMatrix<float>& x) {
      return dense_op(x.data(), x.ld(), Layout::row_major, Op::none, m, n);
    };
    return c.guards_untouched() && scaled_error(call(), dense(old_c), dense(c)) < 1;
  }

  bool is_unchanged() const {
    for (std::int64_t row = 0; row < m; ++row) {
      for (std::int64_t column = 0; column < n; ++column) {
        if (c.at(row, column) != old_c.at(row, column)) return false;
      }
    }
    return c.guards_untouched();
  }
};

inline constexpr SharingMode both_modes[] = {SharingMode::host_pointer, SharingMode::staged};

}  // namespace duoblas::test
