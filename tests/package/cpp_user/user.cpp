// A user's C++17 program: every entry of the public interface is linked, one product checked.
#include <complex>
#include <cstdint>
#include <iostream>

#include <duoblas/duoblas.hpp>

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

}  // namespace

int main() {
  duoblas::Context context(duoblas::Settings::from_environment());
  if (!product_is_right<float>(context) || !product_is_right<double>(context) ||
      !product_is_right<std::complex<float>>(context) ||
      !product_is_right<std::complex<double>>(context)) {
    std::cerr << "a product is wrong\n";
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
