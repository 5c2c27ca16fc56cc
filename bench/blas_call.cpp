#include "bench/blas_call.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <random>
#include <utility>

#include <duoblas/error.hpp>

#include "bench/harness.hpp"

namespace duoblas {
namespace {

struct Form {
  const char* name;
  std::size_t letters, sizes;
};
// By enum duoblas_routine: name, number of letters, number of sizes.
constexpr std::array<Form, DUOBLAS_GETRF> forms = {{{"gemm", 2, 3},
                                                    {"symm", 2, 2},
                                                    {"hemm", 2, 2},
                                                    {"syrk", 2, 2},
                                                    {"herk", 2, 2},
                                                    {"syr2k", 2, 2},
                                                    {"her2k", 2, 2},
                                                    {"trmm", 4, 2},
                                                    {"trsm", 4, 2},
                                                    {"gemv", 1, 2}}};

const Form& form_of(const BlasPoint& p) {
  return forms[static_cast<std::size_t>(p.routine)];
}

bool is_complex(const BlasPoint& p) {
  return p.precision == 'c' || p.precision == 'z';
}
bool is_double(const BlasPoint& p) {
  return p.precision == 'd' || p.precision == 'z';
}
bool is_symm(const BlasPoint& p) {
  return p.routine == DUOBLAS_SYMM || p.routine == DUOBLAS_HEMM;
}
bool is_in_place(const BlasPoint& p) {
  return p.routine == DUOBLAS_TRMM || p.routine == DUOBLAS_TRSM;
}

[[noreturn]] void is_no_point(const std::string& text) {
  throw SettingError("\"" + text +
                     "\" is not a valid point. Examples: dgemm:nt:1024x512x64, dsyrk:ln:1024x512 " +
                     "(n x k), strsm:lunn:1024x512, dsymm:lu:1024x512 or dgemv:t:1024x512 (m x n)");
}

template <typename Real>
void fill_with(std::vector<std::byte>& bytes, int ld, int parts, bool triangular) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const std::size_t count = bytes.size() / sizeof(Real);
  const double damping = triangular ? 1.0 / (static_cast<double>(ld) * ld) : 1.0;
  const auto set = [&](std::size_t at, Real value) {
    std::memcpy(bytes.data() + at * sizeof(Real), &value, sizeof value);
  };
  for (std::size_t i = 0; i < count; ++i) set(i, static_cast<Real>(damping * uniform(random)));
  const auto step = static_cast<std::size_t>((ld + 1) * parts);
  for (std::size_t i = 0; triangular && i < count; i += step) set(i, Real(1));
}

// CBLAS's number of a letter.
int choice(char letter, const char* letters, int first) {
  const char* at = std::strchr(letters, letter);
  return at == nullptr ? 0 : first + static_cast<int>(at - letters);
}

}  // namespace

BlasPoint blas_point(const std::string& text) {
  const std::vector<std::string> parts = list_items(text, ':');
  BlasPoint point;
  if (parts.size() < 3 || parts.size() > 4 || parts[0].size() < 2) is_no_point(text);
  point.precision = parts[0][0];
  point.letters = parts[1];
  point.adds = parts.size() == 4 && parts[3] == "add";
  if (std::strchr("sdcz", point.precision) == nullptr || (parts.size() == 4 && !point.adds))
    is_no_point(text);
  point.routine = DUOBLAS_GETRF;
  for (std::size_t i = 0; i < forms.size(); ++i)
    if (parts[0].substr(1) == forms[i].name) point.routine = static_cast<int>(i);
  if (point.routine == DUOBLAS_GETRF) is_no_point(text);
  for (const std::string& size : list_items(parts[2], 'x'))
    point.sizes.push_back(std::atoi(size.c_str()));
  if (point.sizes.size() == 1) point.sizes.assign(form_of(point).sizes, point.sizes.front());
  if (point.letters.size() != form_of(point).letters || point.sizes.size() != form_of(point).sizes)
    is_no_point(text);
  for (const int size : point.sizes)
    if (size < 1) is_no_point(text);
  return point;
}

std::string text_of(const BlasPoint& point) {
  std::string text = point.precision + std::string(form_of(point).name) + ':' + point.letters;
  for (std::size_t i = 0; i < point.sizes.size(); ++i)
    text += (i == 0 ? ":" : "x") + std::to_string(point.sizes[i]);
  return text + (point.adds ? ":add" : "");
}

std::string symbol_of(const BlasPoint& point) {
  return point.precision + std::string(form_of(point).name) + '_';
}

double flops(const BlasPoint& p) {
  const double x = p.sizes[0], y = p.sizes[1];
  const double side = p.letters[0] == 'l' ? x : y;
  const double scale = is_complex(p) ? 4.0 : 1.0;
  switch (p.routine) {
    case DUOBLAS_GEMM: return scale * 2 * x * y * p.sizes[2];
    case DUOBLAS_GEMV: return scale * 2 * x * y;
    case DUOBLAS_SYMM:
    case DUOBLAS_HEMM: return scale * 2 * x * y * side;
    case DUOBLAS_SYRK:
    case DUOBLAS_HERK: return scale * x * x * y;
    case DUOBLAS_SYR2K:
    case DUOBLAS_HER2K: return scale * 2 * x * x * y;
    default: return scale * x * y * side;
  }
}

