// Copies diagonal blocks of a level-3 call's matrices between the host's memory, where only one
// triangle may be read or written, and a device, which has whole blocks. The lines of a block are
// divided among `threads`; null: the caller's thread does it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/page_arena.hpp"
#include "problem/level3_problem.hpp"
#include "problem/partition.hpp"

namespace duoblas {

class CopyThreads;

/// A's block with the elements that are not stored: mirrored, with a real diagonal if it is
/// Hermitian (symm, hemm); or zeros, and ones on a unit diagonal (trmm, trsm).
void complete_a(const Level3Problem& problem, Interval lines, DenseBlock& block,
                CopyThreads* threads = nullptr);

/// The stored part of C's block, with a real diagonal if C is Hermitian, and zeros.
void copy_triangle_of_c(const Level3Problem& problem, Interval lines, DenseBlock& block,
                        CopyThreads* threads = nullptr);

/// Copies some rows of the block's lines back. A Hermitian diagonal becomes real then, too.
void store_triangle_of_c(const Level3Problem& problem, Interval lines, Interval rows,
                         const DenseBlock& block, CopyThreads* threads = nullptr) noexcept;

/// Inverses of A's triangular diagonal blocks of `leaf` rows, stored below one another, `leaf` wide
/// (cpu/triangle_inverse.hpp). Returns the largest condition number of a leaf. \pre lines.first is
/// a multiple of `leaf`, counted from where the blocks begin. \throws std::bad_alloc.
double invert_leaves(const Level3Problem& problem, Interval lines, std::int64_t leaf,
                     DenseBlock& inverses, CopyThreads* threads = nullptr);
/// The same in memory for lines.count rows.
double invert_leaves(const Level3Problem& problem, Interval lines, std::int64_t leaf,
                     void* inverses, CopyThreads* threads = nullptr);

/// The leaves themselves for a device that inverts them (leaf_inverses.hpp), the last one completed
/// to `leaf` lines. Returns the largest row sum of each.
std::vector<double> copy_leaves(const Level3Problem& problem, Interval lines, std::int64_t leaf,
                                void* leaves, CopyThreads* threads);

}  // namespace duoblas
