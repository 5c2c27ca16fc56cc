// The profile of a tuning that never was: round numbers of a machine on paper.
#pragma once

#include "profile/profile.hpp"

namespace duoblas::cli {

/// n^3 in seconds on the CPU's cores, on the GPU, and as simple and co-tuned hybrid. The CPU on
/// every core takes 0.6 of the CPU's time.
struct MadeUpTimes {
  double cpu = 0;
  double gpu = 0;
  double simple = 0;
  double hybrid = 0;
};

inline TunedPoint made_up_point(Precision precision, std::int64_t m, std::int64_t n, std::int64_t k,
                                MadeUpTimes times) {
  KernelParams kernel;
  kernel.tile_rows = 4;
  kernel.block_k = 768;
  TunedPoint point;
  point.precision = precision;
  point.m = m;
  point.n = n;
  point.k = k;
  point.cpu_seconds = times.cpu;
  point.cpu_all_seconds = 0.6 * times.cpu;
  point.gpu = {kernel, SharingMode::host_pointer, {16, 16}, times.gpu};
  point.simple = {kernel, SharingMode::host_pointer, {8, 16}, times.simple};
  point.hybrid = {kernel, SharingMode::host_pointer, {8, 16}, times.hybrid};
  return point;
}

/// Another kernel and share for the co-tuned hybrid.
inline void choose_otherwise(TunedPoint& point) {
  point.hybrid.kernel.tile_rows = 6;
  point.hybrid.kernel.block_k = 384;
  point.hybrid.share = {33, 64};
}

inline Profile made_up_profile() {
  Profile profile;
  profile.key = {"Paper device", "1.0", "Paper CPU x2", true};
  return profile;
}

/// 7 shapes of 4 op pairs in 2 types; co-tuning gains most in dgemm tt 4096 x 256 x 4096.
inline Profile full_tuning() {
  Profile profile = made_up_profile();
  const std::int64_t shapes[7][3] = {{512, 512, 512},   {1024, 1024, 1024}, {2048, 2048, 2048},
                                     {4096, 256, 4096}, {256, 4096, 4096},  {4096, 4096, 64},
                                     {256, 256, 16384}};
  for (const Precision precision : {Precision::s, Precision::d})
    for (const Op a : {Op::none, Op::transpose})
      for (const Op b : {Op::none, Op::transpose})
        for (const auto& [m, n, k] : shapes) {
          const double unit = 1e-11 * static_cast<double>(m * n * k);
          TunedPoint point =
              made_up_point(precision, m, n, k, {2 * unit, 2 * unit, 1.1 * unit, 1.1 * unit});
          point.op_a = a;
          point.op_b = b;
          profile.points.push_back(point);
        }
  for (std::size_t i = 0; i < 8; ++i) {
    TunedPoint& point = profile.points[52 - 5 * i];
    choose_otherwise(point);
    point.hybrid.seconds /= 1.25 - 0.02 * static_cast<double>(i);
  }
  profile.crossover_flops[0] = 2.0 * 192 * 192 * 192;
  return profile;
}

}  // namespace duoblas::cli
