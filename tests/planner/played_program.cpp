#include "planner/played_program.hpp"

#include <algorithm>
#include <cmath>

namespace duoblas::test {
namespace {

double between(std::mt19937_64& random, double least, double most) {
  return std::exp(std::uniform_real_distribution(std::log(least), std::log(most))(random));
}

// Whether a call has what it needs on an open device, and what that takes it now.
struct Needs {
  PlayedMachine& machine;
  Account& account;
  const Gains& gains;
  const std::vector<ClassGain>& by_class;
  bool at_once;
  double compiled_at = 0;
  std::optional<double> paid;

  bool buys(Outlay what, std::set<std::uint32_t>& done, const PlayedCall& call, OutlayPrice price,
            double& now) {
    if (price.seconds <= 0 || done.contains(call.of_class)) return true;
    const double missed = call.seconds * call.gain * call.planned;
    const auto bought =
        at_once ? std::optional(0.0)
                : account.pays(what, call.of_class, missed, price, gains, [&] { return by_class; });
    if (!bought) return false;
    done.insert(call.of_class);
    now += price.seconds;
    if (what == Outlay::builds) {
      paid = bought;
      compiled_at = now + price.until_done;
    }
    return true;
  }
  void end_build(double now) {
    if (!paid || now < compiled_at) return;
    if (!at_once) account.correct(Outlay::builds, machine.build - *paid);
    paid.reset();
  }
  // A call does not wait for a compiler: one that begins when it has ended has the kernel.
  bool has(const PlayedCall& call, double& now) {
    end_build(now);
    if (paid) {
      account.miss(call.of_class, call.seconds * call.gain * call.planned);
      return false;
    }
    const bool was_built = machine.build <= 0 || machine.built.contains(call.of_class);
    const bool is_built =
        buys(Outlay::builds, machine.built, call, {machine.build, machine.compiling}, now);
    if (!was_built || !is_built) return false;
    return buys(Outlay::checks, machine.checked, call, {machine.check}, now);
  }
};

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
  Played played;
  Needs needs{machine, account, played.gains, played.by_class, when == Starts::at_once, 0, {}};
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
      account.promise(account.cover(now, now + call.seconds, call.of_class), call.gain);
      now += call.seconds;
    } else if (call.gain > 0 && needs.has(call, now)) {
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
  if (needs.paid) now = std::max(now, needs.compiled_at);
  played.seconds = now + (played.started ? machine.lost() : 0);
  played.spent = account.spent();
  played.work = account.work(played.gains, played.by_class);
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
