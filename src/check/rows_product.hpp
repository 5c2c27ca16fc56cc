// A matrix times vectors, in double precision, with the sizes of what is added up, from which
// bounds on rounding errors are made.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "check/row_sums.hpp"
#include "check/stored_matrix.hpp"

namespace duoblas {

/// op(M) v. A general matrix's sums are those of one thread, term by term.
template <typename R>
Vectors times(const StoredMatrix<R>& matrix, const Vectors& v, Sizes sizes,
              const CheckThreads& threads = {});

/// The same, by stored rows that are dealt to threads, each of which has sums of its own. Calls
/// `before(begin, end)` before a few of them are read. \throws std::bad_alloc.
template <typename R>
Vectors times_after(const StoredMatrix<R>& matrix, const Vectors& v, Sizes sizes,
                    const CheckThreads& threads,
                    const std::function<void(std::int64_t, std::int64_t)>& before);

/// op(M) v as two vectors: the sum over the even columns and the sum over the odd ones. The sizes
/// are magnitudes over all columns, or nothing. Columns whose indices are in `left_out` (ascending)
/// are not read; they may hold infinities. \pre v is real, and zero for those.
template <typename R>
Vectors times_in_halves(const StoredMatrix<R>& matrix, const Vectors& v,
                        std::span<const std::int64_t> left_out, Sizes sizes = Sizes::magnitudes,
                        const CheckThreads& threads = {});

}  // namespace duoblas
