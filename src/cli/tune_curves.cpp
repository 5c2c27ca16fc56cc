#include "cli/tune_curves.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/arguments.hpp"
#include "cli/text_table.hpp"
#include "cli/tuned_rates.hpp"
#include "cli/tuning_record.hpp"
#include "plot/printable_text.hpp"
#include "tuner/kernel_trial_options.hpp"

namespace duoblas::cli {

void print_curve(const FieldCurve& curve, const std::string& of, const char* unit,
                 std::ostream& out) {
  using enum TextTable::Align;
  out << '\n' << curve.field << ", the other parameters as tuned, " << of << '\n';
  TextTable table({{curve.field, right}, {unit, right}, {""}});
  for (const FieldRate& rate : curve.rates)
    table.add({std::to_string(rate.value), rate_text(rate.rate),
               rate.value == curve.chosen ? "chosen" : printable(rate.reason)});
  table.print(out, "  ");
}

std::vector<const KernelField*> curve_fields(const std::vector<std::string>& names) {
  std::vector<const KernelField*> fields;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(kernel_fields(), name, &KernelField::name);
    if (found == kernel_fields().end()) {
      std::string known;
      for (const KernelField& field : kernel_fields())
        known += (known.empty() ? "" : ", ") + std::string(field.name);
      throw UsageError("--curve " + name + ": there is no such kernel parameter; there are " +
                       known);
    }
    if (std::ranges::find(fields, &*found) == fields.end()) fields.push_back(&*found);
  }
  return fields;
}

std::vector<FieldCurve> measured_curves(Engine& engine, Journal& journal,
                                        const TuneRequest& request, const Profile& profile,
                                        const std::vector<const KernelField*>& fields,
                                        std::ostream& out) {
  std::vector<FieldCurve> curves;
  if (fields.empty()) return curves;
  TuneListener nobody;
  KernelPool pool(journal, nobody, kernel_trial_options(engine, request));
  const TunedPoint& point = largest_point(profile);
  FieldCurveRules rules;
  rules.seed = request.seed;
  for (const KernelField* field : fields) {
    curves.push_back(measure_field_curve(engine, pool, point, *field, rules));
    print_curve(curves.back(), "GPU alone, " + tuning_case_of(point), "GFLOPS", out);
  }
  return curves;
}

nlohmann::json curves_json(const std::vector<FieldCurve>& curves, const char* unit) {
  nlohmann::json document = nlohmann::json::array();
  for (const FieldCurve& curve : curves) {
    nlohmann::json values = nlohmann::json::array();
    for (const FieldRate& rate : curve.rates) {
      values.push_back({{"value", rate.value}});
      if (rate.rate > 0)
        values.back()[unit] = rate.rate;
      else
        values.back()["reason"] = rate.reason;
    }
    document.push_back(
        {{"field", curve.field}, {"chosen", curve.chosen}, {"values", std::move(values)}});
  }
  return document;
}

}  // namespace duoblas::cli
