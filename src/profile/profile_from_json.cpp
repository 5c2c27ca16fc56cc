// A profile from text that may be damaged, of another version, or hostile: nothing of it is
// believed before it was checked, and it can hold nothing that names code.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <duoblas/error.hpp>

#include "kernel_space/kernel_fields.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "problem/op_letter.hpp"
#include "profile/json_value.hpp"
#include "profile/memory_rates.hpp"
#include "profile/profile.hpp"
#include "profile/profile_reader.hpp"

namespace duoblas {
namespace {

// Far above what any tuning writes, far below what hurts.
constexpr std::size_t max_points = 4096;
constexpr std::size_t max_text = 512;
constexpr std::size_t max_cores = 4096;
constexpr int max_depth = 8;
constexpr std::size_t max_values = 1'000'000;
constexpr std::int64_t max_extent = std::int64_t{1} << 40;
constexpr double max_seconds = 1e6;
constexpr double max_joules = 1e9;
constexpr double max_flops = 1e18;
constexpr double max_bytes = 1e15;
constexpr double least_update_bytes = 1000;  // seconds are divided by them
constexpr double max_drift = 1e6, max_mhz = 1e6;
constexpr double max_noise = 1e6;

JsonValue parse(const std::string& text) {
  if (text.size() > longest_profile_file) throw SettingError("the file is larger than 4 MiB");
  return parse_json(text, {.depth = max_depth, .values = max_values});
}

CpuConfig cpu_config(const ProfileReader& root, std::string_view field) {
  const ProfileReader reader = root.object(field, {"core_type", "threads", "cores", "tiles"});
  CpuConfig config;
  config.core_type = reader.text("core_type", 32);
  // It ends up in an environment variable.
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (!std::all_of(config.core_type.begin(), config.core_type.end(), plain))
    reader.complain("core_type", "must be letters, digits and underscores");
  config.threads = static_cast<int>(reader.integer("threads", 0, max_cores));
  config.cores = reader.integers("cores", 0, max_cores - 1, max_cores);
  config.tiles = reader.truth("tiles");
  return config;
}

CpuConfigs cpu_configs(const ProfileReader& root, std::string_view field) {
  const ProfileReader reader = root.object(field, {"s", "d", "c", "z"});
  CpuConfigs configs;
  for (const Precision p : all_precisions)
    configs[precision_index(p)] = cpu_config(reader, std::string(1, letter(p)));
  return configs;
}

KernelParams kernel(const ProfileReader& choice) {
  const ProfileReader reader = choice.object("kernel", {});
  KernelParams params;
  for (const std::string& name : reader.members()) {
    const auto value = static_cast<int>(reader.integer(name, 0, 1 << 20));
    try {
      set_field(params, name, value);
    } catch (const SettingError& e) {
      reader.complain("", std::string("is illegal: ") + e.what());
    }
  }
  if (const KernelRule* rule = violated_static_rule(params))
    reader.complain(
        "", "breaks the rule " + std::string(rule->name) + ": " + std::string(rule->reason));
  return params;
}

TunedChoice choice(const ProfileReader& point, std::string_view field) {
  const ProfileReader reader =
      point.object(field, {"kernel", "sharing", "gpu_parts", "parts", "seconds", "joules"});
  TunedChoice choice;
  choice.kernel = kernel(reader);
  const auto sharing = sharing_mode_from(reader.text("sharing", max_text));
  if (!sharing) reader.complain("sharing", "must be \"host_pointer\" or \"staged\"");
  choice.sharing = *sharing;
  choice.share.parts = static_cast<int>(reader.integer("parts", 1, 1024));
  choice.share.gpu_parts = static_cast<int>(reader.integer("gpu_parts", 0, choice.share.parts));
  choice.seconds = reader.amount("seconds", max_seconds);
  if (reader.has("joules")) choice.joules = reader.amount("joules", max_joules);
  return choice;
}

// Such a text is printed on terminals, so it must not hold control characters.
std::string plain_line(const ProfileReader& reader, std::string_view field, std::size_t longest) {
  std::string text = reader.text(field, longest);
  const auto control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::any_of(text.begin(), text.end(), control))
    reader.complain(field, "must be plain text in one line");
  return text;
}

Precision precision(const ProfileReader& point) {
  const std::string text = point.text("precision", max_text);
  for (const Precision p : all_precisions)
    if (text == std::string(1, letter(p))) return p;
  point.complain("precision", "must be \"s\", \"d\", \"c\" or \"z\"");
}

std::pair<Op, Op> ops(const ProfileReader& point) {
  const std::string text = point.text("ops", max_text);
  const auto a = text.size() == 2 ? op_from(text[0]) : std::nullopt;
  const auto b = text.size() == 2 ? op_from(text[1]) : std::nullopt;
  if (!a || !b) point.complain("ops", "must be two letters of n, t, c");
  return {*a, *b};
}

// The energy of a point that was tuned for another goal than throughput.
void energy(const ProfileReader& reader, TunedPoint& point) {
  const auto goal = goal_from(reader.text("goal", max_text));
  if (!goal) reader.complain("goal", "must be \"throughput\", \"energy\" or \"edp\"");
  point.goal = *goal;
  point.joules_of = plain_line(reader, "joules_of", max_text);
  point.cpu_joules = reader.amount("cpu_joules", max_joules);
  point.cpu_all_joules = reader.amount("cpu_all_joules", max_joules);
}

void kernels_of_uses(const ProfileReader& point, TunedPoint& tuned) {
  const ProfileReader uses = point.object("uses", {name(tuned_uses[0]), name(tuned_uses[1])});
  for (const KernelUse use : tuned_uses) {
    if (!uses.has(name(use))) continue;
    const ProfileReader reader = uses.object(name(use), {"kernel", "seconds"});
    tuned.uses[use] = {kernel(reader), reader.amount("seconds", max_seconds)};
  }
}

TunedPoint tuned_point(const ProfileReader& reader) {
  reader.allow({"precision", "ops", "m", "n", "k", "hybrid", "simple", "gpu", "cpu_seconds",
                "cpu_all_seconds", "gpu_side_seconds", "cpu_side_seconds", "noise", "goal",
                "joules_of", "cpu_joules", "cpu_all_joules", "uses"});
  TunedPoint point;
  point.precision = precision(reader);
  std::tie(point.op_a, point.op_b) = ops(reader);
  point.m = reader.integer("m", 1, max_extent);
  point.n = reader.integer("n", 1, max_extent);
  point.k = reader.integer("k", 1, max_extent);
  point.hybrid = choice(reader, "hybrid");
  point.simple = choice(reader, "simple");
  point.gpu = choice(reader, "gpu");
  point.cpu_seconds = reader.amount("cpu_seconds", max_seconds);
  point.cpu_all_seconds = reader.amount("cpu_all_seconds", max_seconds);
  point.gpu_side_seconds = reader.amount("gpu_side_seconds", max_seconds);
  point.cpu_side_seconds = reader.amount("cpu_side_seconds", max_seconds);
  point.noise = reader.amount("noise", max_noise);
  if (reader.has("uses")) kernels_of_uses(reader, point);
  if (reader.has("goal")) energy(reader, point);
  return point;
}

ProfileReader profile_key_of(const ProfileReader& root) {
  return root.object("key", {"device", "driver", "cpu", "standin", "arithmetic"});
}

ProfileKey profile_key(const ProfileReader& root) {
  const ProfileReader reader = profile_key_of(root);
  return {reader.text("device", max_text), reader.text("driver", max_text),
          reader.text("cpu", max_text), reader.truth("standin"), arithmetic_of(reader)};
}

// A profile has the products of one arithmetic.
void require_arithmetic(const ProfileReader& reader, const TunedPoint& point,
                        Arithmetic arithmetic) {
  const bool integers = arithmetic == Arithmetic::integers;
  if (integers && !is_double(point.precision))
    reader.complain("precision", "must be a double's: the profile is of doubles by integers");
  for (const TunedChoice* choice : {&point.hybrid, &point.simple, &point.gpu})
    if (is_by_integers(choice->kernel) != integers)
      reader.complain("gpu", integers ? "must be a kernel of products by integers"
                                      : "is a kernel of products by integers, whose profile is "
                                        "another");
}

ProfileOrigin profile_origin(const ProfileReader& root) {
  const ProfileReader reader = root.object("origin", {"vendor", "kind", "architecture"});
  ProfileOrigin origin;
  origin.vendor = reader.text("vendor", max_text);
  origin.kind = reader.text("kind", max_text);
  if (origin.kind != "gpu" && origin.kind != "cpu")
    reader.complain("kind", "must be \"gpu\" or \"cpu\"");
  origin.architecture = reader.text("architecture", max_text);
  return origin;
}

Steadiness steadiness(const ProfileReader& root) {
  const ProfileReader reader = root.object("steadiness", {"cpu", "gpu", "least_mhz", "most_mhz"});
  Steadiness of;
  of.cpu = reader.amount("cpu", max_drift);
  of.gpu = reader.amount("gpu", max_drift);
  of.least_mhz = reader.amount("least_mhz", max_mhz);
  of.most_mhz = reader.amount("most_mhz", max_mhz);
  return of;
}

UpdateTimes update_times(const ProfileReader& updates, Precision p) {
  const std::string type(1, letter(p));
  if (!updates.has(type)) return {};
  const ProfileReader reader =
      updates.object(type, {"c_bytes", "cpu_writes", "cpu_adds", "gpu_writes", "gpu_adds"});
  UpdateTimes times;
  times.c_bytes = reader.amount("c_bytes", max_bytes);
  if (times.c_bytes < least_update_bytes) reader.complain("c_bytes", "must be 1000 or more");
  times.cpu_writes = reader.amount("cpu_writes", max_seconds);
  times.cpu_adds = reader.amount("cpu_adds", max_seconds);
  times.gpu_writes = reader.amount("gpu_writes", max_seconds);
  times.gpu_adds = reader.amount("gpu_adds", max_seconds);
  return times;
}

// Times are predicted as bytes divided by these rates, so each must be in its range.
MemoryRates memory_rates(const ProfileReader& root) {
  const ProfileReader reader =
      root.object("memory", {"cpu", "cpu_all", "gpu", "gpu_host", "in_place", "cpu_beside",
                             "gpu_beside", "launch_seconds"});
  const auto rate = [&](std::string_view field) {
    const double value = reader.amount(field, most_memory_rate);
    if (value < least_memory_rate) reader.complain(field, "must be 1e6 or more");
    return value;
  };
  MemoryRates rates;
  rates.cpu = rate("cpu");
  rates.cpu_all = rate("cpu_all");
  rates.gpu = rate("gpu");
  rates.gpu_host = rate("gpu_host");
  rates.in_place = reader.truth("in_place");
  rates.launch_seconds = reader.amount("launch_seconds", longest_launch);
  if (!(rates.launch_seconds > 0)) reader.complain("launch_seconds", "must be above 0");
  // Rates of both sides at once: there are two of them, or none.
  if (reader.amount("cpu_beside", most_memory_rate) > 0 ||
      reader.amount("gpu_beside", most_memory_rate) > 0) {
    rates.cpu_beside = rate("cpu_beside");
    rates.gpu_beside = rate("gpu_beside");
  }
  return rates;
}

TunedGemv tuned_gemv(const ProfileReader& type, std::string_view form, Precision precision) {
  const ProfileReader reader = type.object(form, {});
  GemvKernel kernel;
  std::size_t known = 1;
  for (const auto& [field, member] : gemv_fields()) {
    kernel.*member = static_cast<int>(reader.integer(field, 1, 1 << 20));
    ++known;
  }
  for (const auto& [field, member] : gemv_switches()) {
    if (!reader.has(field)) continue;
    kernel.*member = static_cast<int>(reader.integer(field, 0, 1 << 20));
    ++known;
  }
  if (reader.members().size() != known || !is_sound(kernel, precision, form == "t"))
    reader.complain("", "is no kernel of gemv");
  return {kernel, reader.amount("rate", most_memory_rate)};
}

TunedGemvs tuned_gemvs(const ProfileReader& root) {
  TunedGemvs tuned;
  const ProfileReader types = root.object("gemv", {"s", "d", "c", "z"});
  for (const Precision p : all_precisions) {
    const std::string type(1, letter(p));
    if (!types.has(type)) continue;
    const ProfileReader forms = types.object(type, {"n", "t"});
    auto& of_type = tuned[precision_index(p)];
    if (forms.has("n")) of_type[0] = tuned_gemv(forms, "n", p);
    if (forms.has("t")) of_type[1] = tuned_gemv(forms, "t", p);
  }
  return tuned;
}

}  // namespace

