#include "gpu/kernel_sampler.hpp"

#include <algorithm>
#include <set>

#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/kernel_fields.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "kernel_space/tiled_points.hpp"
#include "support/wide_kernels.hpp"

namespace duoblas::test {
namespace {

// Steps of one walk and walks of one draw: four times what the rarest values needed on a CPU device
// and with every capability granted.
constexpr int kSteps = 400;
constexpr int kWalks = 40;

// Products of bytes, the last units, are of devices without doubles. integers_test draws them.
std::size_t drawn_values(const KernelField& field) {
  return field.name == "matrix" ? static_cast<std::size_t>(MatrixUnit::integers)
                                : field.values.size();
}

void redraw(const KernelField& field, KernelParams& params, std::mt19937& engine) {
  field.set(params, field.values[engine() % drawn_values(field)]);
}

// Rules of wide kernels want nine fields at once: no walk from elsewhere arrives there.
bool is_wide(const FieldValue* pin) {
  return pin != nullptr && pin->field->name == "wide" && pin->value == 1;
}

}  // namespace

std::string text(const FieldValue& pin) {
  return std::string(pin.family == KernelFamily::panel ? "panel" : "tiled") + " " +
         std::string(pin.field->name) + " = " + std::to_string(pin.value);
}

std::vector<FieldValue> all_field_values() {
  std::vector<FieldValue> values;
  for (const KernelFamily family : {KernelFamily::panel, KernelFamily::tiled})
    for (const KernelField& field : kernel_fields()) {
      if (field.name == "family") continue;
      for (const int value : field.values) values.push_back({family, &field, value});
    }
  return values;
}

bool is_used(const FieldValue& pin) {
  std::mt19937 engine(1);
  for (int i = 0; i < 64; ++i) {
    KernelParams p;
    for (const KernelField& field : kernel_fields()) redraw(field, p, engine);
    p.family = pin.family;
    pin.field->set(p, pin.value);
    if (pin.field->get(canonical(p)) == pin.value) return true;
  }
  return false;
}

int KernelSampler::broken_rules(const KernelParams& params, Precision precision,
                                const FieldValue* pin) {
  const KernelParams p = canonical(params);
  // A pinned field may be one that the rest of the point makes meaningless.
  int broken = pin != nullptr && pin->field->get(p) != pin->value;
  bool counted = false;
  for (const KernelRule& rule : kernel_rules()) {
    if (rule.holds(p, precision, limits_)) continue;
    ++broken;
    if (!counted) ++rejections_[rule.name];
    counted = true;
  }
  return broken;
}

std::optional<KernelParams> KernelSampler::walk(KernelFamily family, Precision precision,
                                                const FieldValue* pin) {
  const auto fields = kernel_fields();
  KernelParams p;
  for (const KernelField& field : fields) redraw(field, p, engine_);
  if (is_wide(pin)) p = wide_tf32x3();
  p.family = family;
  if (pin != nullptr) pin->field->set(p, pin->value);
  int broken = broken_rules(p, precision, pin);
  for (int step = 0; step < kSteps && broken > 0; ++step) {
    const KernelField& field = fields[engine_() % fields.size()];
    if (field.name == "family" || (pin != nullptr && pin->field == &field)) continue;
    KernelParams changed = p;
    redraw(field, changed, engine_);
    const int now = broken_rules(changed, precision, pin);
    // Now and then a step for the worse, out of dead ends.
    if (now > broken && engine_() % 16 != 0) continue;
    p = changed;
    broken = now;
  }
  if (broken > 0) return std::nullopt;
  return canonical(p);
}

std::optional<KernelParams> KernelSampler::draw(KernelFamily family, Precision precision,
                                                const FieldValue* pin) {
  for (int i = 0; i < kWalks; ++i)
    if (const auto point = walk(family, precision, pin)) return point;
  return std::nullopt;
}

std::vector<Stratum> all_strata(const DeviceLimits& limits) {
  std::vector<Stratum> strata;
  for (const KernelFamily family : {KernelFamily::panel, KernelFamily::tiled})
    for (const Precision precision : {Precision::s, Precision::d, Precision::c, Precision::z}) {
      if (is_double(precision) && !limits.has_fp64) continue;
      std::vector<Op> ops = {Op::none, Op::transpose};
      if (is_complex(precision)) ops.push_back(Op::conj_transpose);
      for (const Op op_a : ops)
        for (const Op op_b : ops) strata.push_back({family, precision, op_a, op_b});
    }
  return strata;
}

SpacePlan plan_space(const DeviceLimits& limits, unsigned seed, const DrawsPerStratum& draws) {
  KernelSampler sampler(limits, seed);
  const std::vector<Stratum> strata = all_strata(limits);
  std::vector<int> count(strata.size(), 0);
  SpacePlan plan;
  const auto add = [&](std::size_t s, const FieldValue* pin) {
    const auto point = sampler.draw(strata[s].family, strata[s].precision, pin);
    if (!point) return false;
    plan.points.push_back({strata[s], *point});
    ++count[s];
    return true;
  };
  for (std::size_t s = 0; s < strata.size(); ++s) {
    const int wanted = is_complex(strata[s].precision) ? draws.of_complex : draws.of_real;
    while (count[s] < wanted && add(s, nullptr)) continue;
  }
  // Values that are still missing go to the strata in turn; where one's element type cannot have
  // it, to the next type's.
  std::size_t next = 0;
  for (const FieldValue& pin : all_field_values()) {
    const auto has_value = [&](const PlannedPoint& point) {
      return point.stratum.family == pin.family && pin.field->get(point.params) == pin.value;
    };
    if (!is_used(pin) || std::ranges::any_of(plan.points, has_value)) continue;
    bool found = false;
    std::set<Precision> tried;
    for (std::size_t i = 0; i < strata.size() && !found; ++i, next = (next + 1) % strata.size()) {
      const Stratum& stratum = strata[next];
      if (stratum.family != pin.family || !tried.insert(stratum.precision).second) continue;
      found = add(next, &pin);
    }
    if (!found) plan.not_covered.push_back(pin);
  }
  plan.rejections = sampler.rejections();
  return plan;
}

}  // namespace duoblas::test
