#include "cl_layer/layer_spoil.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

namespace duoblas::layer {
namespace {

// Places of the arguments of `gemm`.
enum Place : cl_uint { rows_at = 0, columns_at = 1, alpha_at = 3, c_at = 11, offset_at = 12 };
constexpr cl_uint pitch_at = 13;

struct Product {
  int rows = 0, columns = 0;
  std::size_t element = 0;
  cl_mem c = nullptr;
  std::uint64_t offset = 0, pitch = 0;
};

struct Fault {
  std::string kind;  // add, edge, nan, swap, keep; empty: none
  long row = 0, column = 0, height = 1, width = 1, every = 1;
  double value = 0;
  bool is_double = false;
};

struct State {
  std::mutex mutex;
  std::map<cl_kernel, Product> products;
  Fault fault;
  long launches = 0;
  long done = 0;
};

State& state() {
  static State* const once = new State;
  return *once;
}

template <typename T>
void take(T& to, size_t size, const void* value) {
  if (size == sizeof to) std::memcpy(&to, value, size);
}

template <typename R>
void change(char* at, std::size_t reals, const Fault& fault) {
  for (std::size_t i = 0; i < reals; ++i) {
    R value;
    std::memcpy(&value, at + i * sizeof value, sizeof value);
    value = fault.kind == "nan" ? std::numeric_limits<R>::quiet_NaN()
                                : value + static_cast<R>(fault.value);
    std::memcpy(at + i * sizeof value, &value, sizeof value);
  }
}

void spoil(const cl_icd_dispatch& driver, cl_command_queue queue, const Product& product,
           const Fault& fault) {
  const long bottom = std::min<long>(product.rows, fault.row + fault.height);
  const long right = std::min<long>(product.columns, fault.column + fault.width);
  if (fault.row >= bottom || fault.column >= right) return;
  const std::size_t count = static_cast<std::size_t>(right - fault.column) * product.element;
  std::vector<std::vector<char>> lines;
  const auto place_of = [&](long row) {
    return (product.offset + static_cast<std::uint64_t>(row) * product.pitch +
            static_cast<std::uint64_t>(fault.column)) *
           product.element;
  };
  driver.clFinish(queue);
  for (long row = fault.row; row < bottom; ++row) {
    std::vector<char>& line = lines.emplace_back(count);
    driver.clEnqueueReadBuffer(queue, product.c, CL_TRUE, place_of(row), count, line.data(), 0,
                               nullptr, nullptr);
  }
  if (fault.kind == "swap") std::reverse(lines.begin(), lines.end());
  for (long row = fault.row; row < bottom; ++row) {
    std::vector<char>& line = lines[static_cast<std::size_t>(row - fault.row)];
    if (fault.kind != "swap") {
      if (fault.is_double)
        change<double>(line.data(), count / sizeof(double), fault);
      else
        change<float>(line.data(), count / sizeof(float), fault);
    }
    driver.clEnqueueWriteBuffer(queue, product.c, CL_TRUE, place_of(row), count, line.data(), 0,
                                nullptr, nullptr);
  }
  const std::lock_guard guard(state().mutex);
  ++state().done;
}

bool is_product(const Product& product) {
  return product.c != nullptr && product.rows > 0;
}

}  // namespace

void note_argument(cl_kernel kernel, cl_uint index, size_t size, const void* value) {
  if (value == nullptr) return;
  const std::lock_guard guard(state().mutex);
  Product& product = state().products[kernel];
  switch (index) {
    case rows_at: return take(product.rows, size, value);
    case columns_at: return take(product.columns, size, value);
    case alpha_at: product.element = size; return;
    case c_at: return take(product.c, size, value);
    case offset_at: return take(product.offset, size, value);
    case pitch_at: return take(product.pitch, size, value);
    default: return;
  }
}

void forget_arguments(cl_kernel kernel) {
  const std::lock_guard guard(state().mutex);
  state().products.erase(kernel);
}

bool is_left_out(cl_kernel kernel) {
  const std::lock_guard guard(state().mutex);
  const Fault& fault = state().fault;
  if (fault.kind != "keep" || !is_product(state().products[kernel])) return false;
  if (++state().launches % fault.every != 0) return false;
  ++state().done;
  return true;
}

void spoil_result(const cl_icd_dispatch& driver, cl_command_queue queue, cl_kernel kernel) {
  Product product;
  Fault fault;
  {
    const std::lock_guard guard(state().mutex);
    fault = state().fault;
    product = state().products[kernel];
    if (fault.kind.empty() || fault.kind == "keep" || !is_product(product)) return;
    if (fault.kind == "edge") {  // the last element of results of odd size
      if (product.rows % 2 == 0 && product.columns % 2 == 0) return;
      fault.row = product.rows - 1;
      fault.column = product.columns - 1;
    }
    if (++state().launches % fault.every != 0) return;
  }
  spoil(driver, queue, product, fault);
}

}  // namespace duoblas::layer

#define DUOBLAS_LAYER_EXPORT extern "C" __attribute__((visibility("default")))

using duoblas::layer::state;

DUOBLAS_LAYER_EXPORT void duoblas_layer_spoil(const char* spec) {
  const std::lock_guard guard(state().mutex);
  state().fault = {};
  state().launches = state().done = 0;
  if (spec == nullptr) return;
  std::istringstream words(spec);
  auto& fault = state().fault;
  char type = 's';
  words >> fault.kind >> type >> fault.every >> fault.row >> fault.column >> fault.height >>
      fault.width >> fault.value;
  fault.is_double = type == 'd' || type == 'z';
}

DUOBLAS_LAYER_EXPORT long duoblas_layer_spoilt() {
  const std::lock_guard guard(state().mutex);
  return state().done;
}
