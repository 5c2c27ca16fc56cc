#include "cli/arguments.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>

#include <duoblas/error.hpp>

#include "os/file_status.hpp"
#include "os/machine_facts.hpp"
#include "problem/op_letter.hpp"

namespace duoblas::cli {
namespace {

template <typename T>
void append_once(std::vector<T>& to, const T& value) {
  if (std::find(to.begin(), to.end(), value) == to.end()) to.push_back(value);
}

}  // namespace

Settings settings_from_environment() {
  try {
    return Settings::from_environment();
  } catch (const SettingError& error) {
    throw UsageError(error.what());
  }
}

std::vector<Precision> to_precisions(const std::vector<std::string>& letters) {
  std::vector<Precision> precisions;
  for (const std::string& text : letters) {
    if (text.size() != 1 || std::string_view("sdcz").find(text[0]) == std::string_view::npos) {
      throw UsageError("--precision " + text + " is not understood: give s, d, c or z");
    }
    append_once(precisions, static_cast<Precision>(text[0]));
  }
  return precisions;
}

std::vector<std::pair<Op, Op>> to_ops(const std::vector<std::string>& texts) {
  std::vector<std::pair<Op, Op>> ops;
  for (const std::string& text : texts) {
    const auto a = text.size() == 2 ? op_from(text[0]) : std::nullopt;
    const auto b = text.size() == 2 ? op_from(text[1]) : std::nullopt;
    if (!a || !b) {
      throw UsageError("--ops " + text +
                       " is not understood: give two of n, t and c, for A and for B, e.g. nt");
    }
    append_once(ops, std::pair(*a, *b));
  }
  return ops;
}

std::vector<Op> to_single_ops(const std::vector<std::string>& texts) {
  std::vector<Op> ops;
  for (const std::string& text : texts) {
    const auto op = text.size() == 1 ? op_from(text[0]) : std::nullopt;
    if (!op)
      throw UsageError("--ops " + text + " is not understood: there is one matrix, give n, t or c");
    append_once(ops, *op);
  }
  return ops;
}

std::optional<Shape> shape_from(const std::string& text) {
  std::int64_t extents[3] = {0, 0, 0};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (int i = 0; i < 3; ++i) {
    const auto [next, error] = std::from_chars(at, end, extents[i]);
    const bool separated = i == 2 ? next == end : next != end && (*next == 'x' || *next == 'X');
    if (error != std::errc() || extents[i] < 1 || !separated) return std::nullopt;
    at = next + 1;
  }
  return Shape{extents[0], extents[1], extents[2]};
}

std::vector<Shape> to_shapes(const std::vector<std::string>& shapes,
                             const std::vector<std::int64_t>& sizes, std::vector<Shape> otherwise) {
  if (shapes.empty() && sizes.empty()) return otherwise;
  std::vector<Shape> result;
  for (const std::string& text : shapes) {
    const auto shape = shape_from(text);
    if (!shape) {
      throw UsageError("--shape " + text +
                       " is not understood: give MxNxK, three positive numbers, e.g. 512x1024x64");
    }
    append_once(result, *shape);
  }
  for (const std::int64_t n : sizes) {
    if (n < 1) throw UsageError("--size " + std::to_string(n) + ": give a positive number");
    append_once(result, Shape{n, n, n});
  }
  return result;
}

void require_memory(const std::vector<Shape>& shapes, Precision precision) {
  const auto machine = static_cast<double>(memory_bytes());
  for (const Shape& s : shapes) {
    const auto m = static_cast<double>(s.m);
    const auto n = static_cast<double>(s.n);
    const auto k = static_cast<double>(s.k);
    // A, B, C, and the CPU's C that results are checked against.
    const double needed =
        static_cast<double>(element_size(precision)) * (m * k + k * n + 2 * m * n);
    if (needed > machine) {
      constexpr double gib = 1 << 30;
      std::ostringstream text;
      text << "a product of " << s.m << " x " << s.n << " x " << s.k << " needs "
           << std::ceil(needed / gib) << " GiB; this machine has " << std::floor(machine / gib)
           << " GiB: give smaller sizes";
      throw UsageError(text.str());
    }
  }
}

void require_writable_file(const std::string& path) {
  if (path.empty() || path == "-") return;
  const auto parent = std::filesystem::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  std::error_code unknown;  // what cannot be looked at cannot be written, which is seen below
  if (std::filesystem::is_directory(path, unknown))
    throw Error("cannot write " + path + ": it is a folder");
  if (!may(FileRight::write, may(FileRight::see, path) ? path : folder)) {
    throw Error("cannot write " + path + ": " + std::strerror(errno));
  }
}

void require_picture_name(const std::string& path) {
  if (path.empty()) return;
  if (!path.ends_with(".svg"))
    throw UsageError("--plot " + path + ": give a name that ends in .svg");
  require_writable_file(path);
}

FixedFields fixed_fields(const std::vector<std::string>& assignments) {
  FixedFields fixed;
  for (const std::string& assignment : assignments) {
    try {
      fix(fixed, assignment);
    } catch (const SettingError& error) {
      throw UsageError("--set " + assignment + ": " + error.what());
    }
  }
  return fixed;
}

}  // namespace duoblas::cli
