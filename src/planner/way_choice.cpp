#include "planner/way_choice.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace duoblas {
namespace {

// To leave a call to the CPU costs nothing and disturbs nobody. Of short calls more is wanted:
// sixteen cores of an H200's host took 1.07 to 1.24 times the BLAS's time for calls of 0.1 to 2.5
// ms that 3 % in their trials had won.
constexpr double worthwhile = 0.97, worthwhile_if_short = 0.9;
constexpr double short_call_seconds = 4e-3;

// For less than this nobody looks.
constexpr double worth_looking = 0.97;

const Way& way_of(const WaysOfCall& ways, Strategy strategy) {
  if (strategy == Strategy::gpu) return ways.gpu;
  return strategy == Strategy::hybrid ? ways.both : ways.cpu;
}

double at_best(const Way& way) {
  return way.seconds * std::exp(-way.spread);
}

}  // namespace

WayChoice chosen_way(const WaysOfCall& ways, double needed_gain, double sharing_gain,
                     double allowance) {
  const bool shares = ways.both.seconds <= (1 - sharing_gain) * ways.gpu.seconds;
  const Strategy with_gpu = shares ? Strategy::hybrid : Strategy::gpu;
  const Way& device = way_of(ways, with_gpu);
  if (ways.cpu.is_known() && device.is_known())
    needed_gain = ways.cpu.seconds < short_call_seconds ? worthwhile_if_short : worthwhile;
  WayChoice choice;
  if (device.seconds < needed_gain * ways.cpu.seconds) choice.way = with_gpu;
  choice.best_seconds = way_of(ways, choice.way).seconds;

  double looks_best = worth_looking * choice.best_seconds;
  const Strategy best = choice.best = choice.way;
  for (const Strategy other : {Strategy::cpu, Strategy::gpu, Strategy::hybrid}) {
    const Way& way = way_of(ways, other);
    if (other == best || way.is_known() || !(at_best(way) < looks_best)) continue;
    const bool is_safe = way.worst <= choice.best_seconds + allowance;
    if (!is_safe && !(best == Strategy::cpu && other == Strategy::hybrid)) continue;
    looks_best = at_best(way);
    choice.way = other;
    choice.explores = true;
    choice.begins_small = !is_safe;
  }
  const Way& way = way_of(ways, choice.way);
  choice.is_settled = !choice.explores && way.is_known();
  if (choice.explores || choice.way == Strategy::cpu) return choice;
  choice.begins_small = !way.is_known() && way.worst > ways.cpu.seconds + allowance;
  return choice;
}

}  // namespace duoblas
