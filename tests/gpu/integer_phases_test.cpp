// Products of doubles by integers, phase by phase: each kernel alone against the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "gpu/kernels/launch.hpp"
#include "gpu/product/kernel_trial.hpp"
#include "integer_phases.hpp"
#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/kernel_description.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "problem/rounding.hpp"

namespace duoblas {
namespace {

using namespace test::integers;

std::size_t size(std::int64_t extent) {
  return static_cast<std::size_t>(extent);
}

class IntegerPhases : public test::IntegerPhases {
 protected:
  static cl::Range measuring(std::int64_t padded_lines, std::size_t of_line) {
    return {{size(padded_lines) * of_line, 1}, {integer_measuring_items, 1}};
  }
  static cl::Range making(std::int64_t padded_lines, std::int64_t padded_depth) {
    return {{size(padded_depth / 4), size(padded_lines)},
            {integer_words_of_group, integer_element_items / integer_words_of_group}};
  }
  /// Of `kernel`.
  void expect_right_products();
};

// Lines of all sorts, that lie along either direction.
TEST_F(IntegerPhases, MeasureFindsTopsLowBitsNormsAndMagnitudes) {
  constexpr int lines = 37, depth = 145;
  for (const int of_line : {32, 64, 128, -32}) {
    const bool transposed = of_line < 0, columns = transposed;
    const std::int64_t padded_lines = round_up(lines, columns ? tile.columns : tile.rows),
                       padded_depth = round_up(depth, tile.depth);
    std::vector<double> x(lines * depth);
    for (int line = 0; line < lines; ++line)
      for (int term = 0; term < depth; ++term) {
        double value = number(-line, line);
        if (line % 5 == 1) value = std::ldexp(value, -1050);  // subnormal, some of them 0
        if (line % 5 == 2) value = std::round(value);
        if (line % 5 == 3) value = std::ldexp(value, 980);
        if (line == 20) value = 0;
        x[static_cast<std::size_t>(transposed ? term * lines + line : line * depth + term)] = value;
      }
    std::vector<char> made(size(padded_lines) * (sizeof(Line) + size(padded_depth)), 77);
    std::vector<int> state = {columns ? 17 : 0, 0};
    const cl::Buffer from = on_device(x), to = on_device(made), states = on_device(state);
    of("measure")
        .size(lines)
        .size(depth)
        .size(padded_depth)
        .buffer(from)
        .offset(0)
        .offset(transposed ? 1 : depth)
        .offset(transposed ? lines : 1)
        .size(0)
        .buffer(to)
        .size(padded_lines)
        .buffer(states)
        .size(columns ? 1 : 0)
        .size(1)
        .size(std::abs(of_line));
    run("measure", measuring(padded_lines, size(std::abs(of_line))));
    read(to, made);
    read(states, state);
    EXPECT_EQ(state, (std::vector<int>{columns ? 17 : 0, 0}));
    for (int line = 0; line < padded_lines; ++line) {
      SCOPED_TRACE(line);
      Line known;
      std::memcpy(&known, made.data() + static_cast<std::size_t>(line) * sizeof known,
                  sizeof known);
      const auto at = [&](int term) {
        const int place = transposed ? term * lines + line : line * depth + term;
        return line < lines && term < depth ? x[static_cast<std::size_t>(place)] : 0.0;
      };
      int top = -8000;
      long double sum = 0, squares = 0;
      bool multiples = true, all_even = true;
      for (int term = 0; term < depth; ++term) {
        if (at(term) == 0) continue;
        top = std::max(top, std::ilogb(at(term)) + 1);
        sum += std::fabs(static_cast<long double>(at(term)));
        const long double magnitude = std::ldexp(static_cast<long double>(at(term)), 7 - known.top);
        squares += magnitude * magnitude;
        const long double in_units = std::ldexp(static_cast<long double>(at(term)), -known.low);
        multiples = multiples && in_units == std::floor(in_units);
        all_even = all_even && std::fmod(in_units, 2.0L) == 0;
      }
      EXPECT_EQ(known.top, top);
      EXPECT_EQ(known.held, 0) << "nothing is left of the residues";
      EXPECT_TRUE(multiples);
      EXPECT_EQ(all_even, sum == 0);
      const long double norm = std::ldexp(static_cast<long double>(known.norm), known.top - 23);
      EXPECT_GE(norm, sum);
      EXPECT_LE(norm, sum + std::ldexp(static_cast<long double>(depth), known.top - 23));
      EXPECT_GE(known.most, squares);
      EXPECT_LE(known.most, squares + 1 + 0x1p-7L * depth);
      for (int term = 0; term < padded_depth; ++term)
        ASSERT_EQ(made[size(padded_lines) * sizeof(Line) +
                       place_of_term(kernel, columns, line, term, padded_depth)],
                  static_cast<char>(std::ldexp(std::fabs(at(term)), 7 - top)));
    }
  }
}

TEST_F(IntegerPhases, MeasureMarksWhatIsNotFinite) {
  for (const double odd : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    std::vector<double> x(9, 1.0);
    x[7] = odd;
    std::vector<int> state = {0, 0};
    const cl::Buffer from = on_device(x), states = on_device(state),
                     to = device.context.allocate(
                         size(tile.rows) * (sizeof(Line) + size(tile.depth)),
                         cl::Access::read_write);
    of("measure")
        .size(3)
        .size(3)
        .size(tile.depth)
        .buffer(from)
        .offset(0)
        .offset(3)
        .offset(1)
        .size(0)
        .buffer(to)
        .size(tile.rows)
        .buffer(states)
        .size(0)
        .size(3)
        .size(32);
    run("measure", measuring(tile.rows, 32));
    read(states, state);
    EXPECT_EQ(state[1], 3);
  }
}

// Integers of up to 84 bits, halves of steps among them.
TEST_F(IntegerPhases, ResiduesAreThoseOfTheRoundedNumbers) {
  constexpr int lines = 33, depth = 40;
  for (const int count : {14, 17, 20})
    for (const int first : {0, 7}) {
      // Lines of A, and columns of B beside each other in memory.
      const bool columns = first == 7;
      const std::int64_t padded_lines = round_up(lines, columns ? tile.columns : tile.rows),
                         padded_depth = round_up(depth, tile.depth);
      const auto at = [&](int line, int term) {
        return size(columns ? term * lines + line : line * depth + term);
      };
      std::vector<double> x(lines * depth);
      std::vector<std::int8_t> memory(size(padded_lines) * (sizeof(Line) + 21 * size(padded_depth)),
                                      77);
      std::vector<int> steps;
      for (int line = 0; line < lines; ++line) {
        Line known;
        known.top = line - 16;
        known.most = static_cast<std::uint32_t>(drawn(1, 0xfffffff)) >> line % 20;
        const int whole = static_cast<int>(std::ceil(std::log2(std::max(known.most, 1U))));
        steps.push_back(known.top - 7 -
                        (half_range[static_cast<std::size_t>(count - fewest)] - whole) / 2);
        std::memcpy(memory.data() + static_cast<std::size_t>(line) * sizeof known, &known,
                    sizeof known);
        for (int term = 0; term < depth; ++term) {
          double& value = x[at(line, term)];
          value = number(known.top - 1 - 3 * term, known.top - 1);
          if (term % 4 == 1)
            value = std::ldexp(std::round(std::ldexp(value, -steps.back() + 1)), steps.back() - 1);
          if (std::fabs(value) >= std::ldexp(1.0, known.top)) value = 0;
          if (term % 8 == 7) value = 0;
        }
      }
      const cl::Buffer from = on_device(x);
      // Whose planes hold residues for so many moduli already.
      const auto make = [&](const char* phase, std::int32_t held, const cl::Range& range,
                            std::vector<std::int8_t>& in) {
        std::int8_t* const mark = in.data() + offsetof(Line, held);
        std::memcpy(mark, &held, sizeof held);
        const cl::Buffer to = on_device(in), states = on_device(std::vector<int>{count, 0});
        of(phase)
            .size(lines)
            .size(depth)
            .size(padded_depth)
            .buffer(from)
            .offset(0)
            .offset(columns ? 1 : depth)
            .offset(columns ? lines : 1)
            .size(0)
            .buffer(to)
            .size(padded_lines)
            .size(columns ? 1 : 0)
            .size(first)
            .size(20 - first)
            .buffer(states);
        run(phase, range);
        read(to, in);
        std::memset(mark, 0, sizeof held);
      };
      std::vector<std::int8_t> again = memory, kept = memory;
      const std::vector<std::int8_t> before = memory;
      make("residues", 0, making(padded_lines, padded_depth), memory);
      // Of lines that stay: by few groups; and nothing where they are there.
      const cl::Range few = making(padded_lines, 4 * integer_words_of_group);
      make("residues_anew", count - 1, few, again);
      EXPECT_EQ(again, memory);
      make("residues_anew", count, few, kept);
      EXPECT_EQ(kept, first == 0 ? before : memory);
      for (int line = 0; line < padded_lines; ++line)
        for (int term = 0; term < padded_depth; ++term) {
          Wide whole = 0;
          if (line < lines && term < depth) {
            const double value = x[at(line, term)];
            // Rounded half away from zero; what is 2^53 or more is whole.
            const double in_steps = std::fabs(std::ldexp(value, -steps[size(line)]));
            whole = static_cast<Wide>(in_steps < 0x1p53 ? std::round(in_steps) : in_steps);
            if (value < 0) whole = -whole;
          }
          for (int modulus = first; modulus < count; ++modulus)
            ASSERT_EQ(memory[size(padded_lines) *
                                 (sizeof(Line) + size(1 + modulus - first) * size(padded_depth)) +
                             place_of_term(kernel, columns, line, term, padded_depth)],
                      balanced(whole, moduli[static_cast<std::size_t>(modulus)]))
                << line << ' ' << term << ' ' << modulus;
        }
    }
}

// Both products of bytes: sums as residues, and sums.
void IntegerPhases::expect_right_products() {
  const int rows = static_cast<int>(2 * tile.rows), columns = static_cast<int>(3 * tile.columns);
  constexpr int planes = 3, first = 5;
  const std::size_t items = group_sizes(kernel).product;
  for (const int slices : {1, 2, 5}) {
    const int depth = slices * static_cast<int>(tile.depth);
    const auto side = [&](int lines, int least) {
      std::vector<std::int8_t> memory(
          static_cast<std::size_t>(lines) *
          (sizeof(Line) + static_cast<std::size_t>((1 + planes) * depth)));
      for (int line = 0; line < lines; ++line) {
        Line known;
        known.norm = static_cast<std::uint64_t>(drawn(1, 1 << 30));
        std::memcpy(memory.data() + static_cast<std::size_t>(line) * sizeof known, &known,
                    sizeof known);
      }
      for (std::size_t i = static_cast<std::size_t>(lines) * sizeof(Line); i < memory.size(); ++i)
        memory[i] = static_cast<std::int8_t>(drawn(least, 127));
      return memory;
    };
    // Line after line, plane after plane; the first one is that of magnitudes.
    const auto in_order = [&](const std::vector<std::int8_t>& memory, bool of_b) {
      const int lines = of_b ? columns : rows;
      std::vector<std::int8_t> terms;
      terms.reserve(size((1 + planes) * lines * depth));
      for (int plane = 0; plane <= planes; ++plane)
        for (int at = 0; at < lines; ++at)
          for (int term = 0; term < depth; ++term)
            terms.push_back(memory[size(lines) * (sizeof(Line) + size(plane * depth)) +
                                   place_of_term(kernel, of_b, at, term, depth)]);
      return terms;
    };
    const auto sum = [&](const std::vector<std::int8_t>& a, const std::vector<std::int8_t>& b,
                         int row, int column, int plane) {
      const std::int8_t* const x = a.data() + size((plane * rows + row) * depth);
      const std::int8_t* const y = b.data() + size((plane * columns + column) * depth);
      int total = 0;
      for (int term = 0; term < depth; ++term) total += x[term] * y[term];
      return total;
    };
    const std::size_t plane_size = size(rows) * size(columns);
    const std::array<std::size_t, 2> tiles = {3 * items, 2};
    std::vector<std::int8_t> products(plane_size * 24);
    std::vector<int> state = {7, 0};
    {
      const std::vector<std::int8_t> a = side(rows, -128), b = side(columns, -128);
      const cl::Buffer as = on_device(a), bs = on_device(b), to = on_device(products),
                       states = on_device(state);
      for (const int skipped : {0, 2}) {
        of("multiply")
            .size(depth)
            .buffer(as)
            .size(rows)
            .buffer(bs)
            .size(columns)
            .buffer(to)
            .size(first)
            .size(skipped)
            .buffer(states);
        const std::size_t launched = skipped == 0 ? 2 : planes - 2;
        run("multiply", {tiles, {items, 1}, launched});
      }
      read(to, products);
      const std::vector<std::int8_t> x = in_order(a, false), y = in_order(b, true);
      for (int modulus = first; modulus < first + planes; ++modulus)
        for (int row = 0; row < rows; ++row)
          for (int column = 0; column < columns; ++column)
            ASSERT_EQ(products[static_cast<std::size_t>(modulus) * plane_size +
                               static_cast<std::size_t>(row * columns + column)],
                      modulus < state[0] ? balanced(sum(x, y, row, column, 1 + modulus - first),
                                                    moduli[static_cast<std::size_t>(modulus)])
                                         : 0);
    }
    std::vector<std::int8_t> a = side(rows, 0), b = side(columns, 0);
    const cl::Buffer as = on_device(a), bs = on_device(b), to = on_device(products),
                     states = on_device(state);
    of("bound").size(depth).buffer(as).size(rows).buffer(bs).size(columns).buffer(to).buffer(
        states);
    run("bound", {tiles, {items, 1}});
    read(to, products);
    read(states, state);
    EXPECT_EQ(state, (std::vector<int>{fewest, 0}));
    const std::vector<std::int8_t> x = in_order(a, false), y = in_order(b, true);
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column) {
        int found = 0;
        std::memcpy(&found,
                    products.data() + 20 * plane_size +
                        sizeof found * static_cast<std::size_t>(row * columns + column),
                    sizeof found);
        ASSERT_EQ(found, sum(x, y, row, column, 0));
      }
  }
}

TEST_F(IntegerPhases, ProductsOfBytesAreRight) {
  for (const KernelParams& built_in : integers_kernels(device.limits)) {
    SCOPED_TRACE(describe(built_in));
    use(built_in);
    expect_right_products();
  }
}

// Kernels of each unit that the device has, drawn from the space, against the host, and whole.
TEST_F(IntegerPhases, ProductsOfBytesAreRightThroughoutTheSpace) {
  DeviceLimits limits = device.limits;
  limits.doubles_by_integers = true;
  for (const MatrixUnit unit : {MatrixUnit::integers, MatrixUnit::integers_dot,
                                MatrixUnit::integers_dp4a, MatrixUnit::integers_matrix}) {
    int tried = 0;
    const int wanted = limits.is_cpu ? 2 : 4;  // where compiling takes seconds
    for (int draw = 0; draw < 400 && tried < wanted; ++draw) {
      KernelParams drawn = integers_kernels(limits).back();
      const auto set = [&](int KernelParams::*field, std::initializer_list<int> values) {
        drawn.*field = values.begin()[engine() % values.size()];
      };
      set(&KernelParams::tile_rows, {2, 4, 8});
      set(&KernelParams::tile_cols, {4, 8, 16});
      set(&KernelParams::group_rows, {4, 8, 16});
      set(&KernelParams::group_cols, {4, 8, 16});
      set(&KernelParams::k_unroll, {8, 16, 32});
      set(&KernelParams::prefetch, {0, 1, 3});
      drawn.async_copy = engine() % 2 == 0;
      drawn.matrix = unit;
      if (drawn.wide = unit == MatrixUnit::integers_matrix && tried >= 2; drawn.wide) {
        drawn.tile_rows = 2;
        set(&KernelParams::tile_cols, {32, 64});
        set(&KernelParams::group_rows, {32, 64});
        drawn.group_cols = 4;
      }
      drawn = canonical(drawn);
      if (!is_legal(drawn, Precision::d, limits)) continue;
      ++tried;
      SCOPED_TRACE(describe(drawn));
      std::printf("%s\n", describe(drawn).c_str());
      use(drawn);
      expect_right_products();
      EXPECT_EQ(what_is_wrong(device, normalised({drawn, Precision::d}), *built, 1), "");
    }
    const bool has_unit = unit == MatrixUnit::integers        ? true
                          : unit == MatrixUnit::integers_dot  ? limits.byte_dot_products
                          : unit == MatrixUnit::integers_dp4a ? limits.byte_dp4a
                                                              : limits.byte_matrix;
    EXPECT_EQ(tried > 0, has_unit);
  }
}

}  // namespace
}  // namespace duoblas
