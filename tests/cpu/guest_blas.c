/* A CPU BLAS that does what libraries do with a thread: it has a key with a destructor, memory for
 * each thread, a thread of its own, and character classes. cblas_dgemm computes nothing: it writes
 * what it saw to C. Other names are for tests that open the library by themselves. */
#define _GNU_SOURCE
#include <ctype.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define VISIBLE __attribute__((visibility("default")))

/* As in the test. */
enum { calls_of_thread, threads_ended, letter, calls_of_own_thread, own_memory };

struct of_thread {
  int calls;
  char* text;
};

static pthread_key_t key;
VISIBLE int ended;

static void end(void* value) {
  struct of_thread* thread = value;
  free(thread->text);
  free(thread);
  __atomic_add_fetch(&ended, 1, __ATOMIC_SEQ_CST);
}

__attribute__((constructor)) static void create_key(void) {
  if (pthread_key_create(&key, end) != 0) abort();
}

VISIBLE int count_call(void);

int count_call(void) {
  struct of_thread* thread = pthread_getspecific(key);
  if (thread == NULL) {
    thread = calloc(1, sizeof *thread);
    if (thread == NULL) abort();
    thread->text = strdup("allocated by the C library");
    if (pthread_setspecific(key, thread) != 0) abort();
  }
  return ++thread->calls;
}

static void* count_calls(void* letters) {
  count_call();
  *(char*)letters = (char)toupper(*(char*)letters);
  return (void*)(size_t)count_call();
}

VISIBLE void cblas_dgemm(int order, int op_a, int op_b, int m, int n, int k, double alpha,
                         const double* a, int lda, const double* b, int ldb, double beta, double* c,
                         int ldc);

void cblas_dgemm(int order, int op_a, int op_b, int m, int n, int k, double alpha, const double* a,
                 int lda, const double* b, int ldb, double beta, double* c, int ldc) {
  (void)order, (void)op_a, (void)op_b, (void)m, (void)n, (void)k, (void)alpha, (void)a, (void)lda;
  (void)b, (void)ldb, (void)beta, (void)ldc;
  char letters[2] = "g";
  pthread_t own;
  void* calls;
  if (pthread_create(&own, NULL, count_calls, letters) != 0 || pthread_join(own, &calls) != 0)
    abort();
  const struct mallinfo2 memory = mallinfo2();
  c[calls_of_thread] = count_call();
  c[threads_ended] = __atomic_load_n(&ended, __ATOMIC_SEQ_CST);
  c[letter] = toupper(letters[0]) == 'G' && isalpha('g') ? 'G' : 0;
  c[calls_of_own_thread] = (double)(size_t)calls;
  c[own_memory] = (double)(memory.arena + memory.hblkhd);
}

#define NO_PRODUCT(name)   \
  VISIBLE void name(void); \
  void name(void) {        \
    abort();               \
  }
NO_PRODUCT(cblas_sgemm)
NO_PRODUCT(cblas_cgemm)
NO_PRODUCT(cblas_zgemm)
