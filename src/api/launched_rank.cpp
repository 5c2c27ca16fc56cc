#include "api/launched_rank.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "os/process.hpp"
#include "problem/launchers.h"

namespace duoblas {
namespace {

using Variable = std::string (*)(const char*);

// What is different in each job of this user on this host, and what several may have.
constexpr const char* job_names[] = {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "SLURM_STEP_ID",
                                     "TORCHELASTIC_RUN_ID"};
constexpr const char* wider_names[] = {"SLURM_JOB_ID", "MASTER_PORT"};

std::optional<int> number_in(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

// Of a list such as "4(x2),3", the element of this host, whose place Slurm tells. Others' lists
// have one element.
std::optional<int> of_this_host(std::string_view list, int place) {
  std::optional<int> found;
  while (!list.empty()) {
    std::string_view element = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), element.size() + 1));
    int hosts = 1;
    if (const auto times = element.find("(x"); times != element.npos && element.ends_with(')')) {
      hosts = number_in(element.substr(times + 2, element.size() - times - 3)).value_or(1);
      element = element.substr(0, times);
    }
    found = number_in(element);
    if (place < hosts) break;
    place -= hosts;
  }
  return found;
}

// A launcher that gives its job no name starts all ranks of a host itself.
std::string job_of(Variable variable) {
  std::string job, wider;
  for (const char* name : job_names)
    if (const std::string value = variable(name); !value.empty()) job += value + ' ';
  for (const char* name : wider_names)
    if (const std::string value = variable(name); !value.empty()) wider += value + ' ';
  return wider + (job.empty() ? "parent " + std::to_string(parent_process_id()) : job);
}

}  // namespace

Rank launched_rank(Variable variable) {
  Rank rank;
  bool is_told = false, has_number = false;
  for (const duoblas_launcher& launcher : duoblas_launchers) {
    if (launcher.only_with != nullptr && variable(launcher.only_with).empty()) continue;
    const auto told = number_in(variable(launcher.in_job));
    is_told |= told.has_value();
    const int in_job = told.value_or(1);
    const auto number = number_in(variable(launcher.number));
    if (in_job <= 1 || (!number && rank.is_of_many())) continue;
    const int place = number_in(variable("SLURM_NODEID")).value_or(0);
    rank.in_job = in_job;
    rank.number = number.value_or(0);
    rank.on_host = std::max(1, of_this_host(variable(launcher.on_host), place).value_or(1));
    has_number = number.has_value();
    if (has_number) break;
  }
  // PMIx tells the number in the job, which is as good for taking turns.
  const auto number = number_in(variable(DUOBLAS_RANK_WITHOUT_SIZE));
  if (number && (rank.is_of_many() ? !has_number : !is_told)) {
    rank.number = *number;
    rank.in_job = std::max({2, *number + 1, rank.in_job});
  }
  if (rank.is_of_many()) rank.job = job_of(variable);
  return rank;
}

}  // namespace duoblas
