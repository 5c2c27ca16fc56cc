// A profile as text. The counterpart, with every check, is profile_from_json.cpp.
#include <algorithm>
#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

#include "kernel_space/kernel_fields.hpp"
#include "problem/op_letter.hpp"
#include "profile/memory_rates.hpp"
#include "profile/profile.hpp"

namespace duoblas {
namespace {

using Json = nlohmann::ordered_json;

// A value that cannot be read back would make the profile useless. So a time that is no number is
// stored as not measured.
double measured(double value) {
  return std::isfinite(value) && value > 0 ? value : 0;
}

// One line of ASCII.
std::string plain_note(std::string note) {
  note.resize(std::min(note.size(), Profile::longest_note));
  for (char& c : note) {
    if (c == '\n' || c == '\t') c = ' ';
    if (c < ' ' || c > '~') c = '?';
  }
  return note;
}

// The library's path is left out on purpose: a profile that came from elsewhere must not be able
// to name code that is then loaded.
Json to_value(const CpuConfig& config) {
  return Json{{"core_type", config.core_type},
              {"threads", config.threads},
              {"cores", config.cores},
              {"tiles", config.tiles}};
}

Json to_value(const CpuConfigs& configs) {
  Json value = Json::object();
  for (const Precision precision : all_precisions)
    value[std::string(1, letter(precision))] = to_value(configs[precision_index(precision)]);
  return value;
}

// Without what is as the default: every process reads the file, and there are hundreds of kernels.
// So a field's default may never change.
Json to_value(const KernelParams& kernel) {
  Json fields = Json::object();
  for (const KernelField& field : kernel_fields())
    if (field.get(kernel) != field.default_value())
      fields[std::string(field.name)] = field.get(kernel);
  return fields;
}

Json to_value(const TunedChoice& choice) {
  Json value{{"kernel", to_value(choice.kernel)},
             {"sharing", name(choice.sharing)},
             {"gpu_parts", choice.share.gpu_parts},
             {"parts", choice.share.parts},
             {"seconds", measured(choice.seconds)}};
  if (measured(choice.joules) > 0) value["joules"] = choice.joules;
  return value;
}

Json to_value(const TunedPoint& point) {
  Json value{{"precision", std::string(1, letter(point.precision))},
             {"ops", std::string{letter(point.op_a), letter(point.op_b)}},
             {"m", point.m},
             {"n", point.n},
             {"k", point.k},
             {"hybrid", to_value(point.hybrid)},
             {"simple", to_value(point.simple)},
             {"gpu", to_value(point.gpu)},
             {"cpu_seconds", measured(point.cpu_seconds)},
             {"cpu_all_seconds", measured(point.cpu_all_seconds)},
             {"gpu_side_seconds", measured(point.gpu_side_seconds)},
             {"cpu_side_seconds", measured(point.cpu_side_seconds)},
             {"noise", measured(point.noise)}};
  for (const auto& [use, tuned] : point.uses)
    value["uses"][std::string(name(use))] = {{"kernel", to_value(tuned.kernel)},
                                             {"seconds", measured(tuned.seconds)}};
  if (point.goal == Goal::throughput) return value;
  value["goal"] = name(point.goal);
  value["joules_of"] = point.joules_of;
  value["cpu_joules"] = measured(point.cpu_joules);
  value["cpu_all_joules"] = measured(point.cpu_all_joules);
  return value;
}

Json to_value(const UpdateTimes& times) {
  return {{"c_bytes", measured(times.c_bytes)},
          {"cpu_writes", measured(times.cpu_writes)},
          {"cpu_adds", measured(times.cpu_adds)},
          {"gpu_writes", measured(times.gpu_writes)},
          {"gpu_adds", measured(times.gpu_adds)}};
}

bool is_rate(double value) {
  return std::isfinite(value) && value >= least_memory_rate && value <= most_memory_rate;
}

// What cannot be read back would cost the tuning.
bool can_be_kept(const MemoryRates& rates) {
  return is_rate(rates.cpu) && is_rate(rates.cpu_all) && is_rate(rates.gpu) &&
         is_rate(rates.gpu_host) && rates.launch_seconds > 0 &&
         rates.launch_seconds <= longest_launch;
}

Json to_value(const MemoryRates& rates) {
  const bool both = is_rate(rates.cpu_beside) && is_rate(rates.gpu_beside);
  return {{"cpu", measured(rates.cpu)},
          {"cpu_all", measured(rates.cpu_all)},
          {"gpu", measured(rates.gpu)},
          {"gpu_host", measured(rates.gpu_host)},
          {"in_place", rates.in_place},
          {"cpu_beside", both ? rates.cpu_beside : 0},
          {"gpu_beside", both ? rates.gpu_beside : 0},
          {"launch_seconds", measured(rates.launch_seconds)}};
}

// Types and forms that were not tuned are left out.
Json to_value(const TunedGemvs& tuned) {
  Json types = Json::object();
  for (const Precision p : all_precisions) {
    Json forms = Json::object();
    for (const bool transposes : {false, true}) {
      const auto& found = tuned[precision_index(p)][transposes ? 1 : 0];
      if (!found) continue;
      Json& form = forms[transposes ? "t" : "n"];
      for (const auto& [field, member] : gemv_fields()) form[field] = found->kernel.*member;
      // Fields of 0 are left out, so that older libraries, which do not know them, read the
      // profile.
      for (const auto& [field, member] : gemv_switches())
        if (found->kernel.*member != 0) form[field] = found->kernel.*member;
      form["rate"] = measured(found->rate);
    }
    if (!forms.empty()) types[std::string(1, letter(p))] = forms;
  }
  return types;
}

// Names of devices come from drivers: bytes that are no UTF-8 are replaced, not thrown over.
std::string json_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// One line for a member, and for a point.
std::string lines_of(const Json& root) {
  std::string lines;
  for (const auto& [name, value] : root.items()) {
    lines += lines.empty() ? "{\n" : ",\n";
    lines += json_text(name) + ": ";
    if (name != "points" || value.empty()) {
      lines += json_text(value);
      continue;
    }
    for (const Json& point : value)
      lines += (&point == &value.front() ? "[\n" : ",\n") + json_text(point);
    lines += "]";
  }
  return lines + "\n}\n";
}

}  // namespace

std::string to_json(const Profile& profile) {
  Json points = Json::array();
  for (const TunedPoint& point : profile.points) points.push_back(to_value(point));
  Json updates = Json::object();
  for (const Precision p : all_precisions)
    if (const UpdateTimes& times = profile.updates[precision_index(p)]; times.c_bytes > 0)
      updates[std::string(1, letter(p))] = to_value(times);
  Json key{{"device", profile.key.device},
           {"driver", profile.key.driver},
           {"cpu", profile.key.cpu},
           {"standin", profile.key.standin}};
  // Left out else, so that libraries that do not know it read the profile.
  if (profile.key.arithmetic == Arithmetic::integers)
    key["arithmetic"] = name(profile.key.arithmetic);
  Json root{{"format", "duoblas-profile"},
            {"version", Profile::current_version},
            {"created", profile.created},
            {"key", key},
            {"origin",
             {{"vendor", profile.origin.vendor},
              {"kind", profile.origin.kind},
              {"architecture", profile.origin.architecture}}},
            {"note", plain_note(profile.note)},
            {"steadiness",
             {{"cpu", measured(profile.steadiness.cpu)},
              {"gpu", measured(profile.steadiness.gpu)},
              {"least_mhz", measured(profile.steadiness.least_mhz)},
              {"most_mhz", measured(profile.steadiness.most_mhz)}}},
            {"cpu", to_value(profile.cpu)},
            {"cpu_all", to_value(profile.cpu_all)},
            {"crossover_flops",
             {{"s", profile.crossover_flops[0]},
              {"d", profile.crossover_flops[1]},
              {"c", profile.crossover_flops[2]},
              {"z", profile.crossover_flops[3]}}},
            {"updates", updates},
            {"points", points}};
  if (!profile.doubt.empty()) root["doubt"] = plain_note(profile.doubt);
  if (can_be_kept(profile.memory)) root["memory"] = to_value(profile.memory);
  if (const Json types = to_value(profile.gemv); !types.empty()) root["gemv"] = types;
  return lines_of(root);
}

}  // namespace duoblas
