#include "soak/soak_options.hpp"

#include <cstdlib>

#include <duoblas/error.hpp>

namespace duoblas::soak {
namespace {

double number(const std::string& option, const std::string& value, double least, double most) {
  char* end = nullptr;
  const double x = std::strtod(value.c_str(), &end);
  if (value.empty() || *end != '\0' || !(x >= least && x <= most))
    throw Error(option + " cannot be \"" + value + "\"");
  return x;
}

std::uint64_t count(const std::string& option, const std::string& value) {
  char* end = nullptr;
  const auto x = std::strtoull(value.c_str(), &end, 10);
  if (value.empty() || value[0] < '0' || value[0] > '9' || *end != '\0')
    throw Error(option + " cannot be \"" + value + "\"");
  return x;
}

void take(SoakOptions& o, const std::string& option, const std::string& value) {
  if (option == "--calls") {
    o.calls = count(option, value);
  } else if (option == "--seconds") {
    o.seconds = number(option, value, 0, 1e9);
  } else if (option == "--least-calls") {
    o.least_calls = count(option, value);
  } else if (option == "--seed") {
    o.seed = count(option, value);
  } else if (option == "--call") {
    o.only = count(option, value);
  } else if (option == "--first") {
    o.first = count(option, value);
  } else if (option == "--threads") {
    o.threads = static_cast<int>(number(option, value, 1, 64));
  } else if (option == "--require-gpu-share") {
    o.least_device_share = number(option, value, 0, 1);
  } else if (option == "--deadline") {
    o.deadline = static_cast<int>(number(option, value, 1, 1e6));
  } else if (option == "--largest") {
    o.limits.largest = static_cast<std::int64_t>(number(option, value, 1, 10000));
  } else if (option == "--types") {
    if (value.empty() || value.find_first_not_of("sdcz") != std::string::npos)
      throw Error("--types wants letters of sdcz");
    o.limits.types = value;
  } else {
    throw Error("there is no option " + option);
  }
}

}  // namespace

std::string usage() {
  return "usage: duoblas_soak [options]\n"
         "Random calls of level 3 and LAPACK, each compared with a reference. Exit codes:\n"
         "0 all right, 1 some wrong, or too little was done, 2 usage, 3 a call did not end.\n"
         "  --calls N               this many (20000)\n"
         "  --seconds T             no more after this time\n"
         "  --least-calls N         but so many, however long they take (1)\n"
         "  --seed S                which calls (1)\n"
         "  --first I               begin with this one\n"
         "  --call I                this one only, and say what it is\n"
         "  --types sdcz            element types\n"
         "  --largest N             extent\n"
         "  --threads N             so many calls at once in one context\n"
         "  --forks                 some calls are made in a forked child, beside the others:\n"
         "                          call 0, and one in a hundred. Fail where none was\n"
         "  --require-gpu-share F   fail where the device did less than this part of the flops of\n"
         "                          any type that it can compute, or where a type had none\n"
         "  --deadline T            seconds for one call (300)\n"
         "The environment chooses the device: DUOBLAS_DEVICE, DUOBLAS_STANDIN.\n";
}

SoakOptions parse(int count, char** arguments) {
  SoakOptions options;
  for (int i = 1; i < count; ++i) {
    const std::string option = arguments[i];
    if (option == "--forks") {
      options.forks = true;
      continue;
    }
    if (i + 1 == count) throw Error(option + " wants a value, or is unknown");
    take(options, option, arguments[++i]);
  }
  return options;
}

std::string command_for(const SoakOptions& o, std::uint64_t call) {
  const SoakOptions usual;
  std::string line =
      "duoblas_soak --seed " + std::to_string(o.seed) + " --call " + std::to_string(call);
  if (o.threads != usual.threads) line += " --threads " + std::to_string(o.threads);
  if (o.limits.types != usual.limits.types) line += " --types " + o.limits.types;
  if (o.limits.largest != usual.limits.largest)
    line += " --largest " + std::to_string(o.limits.largest);
  if (o.forks) line += " --forks";
  return line;
}

}  // namespace duoblas::soak
