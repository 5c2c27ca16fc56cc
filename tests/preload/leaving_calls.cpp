// A module that leaves calls of LAPACK before they end: by longjmp, as R's error exit does, by an
// exception, as others' do, or from a signal's handler. Its functions say whether it did: 1 or 0.
// They then multiply once, from deeper in the stack.
#include <pthread.h>
#include <setjmp.h>

#include <csignal>
#include <cstdint>
#include <stdexcept>
#include <vector>

#define VISIBLE extern "C" __attribute__((visibility("default")))

extern "C" {
void dgemm_(const char*, const char*, const std::int32_t*, const std::int32_t*, const std::int32_t*,
            const double*, const double*, const std::int32_t*, const double*, const std::int32_t*,
            const double*, double*, const std::int32_t*);
void sgemm_(const char*, const char*, const std::int32_t*, const std::int32_t*, const std::int32_t*,
            const float*, const float*, const std::int32_t*, const float*, const std::int32_t*,
            const float*, float*, const std::int32_t*);
void dgetrf_(const std::int32_t*, const std::int32_t*, double*, const std::int32_t*, std::int32_t*,
             std::int32_t*);
void interrupt_lapack_by(void (*what)());
}
VISIBLE int left_by_longjmp();
VISIBLE int left_by_exception();
VISIBLE int left_by_signal_handler();
VISIBLE int left_by_error_exit();
VISIBLE int not_left();
VISIBLE int cancellable_after_error_exit();
VISIBLE void xerbla_(const char*, const std::int32_t*, int);

namespace {

// Enough for the drop-in to start.
constexpr std::int32_t order = 1500, products = 1100;
sigjmp_buf back;
std::vector<double> matrix(order* order);
std::vector<std::int32_t> pivots(order);

void factorise(std::int32_t m) {
  std::int32_t info = 0;
  dgetrf_(&m, &order, matrix.data(), &order, pivots.data(), &info);
}

__attribute__((noinline)) void multiply_deeper() {
  volatile char room[1 << 16];
  room[0] = 'N';
  const double one = 1;
  const char op = room[0];
  dgemm_(&op, &op, &products, &products, &products, &one, matrix.data(), &products, matrix.data(),
         &products, &one, matrix.data(), &products);
}

void jump() {
  siglongjmp(back, 1);
}

void jump_from_handler(int) {
  jump();
}

void raise_signal() {
  std::raise(SIGALRM);
}

void throw_it() {
  throw std::runtime_error("left");
}

int left_by_jump(void (*how)(), std::int32_t m) {
  interrupt_lapack_by(how);
  static int left, times;  // not in registers, which a jump restores
  left = times = 0;
  while (++times <= 4) {
    if (sigsetjmp(back, 1) == 0)
      factorise(m);
    else
      ++left;
  }
  interrupt_lapack_by(nullptr);
  multiply_deeper();
  return left == 4;
}

}  // namespace

int left_by_longjmp() {
  return left_by_jump(jump, order);
}

int left_by_error_exit() {
  return left_by_jump(jump, -1);
}

int left_by_signal_handler() {
  std::signal(SIGALRM, jump_from_handler);
  return left_by_jump(raise_signal, order);
}

int left_by_exception() {
  interrupt_lapack_by(throw_it);
  int left = 0;
  for (int i = 0; i < 4; ++i) {
    try {
      factorise(order);
    } catch (const std::runtime_error&) {
      ++left;
    }
  }
  interrupt_lapack_by(nullptr);
  multiply_deeper();
  return left == 4;
}

int not_left() {
  factorise(order);
  multiply_deeper();
  return 1;
}

void xerbla_(const char*, const std::int32_t*, int) {
  throw_it();
}

// Of a product that no BLAS has.
int cancellable_after_error_exit() {
  const std::int32_t negative = -1;
  const float one = 1;
  float c = 0;
  int left = 0, state = PTHREAD_CANCEL_DISABLE;
  try {
    sgemm_("N", "N", &negative, &order, &order, &one, &one, &order, &one, &order, &one, &c, &order);
  } catch (const std::runtime_error&) {
    left = 1;
  }
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
  return left && state == PTHREAD_CANCEL_ENABLE;
}
