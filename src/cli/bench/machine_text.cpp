#include "cli/bench/machine_text.hpp"

#include <nlohmann/json.hpp>
#include <ostream>

#include "plot/printable_text.hpp"

namespace duoblas::cli {
namespace {

using nlohmann::json;

const json& member(const json& object, const char* name) {
  static const json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(name);
  return found == object.end() ? nothing : *found;
}

// Names come from drivers, and files from anywhere.
std::string text(const json& object, const char* name) {
  const json& value = member(object, name);
  return value.is_string() ? printable(value.get_ref<const std::string&>()) : "";
}

bool flag(const json& object, const char* name) {
  const json& value = member(object, name);
  return value.is_boolean() && value.get<bool>();
}

int threads(const json& context, const char* configs) {
  const json& value = member(member(member(context, configs), "d"), "threads");
  return value.is_number_integer() ? value.get<int>() : 0;
}

std::string threads_text(int count) {
  return std::to_string(count) + (count == 1 ? " thread" : " threads");
}

std::string tuned_text(const BenchMachine& m) {
  if (m.tuned) return "tuned on this machine";
  if (!m.profile.empty()) return "not tuned; kernels and splits are those of " + m.profile;
  return "not tuned; built-in kernels, and a split by measured rates";
}

void compare(const std::string& what, const std::string& then, const std::string& now,
             std::vector<std::string>& differences) {
  if (then == now) return;
  const auto or_none = [](const std::string& value) { return value.empty() ? "none" : value; };
  differences.push_back(what + " is " + or_none(now) + ", it was " + or_none(then));
}

}  // namespace

BenchMachine machine_of(const json& context) {
  BenchMachine m;
  m.version = text(context, "version");
  m.date = text(context, "date");
  m.standin = flag(context, "standin");
  const json& device = member(context, "device");
  m.device = text(device, "name");
  m.platform = text(device, "platform");
  m.driver = text(device, "driver");
  m.sharing = text(device, "sharing");
  m.device_problem = text(context, "device_problem");
  m.cpu_model = text(context, "cpu_model");
  m.cpu_blas = text(context, "cpu_blas");
  m.cpu_threads = threads(context, "cpu");
  m.cpu_all_threads = threads(context, "cpu_all");
  m.tuned = flag(context, "tuned");
  m.profile = text(context, "profile");
  m.profile_problem = text(context, "profile_problem");
  m.doubles = text(context, "doubles");
  return m;
}

void print_machine(const BenchMachine& m, std::ostream& out) {
  if (m.device.empty()) {
    out << "GPU: none, so only the CPU is measured: " << m.device_problem << '\n';
  } else {
    out << (m.standin ? "GPU (a stand-in on half of the cores): " : "GPU: ") << m.device << '\n';
  }
  out << "CPU: " << m.cpu_blas << ", " << threads_text(m.cpu_threads) << '\n';
  if (!m.doubles.empty()) out << "Doubles on the GPU: " << m.doubles << '\n';
  if (!m.profile_problem.empty()) out << m.profile_problem << '\n';
  if (m.device.empty() || m.tuned) return;
  out << "Not tuned: there is no usable profile for this machine. ";
  if (!m.profile.empty()) {
    out << "Kernels and splits are those of\n"
        << m.profile << ";\n\"duoblas tune\" finds better ones.\n";
  } else {
    out << "Built-in kernels and a split by\n"
           "measured rates are used; \"duoblas tune\" finds better ones.\n";
  }
}

std::vector<std::pair<std::string, std::string>> machine_rows(const BenchMachine& m) {
  std::vector<std::pair<std::string, std::string>> rows;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) rows.emplace_back(name, value);
  };
  if (m.device.empty()) {
    add("GPU", "none, only the CPU was measured: " + m.device_problem);
  } else {
    add("GPU", m.device + (m.standin ? " (a stand-in: PoCL on half of the cores)" : ""));
    add("OpenCL", m.platform + (m.driver.empty() ? "" : ", driver " + m.driver));
    add("Memory sharing", m.sharing);
    add("Doubles", m.doubles);
  }
  add("CPU", m.cpu_model);
  add("CPU BLAS", m.cpu_blas);
  if (m.cpu_threads > 0)
    add("Threads", threads_text(m.cpu_threads) + " beside the GPU, " +
                       threads_text(m.cpu_all_threads) + " for the CPU alone");
  if (!m.device.empty()) add("Profile", tuned_text(m));
  add("", m.profile_problem);
  add("Measured", m.date + (m.version.empty() ? "" : " by DuoBLAS " + m.version));
  return rows;
}

std::vector<std::string> machine_differences(const BenchMachine& then, const BenchMachine& now) {
  std::vector<std::string> differences;
  compare("the GPU", then.device, now.device, differences);
  compare("the CPU", then.cpu_model, now.cpu_model, differences);
  if (then.standin != now.standin)
    differences.push_back(now.standin ? "the GPU is a stand-in, it was a real one"
                                      : "the GPU is a real one, it was a stand-in");
  return differences;
}

std::vector<std::string> software_differences(const BenchMachine& then, const BenchMachine& now) {
  std::vector<std::string> differences;
  compare("the driver", then.driver, now.driver, differences);
  compare("the CPU BLAS", then.cpu_blas, now.cpu_blas, differences);
  compare("the CPU side", threads_text(then.cpu_threads), threads_text(now.cpu_threads),
          differences);
  compare("DuoBLAS", then.version, now.version, differences);
  if (then.doubles.empty() != now.doubles.empty())
    differences.push_back(now.doubles.empty() ? "the GPU's doubles are not by integers, they were"
                                              : "the GPU's doubles are by integers, they were not");
  if (then.tuned != now.tuned)
    differences.push_back(now.tuned ? "the machine is tuned, it was not"
                                    : "the machine is not tuned, it was");
  return differences;
}

}  // namespace duoblas::cli
