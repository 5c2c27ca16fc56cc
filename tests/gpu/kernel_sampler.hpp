// Draws legal kernels from the whole parameter space, and plans which of them a test run tries.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <duoblas/types.hpp>

#include "kernel_space/device_limits.hpp"
#include "kernel_space/kernel_fields.hpp"
#include "problem/precision.hpp"

namespace duoblas::test {

/// One value of one field, in one family: what a plan sees to that it is drawn.
struct FieldValue {
  KernelFamily family;
  const KernelField* field;
  int value;
};

std::string text(const FieldValue& pin);

/// Every value of every field of both families.
std::vector<FieldValue> all_field_values();

/// Whether the family leaves the value alone where the rest of the kernel is arbitrary.
bool is_used(const FieldValue& pin);

/// Uniform draws break some rule nearly always. This one starts from such a draw and changes single
/// fields at random, keeping changes that break no more rules than before, until none is broken. It
/// knows nothing of the rules but their number, so that it can reach every legal point.
class KernelSampler {
 public:
  KernelSampler(const DeviceLimits& limits, unsigned seed) : limits_(limits), engine_(seed) {}

  /// A legal point in canonical form; nullopt where none was found.
  std::optional<KernelParams> draw(KernelFamily family, Precision precision,
                                   const FieldValue* pin = nullptr);

  /// How often each rule was the first that a point broke.
  const std::map<std::string_view, long>& rejections() const { return rejections_; }

 private:
  std::optional<KernelParams> walk(KernelFamily family, Precision precision, const FieldValue* pin);
  int broken_rules(const KernelParams& params, Precision precision, const FieldValue* pin);

  DeviceLimits limits_;
  std::mt19937 engine_;
  std::map<std::string_view, long> rejections_;
};

/// What one part of a run is about: points of a family for an element type and a pair of ops.
struct Stratum {
  KernelFamily family;
  Precision precision;
  Op op_a, op_b;
};

/// Both families, all element types that the device has, all pairs of ops (c for complex types
/// only).
std::vector<Stratum> all_strata(const DeviceLimits& limits);

struct PlannedPoint {
  Stratum stratum;
  KernelParams params;
};

/// How often a stratum is drawn from. Complex types have nine pairs of ops, real ones four.
struct DrawsPerStratum {
  int of_real;
  int of_complex;
};

/// The points of a run: some of each stratum, and what it takes besides for every field
/// value that the device can have.
struct SpacePlan {
  std::vector<PlannedPoint> points;
  std::vector<FieldValue> not_covered;  ///< of the values that their family uses
  std::map<std::string_view, long> rejections;
};

SpacePlan plan_space(const DeviceLimits& limits, unsigned seed, const DrawsPerStratum& draws);

}  // namespace duoblas::test
