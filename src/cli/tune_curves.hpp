// `duoblas tune --curve FIELD`: how the rate depends on one kernel parameter.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tuner/field_curve.hpp"

namespace duoblas {
class Journal;
}

namespace duoblas::cli {

/// \throws UsageError for a name that is no kernel parameter's, naming those that there are.
std::vector<const KernelField*> curve_fields(const std::vector<std::string>& names);

/// Curves of the profile's largest product, each printed as soon as it is there. What the trials of
/// new kernels show goes into the journal. \throws SettingError where a field means nothing to its
/// best kernel.
std::vector<FieldCurve> measured_curves(Engine& engine, Journal& journal,
                                        const TuneRequest& request, const Profile& profile,
                                        const std::vector<const KernelField*>& fields,
                                        std::ostream& out);

/// `unit` is the member's name: "gflops".
nlohmann::json curves_json(const std::vector<FieldCurve>& curves, const char* unit = "gflops");

/// `of`: "GPU alone, sgemm nn 96 x 96 x 96"; `unit` as people are shown it.
void print_curve(const FieldCurve& curve, const std::string& of, const char* unit,
                 std::ostream& out);

}  // namespace duoblas::cli
