#include "tuner/kernel_trial_lines.hpp"

#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>
#include <nlohmann/json.hpp>

#include "kernel_space/kernel_fields.hpp"
#include "problem/op_letter.hpp"

namespace duoblas {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<Verdict, std::string_view>, 5> verdict_names{{
    {Verdict::right, "right"},
    {Verdict::wrong, "wrong"},
    {Verdict::refused, "refused"},
    {Verdict::crashed, "crashed"},
    {Verdict::hung, "hung"},
}};

constexpr std::array<std::pair<TrialAnswer::Say, std::string_view>, 5> say_names{{
    {TrialAnswer::Say::ready, "ready"},
    {TrialAnswer::Say::begun, "begun"},
    {TrialAnswer::Say::verdict, "verdict"},
    {TrialAnswer::Say::problem, "problem"},
    {TrialAnswer::Say::builds_nothing, "builds_nothing"},
}};

constexpr std::array<std::string Settings::*, 5> texts{&Settings::device, &Settings::cache_dir,
                                                       &Settings::kernel_dir, &Settings::cpu_blas,
                                                       &Settings::cpu_cores};
constexpr std::array<const char*, 5> text_names{"device", "cache_dir", "kernel_dir", "cpu_blas",
                                                "cpu_cores"};

// Build logs need not be UTF-8.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <typename Read>
auto read(const std::string& line, Read&& fields) {
  try {
    return fields(Json::parse(line));
  } catch (const Json::exception& e) {
    throw Error(std::string("a line between processes cannot be read: ") + e.what());
  }
}

template <typename Value, std::size_t size>
std::string_view name_in(const std::array<std::pair<Value, std::string_view>, size>& names,
                         Value value) {
  for (const auto& [known, name] : names)
    if (known == value) return name;
  return "";
}

template <typename Value, std::size_t size>
std::optional<Value> value_in(const std::array<std::pair<Value, std::string_view>, size>& names,
                              std::string_view name) {
  for (const auto& [value, known] : names)
    if (known == name) return value;
  return std::nullopt;
}

template <typename Value>
Value demand(const std::optional<Value>& value, const char* what) {
  if (!value) throw Error(std::string("a line between processes names an unknown ") + what);
  return *value;
}

bool has_reason(TrialAnswer::Say say) {
  return say == TrialAnswer::Say::problem || say == TrialAnswer::Say::builds_nothing;
}

std::optional<Precision> precision_from(const std::string& text) {
  for (const Precision p : {Precision::s, Precision::d, Precision::c, Precision::z})
    if (text == std::string(1, letter(p))) return p;
  return std::nullopt;
}

std::optional<Strategy> strategy_from(const std::string& text) {
  for (const Strategy s : {Strategy::automatic, Strategy::cpu, Strategy::gpu, Strategy::hybrid})
    if (text == name(s)) return s;
  return std::nullopt;
}

}  // namespace

std::string_view name(Verdict verdict) {
  return name_in(verdict_names, verdict);
}

std::string line_of(const TrialGreeting& greeting) {
  const Settings& given = greeting.settings;
  // The strategy decides whether a CPU device may be used; profiles do not matter here.
  Json settings{{"strategy", name(given.strategy)},
                {"fp64", static_cast<int>(given.fp64)},
                {"cpu_threads", given.cpu_threads},
                {"standin", given.standin}};
  // Numbers, byte by byte: paths need not be UTF-8.
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string& text = given.*texts[i];
    settings[text_names[i]] = std::vector<unsigned char>(text.begin(), text.end());
  }
  return text_of({{"try_kernels", 1},
                  {"parent", greeting.parent},
                  {"builds_first", greeting.builds_first},
                  {"settings", settings}});
}

TrialGreeting greeting_from(const std::string& line) {
  return read(line, [](const Json& json) {
    TrialGreeting greeting;
    greeting.parent = json.at("parent");
    greeting.builds_first = json.at("builds_first");
    const Json& settings = json.at("settings");
    greeting.settings.strategy = demand(strategy_from(settings.at("strategy")), "strategy");
    greeting.settings.fp64 = static_cast<Fp64Mode>(settings.at("fp64").get<int>());
    greeting.settings.cpu_threads = settings.at("cpu_threads");
    greeting.settings.standin = settings.at("standin");
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto bytes = settings.at(text_names[i]).get<std::vector<unsigned char>>();
      (greeting.settings.*texts[i]).assign(bytes.begin(), bytes.end());
    }
    return greeting;
  });
}

std::string line_of(const KernelJob& job) {
  return text_of({{"kernel", to_fields(job.kernel)},
                  {"precision", std::string(1, letter(job.precision))},
                  {"ops", std::string{letter(job.op_a), letter(job.op_b)}},
                  {"shape", {job.shape.m, job.shape.n, job.shape.k}},
                  {"sharing", name(job.sharing)}});
}

KernelJob job_from(const std::string& line) {
  return read(line, [](const Json& json) {
    KernelJob job;
    job.kernel = from_fields(json.at("kernel").get<std::map<std::string, int>>());
    job.precision = demand(precision_from(json.at("precision")), "precision");
    const auto ops = json.at("ops").get<std::string>();
    job.op_a = demand(op_from(ops.at(0)), "op");
    job.op_b = demand(op_from(ops.at(1)), "op");
    const Json& shape = json.at("shape");
    job.shape = {shape.at(0), shape.at(1), shape.at(2)};
    job.sharing = demand(sharing_mode_from(json.at("sharing").get<std::string>()), "sharing mode");
    return job;
  });
}

std::string line_of(const TrialAnswer& answer) {
  Json json{{"say", name_in(say_names, answer.say)}};
  if (has_reason(answer.say)) json["why"] = answer.why;
  if (answer.say == TrialAnswer::Say::verdict) {
    json["verdict"] = name(answer.verdict.verdict);
    json["why"] = answer.verdict.why;
    json["alone_seconds"] = answer.verdict.alone_seconds;
    json["last"] = answer.last;
  }
  return text_of(json);
}

TrialAnswer answer_from(const std::string& line) {
  return read(line, [](const Json& json) {
    TrialAnswer answer;
    answer.say = demand(value_in(say_names, json.at("say").get<std::string>()), "answer");
    if (has_reason(answer.say)) answer.why = json.at("why");
    if (answer.say == TrialAnswer::Say::verdict) {
      answer.verdict.verdict =
          demand(value_in(verdict_names, json.at("verdict").get<std::string>()), "verdict");
      answer.verdict.why = json.at("why");
      answer.verdict.alone_seconds = json.at("alone_seconds");
      answer.last = json.at("last");
    }
    return answer;
  });
}

}  // namespace duoblas
