// duoblas::Buffer: page-aligned memory for operands.
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <new>

#include <duoblas/buffer.hpp>

namespace duoblas {
namespace {

TEST(Buffer, IsPageAlignedAndZero) {
  Buffer<std::complex<float>> buffer(1001);
  EXPECT_EQ(buffer.size(), 1001u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 4096, 0u);
  for (const auto& value : buffer) EXPECT_EQ(value, std::complex<float>(0));
}

TEST(Buffer, MovesItsMemory) {
  Buffer<double> first(10);
  first[3] = 7;
  const double* memory = first.data();
  Buffer<double> second = std::move(first);
  EXPECT_EQ(second.data(), memory);
  EXPECT_EQ(first.data(), nullptr);
  EXPECT_EQ(first.size(), 0u);
  first = std::move(second);
  EXPECT_EQ(first[3], 7);
  EXPECT_EQ(second.size(), 0u);
}

TEST(Buffer, OfNothingHoldsNothing) {
  const Buffer<float> buffer(0);
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_EQ(buffer.begin(), buffer.end());
}

TEST(Buffer, ThrowsWhereTheSizeOverflows) {
  EXPECT_THROW(Buffer<double>(SIZE_MAX / 4), std::bad_alloc);
}

}  // namespace
}  // namespace duoblas
