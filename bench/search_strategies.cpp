// How near to the best each search strategy comes when recorded measurements are played again.
//
//   bench_search_strategies JOURNAL...    of `duoblas tune --search exhaustive --journal JOURNAL`
//   bench_search_strategies --made-up
//
// For each recording, strategy and budget: the time of the answer over that of the best candidate,
// the median and the worst tenth over the seeds. What the columns of budgets say is a part of the
// seconds that the recording took. The kernels are in the order of the best guesses; --shuffled: in
// another order for each seed, which shows what a search does without them. A made-up recording
// demonstrates; it measures nothing.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <duoblas/error.hpp>
#include <nlohmann/json.hpp>

#include "simulation/replay.hpp"
#include "simulation/synthetic_machine.hpp"
#include "tuner/journal_recording.hpp"
#include "tuner/search/search.hpp"

namespace {

using namespace duoblas;

constexpr double kBudgets[] = {0.01, 0.02, 0.05, 0.10};

struct Named {
  std::string name;
  Recording recording;
};

struct Options {
  std::vector<Named> recordings;
  std::string search;  ///< empty: all
  unsigned seeds = 20;
  bool json = false;
  bool shuffled = false;  ///< the kernels in another order for each seed: no guess is the best
};

struct Row {
  std::string recording, search;
  double budget = 0;  ///< part of the recorded seconds
  double median = 0, tenth = 0, trials = 0;
};

// The nearest value. Some may be infinite, so there is no interpolation.
double at_part(std::vector<double> values, double part) {
  std::ranges::sort(values);
  const auto last = static_cast<double>(values.size() - 1);
  return values[static_cast<std::size_t>(std::lround(part * last))];
}

// The same measurements, with the kernels in another order.
Recording shuffled(const Recording& recording, unsigned seed) {
  std::vector<int> places(recording.space.kernels.size());
  std::iota(places.begin(), places.end(), 0);
  std::shuffle(places.begin(), places.end(), std::mt19937(seed));
  const auto moved = [&](Candidate c) {
    c.kernel = places[static_cast<std::size_t>(c.kernel)];
    return c;
  };
  Recording other;
  other.space = recording.space;
  other.build_seconds.resize(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto place = static_cast<std::size_t>(places[i]);
    other.space.kernels[place] = recording.space.kernels[i];
    other.build_seconds[place] = recording.build_seconds[i];
  }
  for (const auto& [trial, samples] : recording.trials)
    other.trials[trial.sides == Sides::cpu ? trial : Trial{moved(trial.candidate), trial.sides}] =
        samples;
  for (const auto& [candidate, samples] : recording.again) other.again[moved(candidate)] = samples;
  return other;
}

Row play(const Named& named, const std::string& search, double budget, const Options& options) {
  const unsigned seeds = options.seeds;
  Row row{named.name, search, budget};
  std::vector<double> ratios;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    const Recording recording =
        options.shuffled ? shuffled(named.recording, seed) : named.recording;
    const SearchTask task = task_for(recording, budget, seed);
    const auto strategy = make_search(search, task);
    Replay replay(recording, seed);
    const SearchResult result = run_search(*strategy, replay, task);
    row.trials += static_cast<double>(result.trials) / seeds;
    ratios.push_back(answer_over_best(recording, result));
  }
  row.median = at_part(ratios, 0.5);
  row.tenth = at_part(ratios, 0.9);
  return row;
}

std::vector<Named> made_up() {
  const std::vector<KernelParams> kernels = some_kernels(150);
  std::vector<Named> all;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    SyntheticMachine machine;
    machine.seed = seed;
    all.push_back({"made up " + std::to_string(seed), synthetic_recording(kernels, machine)});
    machine.contention = 0.3;
    all.push_back({"contention " + std::to_string(seed), synthetic_recording(kernels, machine)});
    machine.call_seconds = 0.004;
    machine.gpu_share = 0.3;
    all.push_back({"small calls " + std::to_string(seed), synthetic_recording(kernels, machine)});
  }
  return all;
}

Options parsed(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    if (name == "--made-up") {
      options.recordings = made_up();
    } else if (name == "--shuffled") {
      options.shuffled = true;
    } else if (name == "--json") {
      options.json = true;
    } else if (name == "--search" && !value.empty()) {
      options.search = argv[++i];
    } else if (name == "--seeds" && std::atoi(value.c_str()) > 0) {
      options.seeds = static_cast<unsigned>(std::atoi(argv[++i]));
    } else if (!name.starts_with("-")) {
      for (const std::string& tuning_case : recorded_cases(name))
        options.recordings.push_back({tuning_case, recording_from_journal(name, tuning_case)});
    } else {
      throw SettingError(
          "usage: bench_search_strategies JOURNAL...|--made-up [--shuffled] [--search NAME] "
          "[--seeds N] [--json]");
    }
  }
  if (options.recordings.empty())
    throw SettingError("nothing to play: give a journal of tuning, or --made-up");
  return options;
}

void print(const std::vector<Row>& rows) {
  std::printf("%-28s %-12s %8s %8s %8s %8s\n", "recording", "search", "budget", "median", "90 %",
              "trials");
  for (const Row& row : rows)
    std::printf("%-28s %-12s %7.0f%% %8.3f %8.3f %8.0f\n", row.recording.c_str(),
                row.search.c_str(), 100 * row.budget, row.median, row.tenth, row.trials);
}

void print_json(const std::vector<Row>& rows) {
  nlohmann::json all = nlohmann::json::array();
  for (const Row& row : rows)
    all.push_back({{"recording", row.recording},
                   {"search", row.search},
                   {"budget", row.budget},
                   {"median", row.median},
                   {"90%", row.tenth},
                   {"trials", row.trials}});
  std::printf("%s\n", all.dump(2).c_str());
}

void compare(const Options& options) {
  std::vector<Row> rows;
  for (const Named& named : options.recordings)
    for (const std::string& search : search_names())
      if (options.search.empty() || search == options.search)
        for (const double budget : kBudgets) rows.push_back(play(named, search, budget, options));
  if (options.json)
    print_json(rows);
  else
    print(rows);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    compare(parsed(argc, argv));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_search_strategies: %s\n", error.what());
    return 2;
  }
}
