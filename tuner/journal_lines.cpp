#include "tuner/journal_lines.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include <duoblas/error.hpp>

#include "kernel_space/kernel_fields.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "profile/json_value.hpp"
#include "profile/profile_reader.hpp"

namespace duoblas::journal {
namespace {

using Json = nlohmann::ordered_json;

constexpr int version = 1;
constexpr std::size_t max_text = 4096, longest_why = 1000;
constexpr int max_number = 1 << 20;
constexpr std::size_t max_values = 1 << 20;
constexpr double max_seconds = 1e7;
constexpr double nanoseconds = 1e9;
constexpr double microjoules = 1e6;
constexpr double per_mille = 1e3;  // of a processor

constexpr const char* side_names[] = {"gpu", "cpu", "both", "device", "update"};
constexpr const char* verdict_names[] = {"right", "wrong", "refused", "crashed", "hung"};

Json to_value(const TrialLine& t) {
  return Json::array({t.kernel, name(t.sharing), t.cpu, t.gpu_parts, t.parts,
                      side_names[static_cast<int>(t.sides)]});
}

Json to_value(const TrialOutcome& outcome) {
  Json samples = Json::array();
  for (const CallSample& s : outcome.samples) {
    Json sample = Json::array();
    for (const double seconds : {s.whole, s.gpu, s.cpu})
      sample.push_back(std::llround(seconds * nanoseconds));
    if (s.joules > 0) sample.push_back(std::llround(s.joules * microjoules));
    samples.push_back(std::move(sample));
  }
  Json value{{"samples", std::move(samples)}, {"cost", std::llround(outcome.cost * nanoseconds)}};
  if (outcome.failed) value["failed"] = true;
  if (outcome.beside > 0) value["beside"] = std::llround(outcome.beside * per_mille);
  return value;
}

struct ToJson {
  Json operator()(const JournalHeader& h) const {
    return {{"journal", "duoblas-tuning"},
            {"version", version},
            {"device", h.key.device},
            {"driver", h.key.driver},
            {"cpu", h.key.cpu},
            {"standin", h.key.standin},
            {"arithmetic", name(h.key.arithmetic)},
            {"code", h.code}};
  }
  Json operator()(const Request& r) const { return {{"request", r.text}}; }
  Json operator()(const Kernel& k) const {
    Json fields = Json::object();
    for (const auto& [field, value] : to_fields(k.params)) fields[field] = value;
    return {{"kernel", std::move(fields)}};
  }
  Json operator()(const Cpu& c) const {
    return {{"cpu_config",
             {{"core_type", c.config.core_type},
              {"threads", c.config.threads},
              {"cores", c.config.cores},
              {"tiles", c.config.tiles}}}};
  }
  Json operator()(const Trying& t) const {
    return {{"trying", t.kernel}, {"subject", t.tuning_case}};
  }
  Json operator()(const Tried& t) const {
    return {{"tried", t.kernel},
            {"subject", t.tuning_case},
            {"verdict", verdict_names[static_cast<int>(t.verdict.verdict)]},
            {"why", t.verdict.why.substr(0, max_text / 2)},
            {"seconds", t.verdict.seconds},
            {"alone", t.verdict.alone_seconds}};
  }
  Json operator()(const Case& s) const {
    return {{"begin", s.text}, {"budget", s.budget_seconds}, {"kernels", s.kernels}};
  }
  Json operator()(const Measuring& m) const { return {{"measuring", m.kernels}}; }
  Json operator()(const Measured& m) const {
    Json trials = Json::array();
    for (const TrialLine& t : m.trials) trials.push_back(to_value(t));
    Json outcomes = Json::array();
    for (const TrialOutcome& o : m.outcomes) outcomes.push_back(to_value(o));
    return {
        {"measured", std::move(trials)}, {"rounds", m.rounds}, {"outcomes", std::move(outcomes)}};
  }
  Json operator()(const Diverged& d) const { return {{"diverged", d.kept}}; }
  Json operator()(const Timing& t) const { return {{"timing", t.kernel}}; }
  Json operator()(const Timed& t) const {
    Json line = {
        {"timed", t.kernel}, {"seconds", t.seconds}, {"why", t.why.substr(0, longest_why)}};
    if (t.ended_a_process) line["ended_a_process"] = true;
    return line;
  }
  Json operator()(const Interrupted&) const { return {{"interrupted", true}}; }
  Json operator()(const Done&) const { return {{"done", true}}; }
};

template <std::size_t N>
int index_in(const char* const (&names)[N], const std::string& text) {
  for (std::size_t i = 0; i < N; ++i)
    if (text == names[i]) return static_cast<int>(i);
  throw SettingError("\"" + text.substr(0, 40) + "\" is unknown");
}

using Row = std::vector<JsonValue>;

// The members of arrays have no names, so ProfileReader does not fit them.
const Row& row(const JsonValue& value, std::size_t least, std::size_t most, const char* complaint) {
  const auto* array = std::get_if<JsonValue::Array>(&value.data);
  if (array == nullptr || array->elements.size() < least || array->elements.size() > most)
    throw SettingError(complaint);
  return array->elements;
}

std::int64_t whole(const JsonValue& value, std::int64_t high) {
  const auto* number = std::get_if<std::int64_t>(&value.data);
  if (number == nullptr) throw SettingError("a whole number is missing");
  if (*number < 0 || *number > high) throw SettingError("a number is out of range");
  return *number;
}

const std::string& word(const JsonValue& value, const char* complaint) {
  const auto* text = std::get_if<std::string>(&value.data);
  if (text == nullptr) throw SettingError(complaint);
  return *text;
}

TrialLine trial(const JsonValue& value) {
  constexpr const char* incomplete = "a trial is incomplete";
  const Row& members = row(value, 6, 6, incomplete);
  const auto number = [&](std::size_t i) {
    return static_cast<int>(whole(members[i], max_number));
  };
  const auto sharing = sharing_mode_from(word(members[1], incomplete));
  if (!sharing) throw SettingError("a sharing mode is unknown");
  const int sides = index_in(side_names, word(members[5], incomplete));
  if (number(4) < 1 || number(3) > number(4)) throw SettingError("a share is more than all");
  return {number(0), *sharing, number(2), number(3), number(4), static_cast<Sides>(sides)};
}

TrialOutcome outcome(const ProfileReader& reader) {
  reader.allow({"samples", "cost", "failed", "beside"});
  constexpr auto most = static_cast<std::int64_t>(max_seconds * nanoseconds);
  TrialOutcome result;
  result.cost = static_cast<double>(reader.integer("cost", 0, most)) / nanoseconds;
  result.failed = reader.has("failed") && reader.truth("failed");
  if (reader.has("beside"))
    result.beside = static_cast<double>(reader.integer("beside", 0, max_number)) / per_mille;
  for (const JsonValue& s : reader.elements("samples", max_values)) {
    const Row& members = row(s, 3, 4, "a sample is incomplete");
    const auto seconds = [&](std::size_t i) {
      return static_cast<double>(whole(members[i], most)) / nanoseconds;
    };
    CallSample sample{seconds(0), seconds(1), seconds(2), 0};
    if (members.size() == 4)
      sample.joules = static_cast<double>(whole(members[3], most)) / microjoules;
    result.samples.push_back(sample);
  }
  return result;
}

KernelParams kernel(const ProfileReader& reader) {
  std::map<std::string, int> fields;
  for (const std::string& member : reader.members())
    fields[member] = static_cast<int>(reader.integer(member, 0, max_number));
  const KernelParams params = from_fields(fields);
  if (const KernelRule* rule = violated_static_rule(params))
    reader.complain("", "breaks the rule " + std::string(rule->name));
  return params;
}

Line header(const ProfileReader& reader) {
  if (reader.text("journal", max_text) != "duoblas-tuning")
    reader.complain("journal", "must be \"duoblas-tuning\"");
  const auto found = reader.integer("version", 0, max_number);
  if (found != version)
    reader.complain("version", "is " + std::to_string(found) + ", but this library reads version " +
                                   std::to_string(version));
  return JournalHeader{
      {reader.text("device", max_text), reader.text("driver", max_text),
       reader.text("cpu", max_text), reader.truth("standin"), arithmetic_of(reader)},
      reader.text("code", max_text)};
}

Line tried(const ProfileReader& reader) {
  Tried line;
  line.kernel = static_cast<int>(reader.integer("tried", 0, max_number));
  line.tuning_case = reader.text("subject", max_text);
  const int verdict = index_in(verdict_names, reader.text("verdict", max_text));
  line.verdict = {static_cast<Verdict>(verdict), reader.text("why", max_text),
                  reader.amount("seconds", max_seconds), reader.amount("alone", max_seconds)};
  return line;
}

Line measured(const ProfileReader& reader) {
  Measured line;
  line.rounds = static_cast<int>(reader.integer("rounds", 0, max_number));
  for (const JsonValue& t : reader.elements("measured", max_values))
    line.trials.push_back(trial(t));
  for (const ProfileReader& one : reader.objects("outcomes", line.trials.size()))
    line.outcomes.push_back(outcome(one));
  if (line.trials.empty()) throw SettingError("a measurement of nothing");
  if (line.outcomes.size() != line.trials.size()) throw SettingError("an outcome is missing");
  return line;
}

Line cpu(const ProfileReader& root) {
  const ProfileReader reader =
      root.object("cpu_config", {"core_type", "threads", "cores", "tiles"});
  CpuConfig config;
  config.core_type = reader.text("core_type", 64);
  config.threads = static_cast<int>(reader.integer("threads", 0, max_number));
  config.cores = reader.integers("cores", 0, max_number, max_text);
  config.tiles = reader.truth("tiles");
  return Cpu{config};
}

Line parse(const JsonValue& value) {
  const ProfileReader reader(value, "");
  if (!std::holds_alternative<JsonValue::Object>(value.data))
    throw SettingError("a line is no object");
  const auto number = [&](const char* field) {
    return static_cast<int>(reader.integer(field, 0, max_number));
  };
  if (reader.has("measured")) return measured(reader);
  if (reader.has("measuring"))
    return Measuring{reader.integers("measuring", 0, max_number, max_text)};
  if (reader.has("tried")) return tried(reader);
  if (reader.has("trying")) return Trying{number("trying"), reader.text("subject", max_text)};
  if (reader.has("kernel")) return Kernel{kernel(reader.object("kernel", {}))};
  if (reader.has("cpu_config")) return cpu(reader);
  if (reader.has("begin"))
    return Case{reader.text("begin", max_text), reader.amount("budget", max_seconds),
                reader.has("kernels") ? number("kernels") : 0};
  if (reader.has("request")) return Request{reader.text("request", 4 * max_text)};
  if (reader.has("diverged")) return Diverged{number("diverged")};
  if (reader.has("timing")) return Timing{reader.text("timing", max_text)};
  if (reader.has("timed"))
    return Timed{reader.text("timed", max_text), reader.amount("seconds", max_seconds),
                 reader.text("why", max_text),
                 reader.has("ended_a_process") && reader.truth("ended_a_process")};
  if (reader.has("interrupted")) return Interrupted{};
  if (reader.has("done")) return Done{};
  if (reader.has("journal")) return header(reader);
  throw SettingError("a line says nothing that is known");
}

}  // namespace

std::string to_text(const Line& line) {
  // Names of devices and logs of compilers may hold bytes that are no UTF-8.
  return std::visit(ToJson{}, line).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Line from_text(const std::string& text) {
  return parse(parse_json(text, {.depth = 6, .values = max_values}));
}

TrialOutcome rounded(TrialOutcome outcome) {
  const auto to = [](double& value, double unit) {
    value = static_cast<double>(std::llround(value * unit)) / unit;
  };
  for (CallSample& s : outcome.samples) {
    to(s.whole, nanoseconds);
    to(s.gpu, nanoseconds);
    to(s.cpu, nanoseconds);
    to(s.joules, microjoules);
  }
  to(outcome.cost, nanoseconds);
  to(outcome.beside, per_mille);
  return outcome;
}

}  // namespace duoblas::journal