Profile profile_from_json(const std::string& text) {
  const JsonValue json = parse(text);
  const ProfileReader root(json, "");
  if (root.text("format", max_text) != "duoblas-profile")
    root.complain("format", "must be \"duoblas-profile\"");
  // The version comes before every other check: another version may have other fields.
  const auto version = root.integer("version", 0, 1 << 20);
  if (version < Profile::oldest_version || version > Profile::current_version)
    root.complain("version", "is " + std::to_string(version) +
                                 ", but this library reads versions " +
                                 std::to_string(Profile::oldest_version) + " to " +
                                 std::to_string(Profile::current_version));
  root.allow({"format", "version", "created", "key", "origin", "note", "cpu", "cpu_all",
              "crossover_flops", "points", "steadiness", "updates", "memory", "gemv", "doubt",
              "ger", "axpy", "omatcopy"});  // the last three are of routines that are no more
  Profile profile;
  profile.created = root.text("created", max_text);
  profile.key = profile_key(root);
  profile.origin = profile_origin(root);
  profile.note = plain_line(root, "note", Profile::longest_note);
  if (root.has("doubt")) profile.doubt = plain_line(root, "doubt", Profile::longest_note);
  if (root.has("steadiness")) profile.steadiness = steadiness(root);
  if (root.has("memory")) profile.memory = memory_rates(root);
  if (root.has("gemv")) profile.gemv = tuned_gemvs(root);
  profile.cpu = cpu_configs(root, "cpu");
  profile.cpu_all = cpu_configs(root, "cpu_all");
  const ProfileReader crossover = root.object("crossover_flops", {"s", "d", "c", "z"});
  for (const Precision p : all_precisions)
    profile.crossover_flops[precision_index(p)] =
        crossover.amount(std::string(1, letter(p)), max_flops);
  if (root.has("updates")) {
    const ProfileReader updates = root.object("updates", {"s", "d", "c", "z"});
    for (const Precision p : all_precisions)
      profile.updates[precision_index(p)] = update_times(updates, p);
  }
  // Files that do not name it may have kernels of both from when they shared a profile.
  const bool may_mix = !profile_key_of(root).has("arithmetic");
  for (const ProfileReader& reader : root.objects("points", max_points)) {
    TunedPoint point = tuned_point(reader);
    if (may_mix && is_by_integers(point.gpu.kernel)) continue;
    require_arithmetic(reader, point, profile.key.arithmetic);
    profile.points.push_back(std::move(point));
  }
  return profile;
}

}  // namespace duoblas
