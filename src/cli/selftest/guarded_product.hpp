// A product of which every byte is checked: the result, and the memory around it.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/selftest/section.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas::cli::selftest {

/// The kinds of host memory that programs pass to a BLAS.
enum class MemoryKind {
  heap,            ///< malloc
  pages,           ///< whole pages, anonymous
  shared_pages,    ///< the same, MAP_SHARED
  memory_file,     ///< a file in memory, MAP_SHARED: /dev/shm
  file_private,    ///< of a file on disk, MAP_PRIVATE: copy on write
  file_shared,     ///< of a file on disk, MAP_SHARED: np.memmap
  file_read_only,  ///< the same, that may not be written: for A and B
};

std::string_view name(MemoryKind kind);

/// The kind of C's memory beside operands of this kind.
constexpr MemoryKind writable(MemoryKind kind) {
  return kind == MemoryKind::file_read_only ? MemoryKind::file_shared : kind;
}

/// Memory with a copy of `values`. \throws Error where the system has none of this kind.
std::shared_ptr<char> make_block(MemoryKind kind, std::span<const char> values);

struct ProductCase {
  Precision precision = Precision::s;
  Op op_a = Op::none, op_b = Op::none;
  std::int64_t m = 1, n = 1, k = 1;
  std::complex<double> alpha = 1.0, beta = 0.0;
  std::int64_t padding = 0;  ///< elements between rows
  std::int64_t offset = 0;   ///< elements that the matrices begin behind their memory's beginning
  MemoryKind memory = MemoryKind::heap;
};

/// "nt 149x275x67, padded".
std::string describe(const ProductCase& product);

struct ProductResult {
  double error = 0;         ///< scaled; below 1 is right (tuner/verify.hpp)
  bool rest_intact = true;  ///< the gaps between C's rows, and what lies before and behind it
  bool right() const { return error < 1 && rest_intact; }
  std::string text() const;  ///< of what is wrong
};

/// What several products found out.
class ProductTally {
 public:
  /// `what`: of a wrong one, in words.
  void add(const ProductResult& result, const std::string& what);
  int products() const { return products_; }
  /// {"products", "wrong", "largest_error"}, and the first that is wrong.
  Finding finding() const;

 private:
  int products_ = 0, wrong_ = 0;
  double largest_ = 0;
  std::string first_wrong_;
};

/// Row-major, with random operands. If beta == 0, C is NaN, so that reading it shows.
class GuardedProduct {
 public:
  explicit GuardedProduct(const ProductCase& product, unsigned seed = 1);

  const GemmProblem& problem() const { return problem_; }
  /// C as it was before any product.
  void reset();
  /// Compares C with a product in a wider type, and everything else with what it was.
  ProductResult check() const;

 private:
  GemmProblem problem_;
  std::shared_ptr<char> a_, b_, c_;
  std::vector<char> before_;  // of the whole block of C
  std::size_t c_at_ = 0;      // where C begins in it
};

/// The two cases that every kernel has to pass, and those that find faults at edges: uneven with
/// both scalars, padded and unaligned; whole tiles under NaN; and tiny ones.
std::vector<ProductCase> edge_cases(Precision precision, Op op_a, Op op_b);

/// All nine pairs of ops, or those four that differ for a real type.
std::vector<std::pair<Op, Op>> all_ops(Precision precision);

}  // namespace duoblas::cli::selftest
