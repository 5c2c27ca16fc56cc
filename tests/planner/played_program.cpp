#include "planner/played_program.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace duoblas::test {
namespace {

double between(std::mt19937_64& random, double least, double most) {
  return std::exp(std::uniform_real_distribution(std::log(least), std::log(most))(random));
}

// Whether a call has what it needs on an open device, and what that takes it now.
struct Needs {
  struct Build {
    std::uint32_t of_class;
    double done_at, paid;
  };
  PlayedMachine& machine;
  Account& account;
  const Gains& gains;
  const std::vector<ClassGain>& by_class;
  bool at_once;
  std::vector<Build> building = {};  // one after the other

  std::optional<double> pays(Outlay what, const PlayedCall& call, OutlayPrice price, double& now,
                             bool is_ahead = false) {
    const auto missed =
        is_ahead ? std::nullopt : std::optional(call.seconds * call.gain * call.planned);
    const auto paid =
        at_once ? std::optional(0.0)
                : account.pays(what, call.of_class, missed, price, gains, [&] { return by_class; });
    if (paid) now += price.seconds;
    return paid;
  }
  void build(const PlayedCall& call, double& now, bool is_ahead = false) {
    const double begins = building.empty() ? now : std::max(now, building.back().done_at);
    const OutlayPrice price = {machine.build, begins - now + machine.compiling};
    if (const auto paid = pays(Outlay::builds, call, price, now, is_ahead))
      building.push_back({call.of_class, begins + machine.build + machine.compiling, *paid});
  }
  void end_builds(double now) {
    while (!building.empty() && building.front().done_at <= now) {
      machine.built.insert(building.front().of_class);
      if (!at_once) account.correct(Outlay::builds, machine.build - building.front().paid);
      building.erase(building.begin());
    }
  }
  // A call does not wait for a compiler: one that begins when it has ended has the kernel. Nothing
  // is bought while one is at work.
  bool has(const PlayedCall& call, double& now) {
    end_builds(now);
    if (machine.build > 0 && !machine.built.contains(call.of_class)) {
      if (building.empty())
        build(call, now);
      else
        account.miss(call.of_class, call.seconds * call.gain * call.planned);
      return false;
    }
    if (machine.check <= 0 || machine.checked.contains(call.of_class)) return true;
    const bool is_bought = pays(Outlay::checks, call, {machine.check}, now).has_value();
    if (is_bought) machine.checked.insert(call.of_class);
    return is_bought;
  }
  // What calls that are likely to come lack.
  void expect(const std::vector<PlayedCall>& calls, double& now) {
    if (machine.build <= 0) return;
    for (const PlayedCall& call : calls)
      if (call.gain > 0 && !machine.built.contains(call.of_class)) build(call, now, true);
  }
};

void note(std::vector<PlayedCall>& calls, const PlayedCall& call) {
  if (std::ranges::count(calls, call.of_class, &PlayedCall::of_class) == 0) calls.push_back(call);
}

void add(std::vector<ClassGain>& classes, const ClassGain& call) {
  auto one = std::ranges::find(classes, call.number, &ClassGain::number);
  if (one == classes.end()) one = classes.insert(one, {call.number});
  one->seconds += call.seconds;
  one->gain += call.gain;
}

}  // namespace

Played play(const Program& program, PlayedMachine& machine, Starts when, Account account,
            bool allowed) {
  double now = 0, ready = -1;
  bool is_open = false;
  Played played;
  Needs needs{machine, account, played.gains, played.by_class, when == Starts::at_once};
  std::vector<PlayedCall> noted;
  for (const PlayedCall& call : program) {
    now += call.pause;
    const bool is_hope = account.is_hope(call.of_class);
    const bool starts =
        when == Starts::at_once || (when == Starts::by_account && (allowed || !is_hope) &&
                                    account.start_pays(now, call.of_class));
    if (starts && !played.started) {
      played.started = true;
      played.hoped = is_hope;
      account.start(now, call.of_class, when == Starts::at_once);
      ready = now + machine.until_ready;
    }
    if (!played.started || now < ready) {
      note(noted, call);
      account.promise(account.cover(now, now + call.seconds, call.of_class), call.gain);
      now += call.seconds;
      continue;
    }
    if (!std::exchange(is_open, true)) {
      for (const PlayedCall& known : machine.calls) note(noted, known);
      if (when == Starts::by_account) needs.expect(noted, now);
    }
    note(noted, call);
    if (call.gain > 0 && needs.has(call, now)) {
      const double won = call.seconds * call.gain * call.kept, took = call.seconds - won;
      played.gains = played.gains + Gains{took, took, won};
      add(played.by_class, {call.of_class, call.seconds, won});
      now += took;
    } else {
      played.gains.worked += call.seconds;
      add(played.by_class, {call.of_class, call.seconds, 0});
      now += call.seconds;
    }
  }
  if (!needs.building.empty()) now = std::max(now, needs.building.back().done_at);
  needs.end_builds(now);
  played.seconds = now + (played.started ? machine.lost() : 0);
  played.spent = account.spent();
  played.work = account.work(played.gains, played.by_class);
  machine.calls.clear();
  for (const PlayedCall& call : noted)
    if (played.work.find(call.of_class) != nullptr) machine.calls.push_back(call);
  return played;
}

Program calls_of(double all, double each, double gain, double pause, std::uint32_t of_class) {
  Program program;
  for (double seconds = 0; seconds + each / 2 < all; seconds += each)
    program.push_back({pause, each, gain, of_class});
  return program;
}

Program any_program(std::mt19937_64& random) {
  const auto gain = [&] { return std::max(0.0, 1 - 1 / between(random, 0.3, 30)); };
  const double all = between(random, 0.1, 20);
  const double each[] = {std::min(all, between(random, 1e-3, 1)),
                         std::min(all, between(random, 1e-3, 1))};
  const double gains[] = {gain(), gain()};
  const double pause = random() % 2 == 0 ? 0 : between(random, 1e-4, 0.1);
  const bool is_mixed = random() % 2 == 0;
  Program program;
  for (double seconds = 0; seconds < all;) {
    const std::size_t kind = is_mixed ? random() % 2 : 0;
    program.push_back({pause, each[kind], gains[kind], static_cast<std::uint32_t>(kind)});
    seconds += each[kind];
  }
  return program;
}

Program any_phases(std::mt19937_64& random) {
  Program program;
  std::uint32_t of_class = 0;
  for (auto phases = 1 + random() % 3; phases > 0; --phases) {
    const double all = between(random, 0.1, 5);
    const double pause = random() % 2 == 0 ? 0 : between(random, 1e-4, 0.05);
    std::vector<PlayedCall> turns;
    for (auto kinds = 1 + random() % 2; kinds > 0; --kinds) {
      const double each = std::min(all, between(random, 1e-3, 0.3));
      turns.push_back({pause, each, std::max(0.0, 1 - 1 / between(random, 0.3, 30)), of_class++});
    }
    for (double seconds = 0; seconds < all;)
      for (const PlayedCall& call : turns) {
        program.push_back(call);
        seconds += call.seconds;
      }
  }
  return program;
}

PlayedMachine any_machine(std::mt19937_64& random, bool builds) {
  PlayedMachine machine{between(random, 5e-3, 1)};
  if (!builds) return machine;
  machine.build = between(random, 5e-3, 0.5);
  machine.compiling = machine.build * between(random, 1, 16);  // on a core of so many
  machine.check = between(random, 1e-3, 0.2);
  return machine;
}

double longest_call(const Program& program) {
  return std::ranges::max(program, {}, &PlayedCall::seconds).seconds;
}

}  // namespace duoblas::test
