// Products of doubles by integers: how many moduli, and the last rounding, each kernel alone
// against the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "exact_sum.hpp"
#include "integer_phases.hpp"

namespace duoblas {
namespace {

using namespace test::integers;

class IntegerRounding : public test::IntegerPhases {};

// As many moduli as the bound asks for, and not one more than it asks for with a hundredth of
// slack.
TEST_F(IntegerRounding, CertifyTakesTheFewestModuliThatSuffice) {
  std::array<int, 3> seen{};  // the fewest, more, too few
  for (int round = 0; round < 300; ++round) {
    const int depth = static_cast<int>(drawn(1, 1 << drawn(0, 17)));
    const auto line = [&] {
      Line known;
      known.most = static_cast<std::uint32_t>(drawn(1 << 7, 1 << drawn(8, 30)));
      known.norm = static_cast<std::uint64_t>(drawn(1LL << 22, 1LL << drawn(23, 40)));
      known.top = static_cast<int>(drawn(-1000, 1000));
      known.low = known.top - static_cast<int>(drawn(1, 300));
      return known;
    };
    const std::vector<Line> a(32, line()), b(32, line());
    std::vector<int> products(32 * 32 * 6, 0);
    const auto product = static_cast<int>(drawn(0, 1 << drawn(0, 30)));
    products[20 * 32 * 32 / 4] = product;
    const auto error = [&](int count) {  // of 2^-53
      const auto below = [&](const Line& of) {
        return (half_range[static_cast<std::size_t>(count - fewest)] -
                static_cast<int>(std::bit_width(of.most - 1))) /
               2;
      };
      const auto half_step = [&](const Line& of) {
        return of.low < of.top - 7 - below(of) ? std::ldexp(1.0L, -below(of) - 1) : 0.0L;
      };
      const auto norm = [](const Line& of) {
        return std::ldexp(static_cast<long double>(of.norm), -16);
      };
      const long double d = half_step(a[0]), e = half_step(b[0]);
      return std::ldexp(d * norm(b[0]) + e * norm(a[0]) + depth * d * e, 53);
    };
    const int wanted = std::min(16, depth + 4);
    const long double most = (depth + 4.0L) * product,
                      few = wanted * static_cast<long double>(product);
    std::vector<int> state = {fewest, 0};
    const cl::Buffer as = on_device(a), bs = on_device(b), from = on_device(products),
                     states = on_device(state);
    of("certify")
        .size(1)
        .size(1)
        .size(wanted)
        .size(depth + 4)
        .buffer(as)
        .size(32)
        .buffer(bs)
        .size(32)
        .buffer(from)
        .buffer(states)
        .size(5);
    run("certify", {{32, 8}, {32, 2}});
    read(states, state);
    const int count = state[0];
    EXPECT_TRUE(state[1] == 0 || state[1] == 5);
    ASSERT_GE(count, fewest);
    ASSERT_LE(count, 20);
    constexpr long double slack = 3.0L / 256;  // what is rounded up
    EXPECT_TRUE(state[1] != 0 || error(count) <= (count < 20 ? few : most));
    EXPECT_TRUE(state[1] == 0 || error(20) + slack > most);
    EXPECT_TRUE(count == fewest || error(count - 1) + slack > few);
    ++seen[state[1] != 0 ? 2 : count > fewest ? 1 : 0];
  }
  for (const int count : seen) EXPECT_GT(count, 10);
}

// Whatever the exponents: the bits of alpha X 2^step + beta C, rounded once.
TEST_F(IntegerRounding, TheLastRoundingIsRightToTheLastBit) {
  constexpr int rows = 32, columns = 32;
  constexpr std::size_t plane = rows * columns;
  for (int round = 0; round < 48; ++round) {
    const int count = fewest + round % 7;
    const double alpha = round % 3 == 0 ? 1.0 : number(-60, 2),
                 beta = round % 4 == 0 ? 0.0 : number(-60, 2);
    std::vector<Line> of_rows(rows), of_columns(columns);
    for (std::vector<Line>* lines : {&of_rows, &of_columns})
      for (Line& line : *lines) {
        line.most = 1U << drawn(7, 30);
        line.top = static_cast<int>(drawn(-540, 470));
      }
    const auto step = [&](const Line& line) {
      return line.top - 7 -
             (half_range[static_cast<std::size_t>(count - fewest)] -
              static_cast<int>(std::bit_width(line.most)) + 1) /
                 2;
    };
    // X = low + 2^63 high, below the range of the moduli.
    std::vector<std::int64_t> low(plane), high(plane);
    std::vector<char> products(plane * 24);
    std::vector<double> c(plane), want(plane);
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column) {
        const auto at = static_cast<std::size_t>(row * columns + column);
        low[at] = drawn(INT64_MIN / 2, INT64_MAX / 2) >> drawn(0, 62);
        high[at] = drawn(0, 1) == 0 ? 0 : drawn(-(1LL << 44), 1LL << 44) >> drawn(0, 44);
        const Wide x = static_cast<Wide>(low[at]) + (static_cast<Wide>(high[at]) << 63);
        for (int modulus = 0; modulus < count; ++modulus)
          products[static_cast<std::size_t>(modulus) * plane + at] =
              balanced(x, moduli[static_cast<std::size_t>(modulus)]);
        const int exponent = step(of_rows[static_cast<std::size_t>(row)]) +
                             step(of_columns[static_cast<std::size_t>(column)]);
        test::ExactSum sum;
        const auto add = [&](double by, std::int64_t number, int scale) {
          int place = 0;
          const auto fraction = static_cast<std::int64_t>(std::ldexp(std::frexp(by, &place), 53));
          const std::uint64_t f = static_cast<std::uint64_t>(std::abs(fraction)),
                              n = static_cast<std::uint64_t>(std::abs(number));
          const bool negative = (fraction < 0) != (number < 0);
          for (const int part : {0, 32})
            for (const int piece : {0, 32})
              sum.add(negative, ((f >> part) & 0xffffffffU) * ((n >> piece) & 0xffffffffU),
                      scale + place - 53 + part + piece);
        };
        add(alpha, low[at], exponent);
        add(alpha, high[at], exponent + 63);
        const double product = sum.nearest();
        // Anything; what cancels; what is next to half of a last place.
        c[at] = number(-300, 100);
        if (at % 3 == 1 && beta != 0 && std::isfinite(product / beta)) c[at] = -product / beta;
        if (at % 3 == 2 && beta != 0)
          c[at] = std::ldexp(product / beta, static_cast<int>(drawn(-56, 56)));
        if (!std::isfinite(c[at])) c[at] = 5e-324;
        if (beta != 0 && c[at] != 0) {
          int place = 0;
          const double fraction = std::frexp(c[at], &place);
          add(beta, static_cast<std::int64_t>(std::ldexp(fraction, 53)), place - 53);
        }
        want[at] = sum.nearest();
        if (beta == 0) c[at] = std::nan("");
      }
    std::vector<int> state = {count, 0};
    const cl::Buffer as = on_device(of_rows), bs = on_device(of_columns),
                     from = on_device(products), to = on_device(c), states = on_device(state);
    of("store")
        .size(rows)
        .size(columns)
        .buffer(as)
        .size(rows)
        .buffer(bs)
        .size(columns)
        .buffer(from)
        .offset(std::bit_cast<std::uint64_t>(alpha))
        .offset(std::bit_cast<std::uint64_t>(beta))
        .buffer(to)
        .offset(0)
        .offset(columns)
        .buffer(states);
    run("store", {{columns, rows}, {32, 2}});
    read(to, c);
    for (std::size_t at = 0; at < plane; ++at) ASSERT_EQ(c[at], want[at]) << round << ' ' << at;
  }
}

}  // namespace
}  // namespace duoblas
