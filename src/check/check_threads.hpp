// The threads that do the sums and copies of a check. One core reads a tenth of what the memory of
// a server carries.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace duoblas {

/// By default the caller's thread does everything.
struct CheckThreads {
  /// Calls `piece` for 0 to `count` - 1 on at most `threads` threads, and returns when all have
  /// returned; rethrows what a piece throws.
  using HandOut = void (*)(std::int64_t count, const std::function<void(std::int64_t)>& piece,
                           int threads);

  HandOut hand_out = nullptr;
  int threads = 1;
  /// What is worth sharing: one core's work for 0.1 ms. Waking the others takes half as long.
  std::size_t least_bytes = std::size_t{1} << 20;

  /// How many threads work on so many bytes.
  int for_bytes(std::size_t bytes) const {
    return hand_out != nullptr && bytes >= least_bytes ? std::max(threads, 1) : 1;
  }

  /// Calls `body(begin, end)` for ranges that together are [0, count), and begin with multiples of
  /// `unit`. `bytes`: what all of them read or write.
  template <typename Body>
  void share(std::int64_t count, std::int64_t unit, std::size_t bytes, const Body& body) const {
    constexpr std::int64_t ranges_per_thread = 4;
    const int shared_by = for_bytes(bytes);
    const std::int64_t units = (count + unit - 1) / unit;
    const std::int64_t ranges = shared_by > 1 ? std::min(units, ranges_per_thread * shared_by) : 1;
    if (ranges <= 1) return body(std::int64_t{0}, count);
    const std::int64_t step = (units + ranges - 1) / ranges * unit;
    const auto of_range = [&](std::int64_t range) {
      if (range * step < count) body(range * step, std::min((range + 1) * step, count));
    };
    hand_out(ranges, std::cref(of_range), shared_by);
  }

  /// Calls `body(piece)` for 0 to `pieces` - 1. \pre pieces is what for_bytes() returned.
  template <typename Body>
  void each(int pieces, const Body& body) const {
    if (pieces <= 1) return body(std::int64_t{0});
    hand_out(pieces, std::cref(body), pieces);
  }
};

/// Lines of a matrix in blocks, which are dealt to pieces as cards are, back and forth. So the
/// pieces of a triangle have equally much of it.
struct DealtLines {
  std::int64_t lines = 0, block = 1, pieces = 1;

  template <typename Body>
  void of_piece(std::int64_t piece, const Body& body) const {
    for (std::int64_t round = 0; round * pieces * block < lines; ++round) {
      const std::int64_t place = round % 2 == 0 ? piece : pieces - 1 - piece;
      const std::int64_t begin = (round * pieces + place) * block;
      if (begin < lines) body(begin, std::min(begin + block, lines));
    }
  }
};

}  // namespace duoblas
