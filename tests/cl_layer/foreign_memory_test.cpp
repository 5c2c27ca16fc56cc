// Matrices in memory of every kind, on drivers that share it, copy it without a word, or refuse it:
// the product is right, and what lies between the rows of C is nobody's but its owner's.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <thread>

#include "cl_layer/layer_control.hpp"
#include "cl_layer/memory_kinds.hpp"
#include "gpu/gpu_side.hpp"
#include "gpu/side_front.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "support/driver_ability.hpp"
#include "support/reference_gemm.hpp"

namespace duoblas::test {
namespace {

constexpr const char* models[] = {"", "pages", "shadow", "anonymous", "incoherent", "refusing"};

/// Writes the elements between the rows of a matrix, over and over, until it is told to end.
template <typename T>
class GapWriter {
 public:
  GapWriter(T* data, std::int64_t lines, std::int64_t length, std::int64_t ld)
      : data_(data), lines_(lines), length_(length), ld_(ld), thread_([this] { run(); }) {
    while (rounds_ == 0) std::this_thread::yield();
  }
  ~GapWriter() { end(); }

  /// Whether everything still is as it was written last.
  bool found_its_own() {
    end();
    return each([&](T& element) { return element == T(static_cast<Real<T>>(rounds_)); });
  }

 private:
  template <typename Visit>
  bool each(Visit&& visit) {
    for (std::int64_t line = 0; line + 1 < lines_; ++line)
      for (std::int64_t i = length_; i < ld_; ++i)
        if (!visit(data_[line * ld_ + i])) return false;
    return true;
  }
  void run() {
    while (!ends_) {
      const T next(static_cast<Real<T>>(rounds_ + 1));
      each([&](T& element) {
        element = next;
        return true;
      });
      ++rounds_;
      std::this_thread::yield();
    }
  }
  void end() {
    ends_ = true;
    if (thread_.joinable()) thread_.join();
  }

  T* const data_;
  const std::int64_t lines_, length_, ld_;
  std::atomic<bool> ends_{false};
  std::atomic<int> rounds_{0};
  std::thread thread_;
};

/// A product with each operand in a block of its own; A and B may only be read.
template <typename T>
struct Product {
  Product(MemoryKind kind, std::mt19937_64& random)
      : m(draw(random, 1, 150)),
        n(draw(random, 1, 150)),
        k(draw(random, 1, 60)),
        pad_a(draw(random, 0, 1) * draw(random, 1, 30)),
        pad_c(draw(random, 0, 1) * draw(random, 1, 30)),
        from(draw(random, 0, 1) * draw(random, 1, 40)),
        a(kind, bytes(m, k + pad_a)),
        b(kind, bytes(k, n)),
        c(kind, bytes(m, n + pad_c)) {
    for (std::int64_t i = 0; i < m * (k + pad_a); ++i)
      a.template as<T>()[from + i] = random_value<T>(random);
    for (std::int64_t i = 0; i < k * n; ++i) b.template as<T>()[from + i] = random_value<T>(random);
    for (std::int64_t i = 0; i < m * (n + pad_c); ++i) first_c()[i] = random_value<T>(random);
    constexpr Real<T> factors[] = {0, 1, Real<T>(-0.7)};
    call = {Layout::row_major,
            Op::none,
            Op::none,
            m,
            n,
            k,
            T(Real<T>(0.5)),
            a.template as<T>() + from,
            k + pad_a,
            b.template as<T>() + from,
            n,
            T(factors[draw(random, 0, 2)])};
    a.forbid_writing();
    b.forbid_writing();
  }

  static std::int64_t draw(std::mt19937_64& random, std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  }
  std::size_t bytes(std::int64_t rows, std::int64_t ld) const {
    return static_cast<std::size_t>(rows * ld + from) * sizeof(T);
  }
  T* first_c() { return c.template as<T>() + from; }
  std::int64_t ldc() const { return n + pad_c; }
  auto dense_c() { return dense_op(first_c(), ldc(), Layout::row_major, Op::none, m, n); }
  std::string text() const {
    return std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k) + ", pads " +
           std::to_string(pad_a) + ' ' + std::to_string(pad_c) + ", from " + std::to_string(from) +
           ", beta " + std::to_string(std::real(call.beta));
  }

