/* A library whose thread's variables must lie in the memory that the loader keeps for those that
 * are there from a thread's start: of that a process has little. */
static __thread char variables[256] __attribute__((tls_model("initial-exec")));
__attribute__((visibility("default"))) char* static_tls(void);

char* static_tls(void) {
  return variables;
}