void BlasCall::fill(Matrix& matrix, int rows, int cols, bool triangular) const {
  const int parts = is_complex(point_) ? 2 : 1;
  const std::size_t element = (is_double(point_) ? 8u : 4u) * static_cast<std::size_t>(parts);
  matrix.ld = rows;
  matrix.bytes.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) * element);
  if (is_double(point_))
    fill_with<double>(matrix.bytes, rows, parts, triangular);
  else
    fill_with<float>(matrix.bytes, rows, parts, triangular);
}

// A triangular A is close to the identity. So repeated trsm or trmm calls in place neither overflow
// nor vanish.
BlasCall::BlasCall(BlasPoint point) : point_(std::move(point)) {
  const int x = point_.sizes[0], y = point_.sizes[1];
  const auto scalar = [&](double value) {
    std::vector<double> memory(2);
    const auto single = static_cast<float>(value);
    if (is_double(point_))
      memory[0] = value;
    else
      std::memcpy(memory.data(), &single, sizeof single);
    return memory;
  };
  one_ = scalar(1);
  beta_ = scalar(point_.adds ? 1 : 0);
  if (point_.routine == DUOBLAS_GEMM) {
    const int k = point_.sizes[2];
    const bool plain_a = point_.letters[0] == 'n', plain_b = point_.letters[1] == 'n';
    fill(a_, plain_a ? x : k, plain_a ? k : x, false);
    fill(b_, plain_b ? k : y, plain_b ? y : k, false);
    fill(c_, x, y, false);
  } else if (point_.routine == DUOBLAS_GEMV) {
    const bool plain = point_.letters[0] == 'n';
    fill(a_, x, y, false);
    fill(b_, plain ? y : x, 1, false);
    fill(c_, plain ? x : y, 1, false);
  } else if (is_symm(point_) || is_in_place(point_)) {
    const int order = point_.letters[0] == 'l' ? x : y;
    fill(a_, order, order, is_in_place(point_));
    if (is_symm(point_)) fill(b_, x, y, false);
    fill(c_, x, y, false);
  } else {
    const bool plain = point_.letters[1] == 'n';
    fill(a_, plain ? x : y, plain ? y : x, false);
    if (point_.routine == DUOBLAS_SYR2K || point_.routine == DUOBLAS_HER2K)
      fill(b_, plain ? x : y, plain ? y : x, false);
    fill(c_, x, x, false);
  }
}

// Fortran's convention: every argument is passed by its address.
void BlasCall::make(void* function) const {
  const char* l = point_.letters.data();
  const int* s = point_.sizes.data();
  const void *one = one_.data(), *beta = beta_.data();
  const void *a = a_.bytes.data(), *b = b_.bytes.data();
  void* c = c_.bytes.data();
  const int step = 1;
  const auto call = [&](auto... arguments) {
    reinterpret_cast<void (*)(decltype(arguments)...)>(function)(arguments...);
  };
  if (point_.routine == DUOBLAS_GEMM)
    call(l, l + 1, s, s + 1, s + 2, one, a, &a_.ld, b, &b_.ld, beta, c, &c_.ld);
  else if (point_.routine == DUOBLAS_GEMV)
    call(l, s, s + 1, one, a, &a_.ld, b, &step, beta, c, &step);
  else if (is_in_place(point_))
    call(l, l + 1, l + 2, l + 3, s, s + 1, one, a, &a_.ld, c, &c_.ld);
  else if (point_.routine == DUOBLAS_SYRK || point_.routine == DUOBLAS_HERK)
    call(l, l + 1, s, s + 1, one, a, &a_.ld, beta, c, &c_.ld);
  else
    call(l, l + 1, s, s + 1, one, a, &a_.ld, b, &b_.ld, beta, c, &c_.ld);
}

duoblas_blas_call BlasCall::for_engine() const {
  const std::string& l = point_.letters;
  const std::vector<int>& s = point_.sizes;
  duoblas_blas_call call = {};
  call.routine = point_.routine;
  call.precision = point_.precision;
  call.layout = 102;
  call.alpha = one_.data();
  call.a = a_.bytes.data();
  call.lda = a_.ld;
  call.b = b_.bytes.empty() ? nullptr : b_.bytes.data();
  call.ldb = b_.ld;
  call.beta = is_in_place(point_) ? nullptr : beta_.data();
  call.c = c_.bytes.data();
  call.ldc = c_.ld;
  call.m = s[0];
  call.n = s[1];
  if (point_.routine == DUOBLAS_GEMM) {
    call.op_a = choice(l[0], "ntc", 111);
    call.op_b = choice(l[1], "ntc", 111);
    call.k = s[2];
  } else if (point_.routine == DUOBLAS_GEMV) {
    call.op_a = choice(l[0], "ntc", 111);
    call.x = std::exchange(call.b, nullptr);
    call.y = std::exchange(call.c, nullptr);
    call.incx = call.incy = 1;
  } else if (is_symm(point_) || is_in_place(point_)) {
    call.side = choice(l[0], "lr", 141);
    call.uplo = choice(l[1], "ul", 121);
    if (is_in_place(point_)) {
      call.op_a = choice(l[2], "ntc", 111);
      call.diag = choice(l[3], "nu", 131);
    }
  } else {
    call.uplo = choice(l[0], "ul", 121);
    call.op_a = choice(l[1], "ntc", 111);
    call.m = 0;
    call.n = s[0];
    call.k = s[1];
  }
  return call;
}

}  // namespace duoblas
