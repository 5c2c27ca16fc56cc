// ThreadSanitizer sees neither how OpenBLAS and oneTBB synchronise their threads (they are not
// instrumented) nor that a child has none of its parent's; and by default it ends a child that
// starts threads.
#if defined(__SANITIZE_THREAD__)
extern "C" const char* __tsan_default_options() {
  return "die_after_fork=0:report_thread_leaks=0:ignore_noninstrumented_modules=1";
}
extern "C" const char* __tsan_default_suppressions() {
  return "race:tbb::\nrace:libtbb.so\n";
}
#endif
