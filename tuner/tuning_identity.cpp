#include "tuner/tuning_identity.hpp"

#include <functional>
#include <utility>

#include "gpu/kernels/kernel_source.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "problem/op_letter.hpp"
#include "tuner/journal.hpp"

namespace duoblas {

std::string request_text(Engine& engine, const TuneRequest& request) {
  std::string text = "search " + request.search + ", budget " +
                     std::to_string(request.budget_seconds) + ", seed " +
                     std::to_string(request.seed) + ", kernels " +
                     std::to_string(request.max_kernels) + ", crossover " +
                     (request.measure_crossover ? "yes" : "no");
  for (const Precision p : request.precisions) text += std::string(", ") + letter(p);
  for (const auto& [a, b] : request.ops) text += std::string(", ") + letter(a) + letter(b);
  for (const Shape& s : request.shapes)
    text += ", " + std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k);
  // The goal is left out if it is throughput, so that journals written before there were other
  // goals stay usable.
  if (request.goal != Goal::throughput)
    text += ", " + std::string(name(request.goal)) + " of " + request.joules_of;
  if (request.as_is) text += ", as it is";
  if (!request.fixed.empty()) text += ", set " + assignments_text(request.fixed);
  return text + ", CPU BLAS " + engine.cpu().library_path() + ", cores " +
         engine.settings().cpu_cores;
}

JournalHeader journal_header(Engine& engine, Arithmetic arithmetic) {
  JournalHeader header;
  header.key = engine.facts().profile_key(arithmetic);
  DeviceLimits device = engine.machine().device;
  device.doubles_by_integers &= arithmetic == Arithmetic::integers;
  std::string source;
  for (const Precision precision : {Precision::s, Precision::d})
    source += kernel_source(default_kernel(precision, device), engine.settings().kernel_dir);
  header.code = std::to_string(std::hash<std::string>()(source));
  return header;
}

std::vector<TuneRequest> by_arithmetic(const TuneRequest& request, const DeviceLimits& device) {
  std::vector<TuneRequest> parts;
  for (const Arithmetic arithmetic : arithmetics_of(device)) {
    TuneRequest part = request;
    std::erase_if(part.precisions, [&](Precision p) { return device.arithmetic(p) != arithmetic; });
    if (part.precisions.empty()) continue;
    part.budget_seconds *= static_cast<double>(part.precisions.size()) /
                           static_cast<double>(request.precisions.size());
    parts.push_back(std::move(part));
  }
  return parts;
}

Arithmetic arithmetic_of(Engine& engine, const TuneRequest& request) {
  return engine.machine().device.arithmetic(request.precisions.front());
}

}  // namespace duoblas
