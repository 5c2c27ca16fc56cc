// A user's C++17 program: every entry of the public interface is linked, one product checked.
#include <cmath>
#include <complex>
#include <cstdint>
#include <iostream>
#include <vector>

#include <duoblas/duoblas.hpp>
#include <duoblas/opencl.hpp>

namespace {

// C = A B with all of A one and all of B two: every element is 2 k.
template <typename T>
bool product_is_right(duoblas::Context& context) {
  const std::int64_t n = 70;
  const auto size = static_cast<std::size_t>(n * n);
  duoblas::Buffer<T> a(size), b(size), c(size);
  for (auto& x : a) x = T(1);
  for (auto& x : b) x = T(2);
  using duoblas::Op;
  context.gemm(duoblas::Layout::column_major, Op::none, Op::transpose, n, n, n, 1, a.data(), n,
               b.data(), n, 0, c.data(), n);
  for (const auto& x : c) {
    if (x != T(2 * 70)) return false;
  }
  duoblas::gemm(duoblas::Layout::row_major, Op::none, Op::none, n, n, n, 1, a.data(), n, b.data(),
                n, 1, c.data(), n);
  return c[size - 1] == T(4 * 70);
}

// The same in registered memory, beside this thread, and with a prepared A.
template <typename T>
bool later_products_are_right(duoblas::Context& context) {
  using duoblas::Op;
  constexpr auto layout = duoblas::Layout::row_major;
  const std::int64_t n = 70;
  std::vector<T> a(static_cast<std::size_t>(n * n), T(1)), b(a.size(), T(2)), c(a.size());
  const duoblas::Registration registered(b.data(), b.size() * sizeof(T));
  duoblas::Job job = context.gemm_async(layout, Op::none, Op::none, n, n, n, 1, a.data(), n,
                                        b.data(), n, 0, c.data(), n);
  job.wait();
  if (!job.done() || c != std::vector<T>(c.size(), T(2 * 70))) return false;

  const auto prepared = context.prepare(layout, n, n, a.data(), n);
  context.gemm<T>(layout, Op::none, Op::none, n, n, n, 1, prepared, {b.data(), n}, 1, c.data(), n);
  if (c != std::vector<T>(c.size(), T(4 * 70))) return false;
  duoblas::gemm_async(layout, Op::none, Op::none, n, n, n, 1, a.data(), n, b.data(), n, 1, c.data(),
                      n)
      .wait();
  const auto of_default = duoblas::prepare(layout, n, n, b.data(), n);
  duoblas::gemm<T>(layout, Op::none, Op::none, n, n, n, 1, {a.data(), n}, of_default, 1, c.data(),
                   n);
  return c == std::vector<T>(c.size(), T(8 * 70));
}

// Many at once, in each of the three forms.
template <typename T>
bool batches_are_right() {
  using duoblas::Op;
  constexpr auto layout = duoblas::Layout::row_major;
  const std::int64_t n = 9, count = 20, stride = n * n;
  std::vector<T> a(static_cast<std::size_t>(stride * count), T(1)), b(a.size(), T(2)), c(a.size());
  duoblas::gemm_strided_batched(layout, Op::none, Op::none, n, n, n, 1, a.data(), n, stride,
                                b.data(), n, stride, 0, c.data(), n, stride, count);
  std::vector<const T*> as, bs;
  std::vector<T*> cs;
  for (std::int64_t i = count - 1; i >= 0; --i) {
    as.push_back(a.data() + i * stride);
    bs.push_back(b.data() + i * stride);
    cs.push_back(c.data() + i * stride);
  }
  duoblas::gemm_batched(layout, Op::none, Op::none, n, n, n, 1, as.data(), n, bs.data(), n, 1,
                        cs.data(), n, count);
  duoblas::GemmGroup<T> group;
  group.m = group.n = group.k = group.lda = group.ldb = group.ldc = n;
  group.a = as.data();
  group.b = bs.data();
  group.c = cs.data();
  group.beta = T(1);
  group.count = count;
  duoblas::gemm_grouped<T>(layout, {group});
  return c == std::vector<T>(c.size(), T(3 * 2 * 9)) &&
         duoblas::Context::last_call().products == count;
}

// A vector by a matrix.
template <typename T>
bool vectors_are_right() {
  constexpr auto layout = duoblas::Layout::row_major;
  const std::int64_t m = 3, n = 2;
  std::vector<T> a(6, T(1)), x(2, T(5)), y(3, T(7));
  duoblas::gemv<T>(layout, duoblas::Op::none, m, n, 1, a.data(), n, x.data(), 1, 2, y.data(), 1);
  return y == std::vector<T>(3, T(24));
}

// 4 2 2 3, by 8 and 7: 1.25 and 1.5.
template <typename T>
bool equations_are_solved(duoblas::Context& context) {
  const std::vector<T> matrix = {4, 2, 2, 3}, b = {8, 7}, solution = {1.25, 1.5};
  std::vector<T> a = matrix, x = b;
  std::vector<std::int64_t> pivots(2);
  if (context.gesv(2, 1, a.data(), 2, pivots.data(), x.data(), 2) != 0 || x != solution)
    return false;
  a = matrix;
  x = b;
  if (duoblas::getrf(2, 2, a.data(), 2, pivots.data()) != 0) return false;
  duoblas::getrs(duoblas::Op::none, 2, 1, a.data(), 2, pivots.data(), x.data(), 2);
  if (x != solution) return false;
  const auto is_near = [&] { return std::abs(x[0] - solution[0]) < 1e-5; };
  a = matrix;
  x = b;
  if (duoblas::posv(duoblas::Uplo::lower, 2, 1, a.data(), 2, x.data(), 2) != 0 || !is_near())
    return false;
  a = matrix;
  x = b;
  if (duoblas::potrf(duoblas::Uplo::upper, 2, a.data(), 2) != 0) return false;
  duoblas::potrs(duoblas::Uplo::upper, 2, 1, a.data(), 2, x.data(), 2);
  a = {0, 0, 0, 0};
  return is_near() && duoblas::gesv(2, 1, a.data(), 2, pivots.data(), x.data(), 2) == 1;
}

template <typename T>
bool all_is_right(duoblas::Context& context) {
  return product_is_right<T>(context) && later_products_are_right<T>(context) &&
         batches_are_right<T>() && vectors_are_right<T>();
}

// No OpenCL is needed to learn that there is no queue.
template <typename T>
bool null_queue_is_refused() {
  try {
    duoblas::DeviceBlas blas(nullptr);
    blas.gemm<T>(duoblas::Layout::row_major, duoblas::Op::none, duoblas::Op::none, 1, 1, 1, 1, {},
                 {}, 0, {});
  } catch (const duoblas::DeviceError&) {
    return true;
  }
  return false;
}

}  // namespace

int main() {
  duoblas::Context context(duoblas::Settings::from_environment());
  if (!all_is_right<float>(context) || !all_is_right<double>(context) ||
      !all_is_right<std::complex<float>>(context) || !all_is_right<std::complex<double>>(context)) {
    std::cerr << "a product is wrong\n";
    return 1;
  }
  if (!equations_are_solved<float>(context) || !equations_are_solved<double>(context) ||
      !equations_are_solved<std::complex<float>>(context) ||
      !equations_are_solved<std::complex<double>>(context)) {
    std::cerr << "a solution is wrong\n";
    return 1;
  }
  if (!null_queue_is_refused<float>() || !null_queue_is_refused<double>() ||
      !null_queue_is_refused<std::complex<float>>() ||
      !null_queue_is_refused<std::complex<double>>()) {
    std::cerr << "a null queue was accepted\n";
    return 1;
  }
  std::cout << "computed by " << duoblas::name(duoblas::Context::last_call().strategy) << '\n';
  try {
    context.set_split(duoblas::Share{17, 16});
    std::cerr << "a share over one was accepted\n";
    return 1;
  } catch (const duoblas::SettingError&) {
    return 0;
  }
}
