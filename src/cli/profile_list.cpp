// duoblas profile list
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/arguments.hpp"
#include "cli/bench/record.hpp"
#include "cli/json_file.hpp"
#include "cli/profile_folder.hpp"
#include "cli/subcommands.hpp"
#include "cli/text_table.hpp"

namespace duoblas::cli {
namespace {

std::string shapes_text(const Profile& profile) {
  std::string text;
  for (const Precision precision : all_precisions) {
    const auto count = std::count_if(profile.points.begin(), profile.points.end(),
                                     [=](const TunedPoint& p) { return p.precision == precision; });
    if (count > 0) {
      text += (text.empty() ? "" : ", ") + std::string(1, letter(precision)) + "gemm x " +
              std::to_string(count);
    }
  }
  return text.empty() ? "nothing" : text;
}

// 0: the tuning did not measure the noise.
std::string noise_text(double noise) {
  return noise > 0 ? fixed(100 * noise, 1) + " %" : "-";
}

double worst_noise(const Profile& profile) {
  double worst = 0;
  for (const TunedPoint& point : profile.points) worst = std::max(worst, point.noise);
  return worst;
}

std::string match_text(ProfileMatch match) {
  if (match == ProfileMatch::exact) return "this machine";
  if (match == ProfileMatch::none) return "-";
  return "same " + std::string(name(match));
}

}  // namespace

int list_profiles(const std::string& json) {
  const auto files = stored_profiles();
  auto tuning_case = files.empty() ? std::nullopt : this_machine();
  const std::string folder = profile_folder().string();
  nlohmann::json document = {{"directory", folder}, {"profiles", nlohmann::json::array()}};
  using enum TextTable::Align;
  TextTable table(
      {{"name"}, {"device"}, {"processor"}, {"match"}, {"tuned"}, {"noise", right}, {"created"}});
  std::string notes;
  for (const auto& path : files) {
    const std::string file = path.filename().string();
    const std::string problem = profile_problem(path);
    nlohmann::json entry = {{"name", file}, {"problem", problem}};
    if (!problem.empty()) {
      table.add({file, "not usable: " + problem.substr(0, problem.find('\n')), "", "", "", "", ""});
    } else {
      const Profile profile = profile_from_json(profile_text(path));
      if (tuning_case) tuning_case->key.arithmetic = profile.key.arithmetic;
      const ProfileMatch how = tuning_case ? match(profile, *tuning_case) : ProfileMatch::none;
      const bool integers = profile.key.arithmetic == Arithmetic::integers;
      const std::string device = profile.key.device + (profile.key.standin ? " (stand-in)" : "") +
                                 (integers ? " (by integers)" : "");
      table.add({file, device, profile.key.cpu, match_text(how), shapes_text(profile),
                 noise_text(worst_noise(profile)), profile.created});
      if (!profile.note.empty()) notes += file + ": " + profile.note + '\n';
      entry.update({{"device", profile.key.device},
                    {"cpu", profile.key.cpu},
                    {"standin", profile.key.standin},
                    {"arithmetic", name(profile.key.arithmetic)},
                    {"points", profile.points.size()},
                    {"created", profile.created},
                    {"match", name(how)},
                    {"noise", worst_noise(profile)},
                    {"note", profile.note}});
      if (profile.memory.are_known()) entry["bandwidth"] = bandwidth_json(profile.memory);
    }
    document["profiles"].push_back(std::move(entry));
  }
  if (!json.empty()) write_json(json, document);
  if (json == "-") return done;
  if (files.empty()) {
    std::cout << "No profiles in " << folder << ". duoblas tune makes one.\n";
    return done;
  }
  std::cout << "In " << folder << ":\n";
  table.print(std::cout);
  std::cout << "noise: the widest spread (between the quartiles) of a co-tuned call in the\n"
               "       final comparison of its tuning\n"
            << notes;
  return done;
}

}  // namespace duoblas::cli
