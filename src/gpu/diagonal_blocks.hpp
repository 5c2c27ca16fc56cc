// Diagonal blocks of a level-3 call's matrices between the host's memory, of which one triangle may
// be read or written, and a device, which has whole blocks of them. Lines of them are divided among
// `threads`; null: the caller's does it.
#pragma once

#include <cstddef>
#include <vector>

#include "memory/page_block.hpp"
#include "problem/cut.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

class CopyThreads;

/// Rows without gaps.
using DenseBlock = std::vector<std::byte, PageAllocator<std::byte>>;

/// A's block with what is not stored: mirrored, with a real diagonal where that is Hermitian (symm,
/// hemm); zeros, and ones on a unit diagonal (trmm, trsm).
void complete_a(const Level3Problem& problem, Interval lines, DenseBlock& block,
                CopyThreads* threads = nullptr);

/// What is stored of C's block, with a real diagonal where C is Hermitian, and zeros.
void copy_triangle_of_c(const Level3Problem& problem, Interval lines, DenseBlock& block,
                        CopyThreads* threads = nullptr);

/// The other way, some rows of the block's lines. A Hermitian diagonal is real then too.
void store_triangle_of_c(const Level3Problem& problem, Interval lines, Interval rows,
                         const DenseBlock& block, CopyThreads* threads = nullptr) noexcept;

/// Inverses of A's triangular diagonal blocks of `leaf` rows, below one another, `leaf` wide:
/// computed in double precision, so that of floats each has one rounding. What op(A) and its
/// inverse make of a right-hand side, in the order in which trsm has them, differs from it by no
/// more than rounding errors of |A| |X|; the other order has up to thousands of times that. A zero
/// on the diagonal gives what dividing by it gives. \pre lines.first is a multiple of `leaf`,
/// counted from where the blocks begin.
void invert_leaves(const Level3Problem& problem, Interval lines, std::int64_t leaf,
                   DenseBlock& inverses, CopyThreads* threads = nullptr);

}  // namespace duoblas
