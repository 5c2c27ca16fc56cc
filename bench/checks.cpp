// Whether results are right, and what it costs to know: checks, products by integers.
#include "bench/checks_cases.hpp"

int main(int argc, char** argv) {
  using namespace duoblas;
  return bench_main("bench_checks", {cost_case(), integers_case(), phases_case()}, argc, argv);
}
