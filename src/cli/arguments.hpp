// Converts what users type into the library's own values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>
#include <duoblas/settings.hpp>

#include "problem/precision.hpp"
#include "tuner/fixed_fields.hpp"
#include "tuner/tune_request.hpp"

namespace duoblas::cli {

/// Something that was typed, or set in the environment, makes no sense. Exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// Settings::from_environment(), whose errors are the user's. \throws UsageError
Settings settings_from_environment();

/// {"s", "d"} to precisions; repeated ones once. \throws UsageError like everything below.
std::vector<Precision> to_precisions(const std::vector<std::string>& letters);

/// {"nn", "tc"} to pairs of op_a, op_b.
std::vector<std::pair<Op, Op>> to_ops(const std::vector<std::string>& texts);

/// {"n", "c"} to ops.
std::vector<Op> to_single_ops(const std::vector<std::string>& texts);

/// "512x1024x64", three positive numbers; nothing where it is not that.
std::optional<Shape> shape_from(const std::string& text);

/// {"512x1024x64"} and {2048}: shapes M x N x K first, then cubes; `otherwise` where both are
/// empty.
std::vector<Shape> to_shapes(const std::vector<std::string>& shapes,
                             const std::vector<std::int64_t>& sizes, std::vector<Shape> otherwise);

/// \throws UsageError if the largest of these products needs more memory than the machine has; it
/// gives both numbers.
void require_memory(const std::vector<Shape>& shapes, Precision precision);

/// Tests at the start whether the file can be written at the end, so that an hour's work is not
/// lost to a bad path. "" and "-" are fine. \throws Error naming the path.
void require_writable_file(const std::string& path);

/// The same for a picture, of --plot. \throws UsageError for an ending other than .svg.
void require_picture_name(const std::string& path);

/// {"tile_rows=8"} of --set. \throws UsageError that names the assignment that is wrong, and what
/// there is.
FixedFields fixed_fields(const std::vector<std::string>& assignments);

}  // namespace duoblas::cli
