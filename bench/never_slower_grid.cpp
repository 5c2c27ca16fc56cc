#include "bench/never_slower_grid.hpp"

#include <algorithm>
#include <string>

namespace duoblas {
namespace {

class Grid {
 public:
  explicit Grid(int largest) : largest_(largest) {}

  void add(const std::string& routine, const std::string& letters, std::vector<int> sizes,
           const char* more = "") {
    if (*std::max_element(sizes.begin(), sizes.end()) > largest_) return;
    std::string text = routine + ':' + letters;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      text += (i == 0 ? ":" : "x") + std::to_string(sizes[i]);
    points_.push_back(blas_point(text + more));
  }

  std::vector<BlasPoint> points() && { return std::move(points_); }

 private:
  int largest_;
  std::vector<BlasPoint> points_;
};

void add_real_gemm(Grid& grid, const std::string& routine) {
  for (const int n : {96, 128, 192, 256, 333, 512, 768, 1000, 1023, 1024, 1500, 2047, 2048, 4096})
    grid.add(routine, "nn", {n, n, n});
  for (const char* ops : {"nt", "tn", "tt"})
    for (const int n : {256, 777, 1024, 2048}) grid.add(routine, ops, {n, n, n});
  const std::vector<std::vector<int>> thin = {
      {2048, 2048, 16},  {2048, 2048, 64}, {2048, 2048, 256}, {2048, 64, 2048}, {64, 2048, 2048},
      {2048, 16, 2048},  {16, 2048, 2048}, {256, 256, 8192},  {4096, 256, 512}, {256, 4096, 512},
      {511, 1025, 2049}, {1333, 777, 555}, {129, 2000, 300},  {8192, 128, 128}, {128, 8192, 128}};
  for (const auto& sizes : thin) grid.add(routine, "nn", sizes);
  for (const auto& sizes : {thin[1], thin[7], thin[10]}) grid.add(routine, "tn", sizes);
  for (const int n : {512, 1024, 2048}) grid.add(routine, "nn", {n, n, n}, ":add");
}

void add_complex_gemm(Grid& grid, const std::string& routine) {
  for (const int n : {64, 128, 256, 333, 512, 768, 1024, 2048}) grid.add(routine, "nn", {n, n, n});
  for (const char* ops : {"nt", "cn", "tc"})
    for (const int n : {256, 777}) grid.add(routine, ops, {n, n, n});
  for (const auto& sizes : {std::vector{1024, 1024, 64}, {1024, 64, 1024}, {64, 1024, 1024}})
    grid.add(routine, "nn", sizes);
}

void add_gemv(Grid& grid, const std::string& routine) {
  for (const int n : {96, 256, 512, 1023, 2048, 4096})
    for (const char* op : {"n", "t"}) grid.add(routine, op, {n, n});
  for (const auto& sizes : {std::vector{4096, 64}, {64, 4096}, {4096, 1000}})
    grid.add(routine, "t", sizes);
}

void add_others(Grid& grid, char precision) {
  const bool complex = precision == 'c' || precision == 'z';
  std::vector<int> orders = {256, 512, 768, 1024, 1500, 2048};
  if (complex) orders = {256, 512, 1024};
  if (!complex) orders.push_back(4096);
  const auto add = [&](const char* name, const char* letters, std::vector<int> sizes) {
    grid.add(std::string(1, precision) + name, letters, std::move(sizes));
  };
  for (const int n : orders) {
    add("symm", "lu", {n, n});
    add("syrk", "ln", {n, n});
    add("syr2k", "ut", {n, n});
    add("trmm", "lunn", {n, n});
    add("trsm", "llnn", {n, n});
    if (!complex) continue;
    add("hemm", "rl", {n, n});
    add("herk", "uc", {n, n});
    add("her2k", "ln", {n, n});
  }
  if (complex) return;
  add("symm", "rl", {777, 1023});
  add("syrk", "ut", {1023, 777});
  add("syrk", "ln", {2048, 64});
  add("syrk", "ln", {256, 4096});
  add("syr2k", "ln", {1023, 300});
  add("trmm", "rlnu", {2048, 512});
  add("trmm", "llnn", {777, 1023});
  add("trsm", "runn", {2048, 512});
  add("trsm", "lltn", {1024, 64});
  add("trsm", "lunu", {777, 1023});
}

}  // namespace

std::vector<BlasPoint> never_slower_grid(int largest) {
  Grid grid(largest);
  for (const char* routine : {"sgemm", "dgemm"}) add_real_gemm(grid, routine);
  for (const char* routine : {"cgemm", "zgemm"}) add_complex_gemm(grid, routine);
  for (const char precision : {'s', 'd', 'c', 'z'}) add_others(grid, precision);
  for (const char* routine : {"sgemv", "dgemv", "zgemv"}) add_gemv(grid, routine);
  return std::move(grid).points();
}

}  // namespace duoblas