  const std::int64_t m, n, k, pad_a, pad_c, from;
  MemoryBlock a, b, c;
  Call<T> call;
};

struct ForeignMemory : testing::Test {
  const LayerControl& layer = LayerControl::get();
  void SetUp() override { layer.reset(); }
  void TearDown() override { layer.memory_model(""); }
};

template <typename T>
void expect_right_in_every_kind(GpuSide& side) {
  std::mt19937_64 random(7);
  const KernelParams kernel = default_kernel(precision_of<T>, side.limits());
  for (const MemoryKind kind : memory_kinds)
    for (int i = 0; i < 10; ++i) {
      Product<T> product(kind, random);
      SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)) + ": " + product.text());
      const auto old_c = product.dense_c();
      GapWriter<T> writer(product.first_c(), product.m, product.n, product.ldc());
      side.submit(problem_of(product.call, product.first_c(), product.ldc()), kernel,
                  SharingMode::host_pointer)
          .wait();
      EXPECT_TRUE(writer.found_its_own()) << "between the rows of C";
      EXPECT_LT(scaled_error(product.call, old_c, product.dense_c()), 1.0);
    }
}

TEST_F(ForeignMemory, IsMultipliedRightByEveryDriver) {
  for (const char* model : models) {
    SCOPED_TRACE(model);
    layer.memory_model(model);
    GpuSide side(cl::list_devices().at(0), {});
    expect_right_in_every_kind<float>(side);
    expect_right_in_every_kind<std::complex<float>>(side);
  }
}

// Blocks: old values are kept, and results come, a part at a time.
TEST_F(ForeignMemory, IsMultipliedRightInBlocks) {
  for (const char* model : models) {
    SCOPED_TRACE(model);
    layer.memory_model(model);
    GpuSide side(cl::list_devices().at(0), {}, false, std::size_t{48} << 10);
    expect_right_in_every_kind<float>(side);
  }
}

/// Bytes that were copied for the product of two matrices of pages in such memory.
std::uint64_t copied_for(const char* model, MemoryKind kind, std::int64_t pad, float beta) {
  LayerControl::get().memory_model(model);
  GpuSide side(cl::list_devices().at(0), {});
  constexpr std::int64_t n = 64, k = 32;
  const MemoryBlock a(kind, n * k * 4), b(kind, n * k * 4), c(kind, n * (n + pad) * 4);
  std::fill_n(a.as<float>(), n * k, 1.0f);
  std::fill_n(b.as<float>(), n * k, 1.0f);
  const GemmProblem product = {.precision = Precision::s,
                               .m = n,
                               .n = n,
                               .k = k,
                               .a = a.as<float>(),
                               .lda = k,
                               .b = b.as<float>(),
                               .ldb = n,
                               .beta = beta,
                               .c = c.as<float>(),
                               .ldc = n + pad};
  side.submit(product, default_kernel(Precision::s, side.limits()), SharingMode::host_pointer)
      .wait();
  EXPECT_EQ(c.as<float>()[(n - 1) * (n + pad) + n - 1], k);
  return side.copied().staged;
}

TEST_F(ForeignMemory, IsUsedInPlaceWhereItIsShared) {
  layer.memory_model("");
  const GpuSide side(cl::list_devices().at(0), {});
  if (!can_or_tells(side.info(), side.sharing().granularity() == 1, shares_not_all)) return;
  for (const float beta : {0.0f, 1.0f}) {
    for (const MemoryKind kind : memory_kinds)
      for (const std::int64_t pad : {0, 7}) EXPECT_EQ(copied_for("", kind, pad, beta), 0u);
    EXPECT_EQ(copied_for("pages", MemoryKind::anonymous, 0, beta), 0u);
    EXPECT_EQ(copied_for("anonymous", MemoryKind::anonymous, 0, beta), 0u);
    EXPECT_EQ(copied_for("refusing", MemoryKind::anonymous, 7, beta), 0u);
    EXPECT_EQ(copied_for("incoherent", MemoryKind::anonymous, 0, beta), 0u);
  }
}

TEST_F(ForeignMemory, IsCopiedWhereItIsNotShared) {
  EXPECT_GT(copied_for("shadow", MemoryKind::anonymous, 0, 0), 0u);
  EXPECT_GT(copied_for("pages", MemoryKind::anonymous, 7, 0), 0u);
  EXPECT_GT(copied_for("anonymous", MemoryKind::memfd, 7, 0), 0u);
  EXPECT_GT(copied_for("incoherent", MemoryKind::anonymous, 7, 0), 0u);
  EXPECT_GT(copied_for("refusing", MemoryKind::memfd, 0, 0), 0u);
}

}  // namespace
}  // namespace duoblas::test
