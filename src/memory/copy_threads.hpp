// Copies within host memory by several threads: one core reads and writes far less than the bus to
// a discrete GPU carries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include <duoblas/types.hpp>

#include "memory/copy_pace.hpp"
#include "problem/precision.hpp"

namespace duoblas {

/// The elements of a rectangle that are stored: those on one side of a diagonal. A copy has zeros
/// in the places of the others, which are not read.
struct TrianglePart {
  Uplo uplo = Uplo::lower;
  Precision precision = Precision::d;
  std::int64_t diagonal = 0;  ///< the column at which it crosses the first row; may lie outside
  bool unit = false;          ///< the diagonal's elements are ones, whatever is stored
  bool operator==(const TrianglePart&) const = default;
};

/// Copies the bytes [at, at + bytes) of a row to `to`; they begin at `from`. \pre whole elements.
void copy_stored(const TrianglePart& part, std::size_t row, std::size_t at, std::size_t bytes,
                 char* to, const char* from) noexcept;

/// `rows` runs of `row_bytes` bytes, whose starts lie `from_pitch` and `to_pitch` bytes apart.
struct RowsCopy {
  void* to = nullptr;
  std::size_t to_pitch = 0;
  const void* from = nullptr;
  std::size_t from_pitch = 0;
  std::size_t rows = 0;
  std::size_t row_bytes = 0;
  bool through_caches = false;                ///< else only copies of a few pieces go through them
  std::optional<TrianglePart> triangle = {};  ///< nothing: all is stored
};

/// Threads that sleep between jobs, but not in the short time between two copies of one job. While
/// other threads keep them from running, the caller's thread copies alone. One caller at a time,
/// who may have several copies under way.
class CopyThreads {
 public:
  /// `helpers` threads beside the caller's; fewer if no more can be started.
  explicit CopyThreads(int helpers);
  ~CopyThreads();

  /// Returns when everything is copied. The helpers do it before copies that were only started.
  void copy(const RowsCopy& rows);

  /// A copy that was started; the first value is one that has ended.
  enum class Started : std::uint64_t { ended = 0 };
  /// A job that copies less in one direction gains nothing by copies that are started ahead. On a
  /// bus of 55 GB/s products of 1024 x 1024 doubles (16 MiB to the device) and spotrf of 4096 (40
  /// MiB) lost a tenth, products of 2048 doubles (64 MiB) took as long, and larger ones gained.
  static constexpr std::size_t least_bytes_ahead = std::size_t{48} << 20;
  /// The other jobs of level 3 gain from here on, since their chains of products, or the triangles
  /// that they make, leave the thread less time for copies: beside H200s (27 November 2026, in
  /// turns) solves of 2048 took 0.67 to 0.8 of their time, strmm 0.46, dtrmm 0.83, ssyrk 0.63,
  /// dsyrk 0.91, symm 0.73 to 0.80, ssyr2k 0.61, dsyr2k 1.02.
  static constexpr std::size_t least_bytes_ahead_of_level3 = std::size_t{4} << 20;
  /// Lets the helpers begin, the oldest copy first, and returns. Without helpers it copies.
  /// finish() must be called before the memory may go.
  Started start(const RowsCopy& rows);
  bool has_ended(Started copy) const;
  /// False: start() copies, since there are no helpers, or they would have no cores.
  bool have_helpers() const;
  /// Returns when everything is copied. The caller helps. It may have ended before.
  void finish(Started copy);

  /// Runs other work on the same threads: `piece(0)` to `piece(count - 1)`, which are independent
  /// of each other. Allocates nothing. \pre they throw nothing.
  template <typename Piece>
  void share(std::size_t count, const Piece& piece) {
    share(count,
          Work{[](const void* of, std::size_t number) { (*static_cast<const Piece*>(of))(number); },
               &piece});
  }

  /// Bytes copied so far.
  std::uint64_t bytes() const { return bytes_; }

 private:
  struct Work {
    void (*piece)(const void* of, std::size_t number) = nullptr;
    const void* of = nullptr;
  };
  void share(std::size_t count, const Work& work);
  bool copies_alone(const RowsCopy& rows);

  struct Job;
  struct State;
  std::unique_ptr<State> state_;
  std::uint64_t bytes_ = 0;
  CopyPace pace_;
};

}  // namespace duoblas
