// What a tuning found out, in sentences: who won, what co-tuning gained, the crossover.
#include "cli/tune_summary.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iomanip>
#include <sstream>
#include <vector>

#include "cli/text_table.hpp"
#include "cli/tuned_rates.hpp"
#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/kernel_fields.hpp"

namespace duoblas::cli {
namespace {

using Ratio = std::function<double(const TunedPoint&)>;

// `slow` over `fast`; 0 if one was not measured.
double ratio(double slow, double fast) {
  return slow > 0 && fast > 0 ? slow / fast : 0;
}

struct Gain {
  double mean = 0;  // geometric; 0: not measured anywhere
  double most = 0;
  const TunedPoint* where = nullptr;  // of the most
  std::size_t count = 0;
};

Gain gain_of(const Profile& profile, const Ratio& of) {
  Gain gain;
  std::vector<double> values;
  for (const TunedPoint& p : profile.points) {
    const double value = of(p);
    if (value <= 0) continue;
    values.push_back(value);
    if (value > gain.most) {
      gain.most = value;
      gain.where = &p;
    }
  }
  gain.mean = geometric_mean(values);
  gain.count = values.size();
  return gain;
}

std::string times(double factor) {
  return fixed(factor, factor < 1.1 ? 3 : 2) + " times";
}

std::string products(std::size_t count) {
  return count == 1 ? "1 product" : std::to_string(count) + " products";
}

std::string who_won(const Profile& profile) {
  const auto won = [&](Fastest fastest) {
    return static_cast<std::size_t>(std::ranges::count(profile.points, fastest, fastest_strategy));
  };
  std::string text = "Of " + products(profile.points.size()) +
                     ", both sides together are fastest in " + std::to_string(won(Fastest::both));
  if (won(Fastest::gpu) > 0) text += ", the GPU alone in " + std::to_string(won(Fastest::gpu));
  if (won(Fastest::cpu) > 0) text += ", the CPU alone in " + std::to_string(won(Fastest::cpu));
  return text + ".";
}

std::string over_one_side(const Profile& profile) {
  const Gain one = gain_of(profile, [](const TunedPoint& p) {
    const double better =
        p.cpu_seconds > 0 && p.gpu.seconds > 0 ? std::min(p.cpu_seconds, p.gpu.seconds) : 0;
    return ratio(better, p.hybrid.seconds);
  });
  if (one.count == 0) return {};
  std::string text = "The co-tuned hybrid is " + times(one.mean) +
                     " as fast as the better of cpu and gpu (geometric mean)";
  const Gain all = gain_of(
      profile, [](const TunedPoint& p) { return ratio(p.cpu_all_seconds, p.hybrid.seconds); });
  if (profile.key.standin && all.count > 0)
    text += ", and " + times(all.mean) + " as fast as the CPU BLAS on every core";
  return text + ".";
}

std::string over_simple(const Profile& profile) {
  const Gain gain = gain_of(profile, co_tuning_gain);
  if (gain.count == 0) return {};
  const auto same = std::ranges::count_if(profile.points, [](const TunedPoint& p) {
    return co_tuning_gain(p) > 0 && difference_text(p.hybrid, p.simple).empty();
  });
  std::string text = "The co-tuned hybrid is " + times(gain.mean) +
                     " as fast as the simple one in the geometric mean of " + products(gain.count);
  if (same > 0) text += "; for " + std::to_string(same) + " of them both are the same choice";
  return text + ".";
}

std::string where_most(const Profile& profile) {
  const Gain gain = gain_of(profile, co_tuning_gain);
  if (gain.where == nullptr || gain.most <= 1) return {};
  const std::string why = difference_text(gain.where->hybrid, gain.where->simple);
  return "It gained most in " + tuning_case_of(*gain.where) + ", " + times(gain.most) +
         (why.empty() ? ", with the same choice: that is noise." : ": " + why + ".");
}

std::string where_less(const Profile& profile) {
  constexpr double noise = 0.99;  // what the project promises at least
  std::size_t count = 0;
  const TunedPoint* worst = nullptr;
  for (const TunedPoint& p : profile.points) {
    const double gain = co_tuning_gain(p);
    if (gain <= 0 || gain >= noise) continue;
    ++count;
    if (worst == nullptr || gain < co_tuning_gain(*worst)) worst = &p;
  }
  if (worst == nullptr) return {};
  return "It was measured slower than the simple one in " + products(count) + ", most in " +
         tuning_case_of(*worst) + ", " + times(co_tuning_gain(*worst)) +
         ": give it more time (--budget), or a quieter machine.";
}

std::string crossover(const Profile& profile) {
  std::string text;
  for (const Precision precision : all_precisions) {
    const double flops = profile.crossover_flops[precision_index(precision)];
    if (!(flops > 0) || !std::isfinite(flops)) continue;
    const double n = std::cbrt(flops / (is_complex(precision) ? 8 : 2));
    text += (text.empty() ? "" : ", ") + ("n = " + fixed(n, 0)) + " in " + product_name(precision);
  }
  return text.empty() ? text
                      : "Square products smaller than these are the CPU's alone: " + text + ".";
}

constexpr std::size_t kFieldsNamed = 4;

std::string instead(const std::string& what, const std::string& chosen, const std::string& other) {
  return what + " " + chosen + " instead of " + other;
}

std::vector<std::string> kernel_differences(const KernelParams& chosen, const KernelParams& other) {
  // Fields that a family does not use say nothing.
  const KernelParams x = canonical(chosen), y = canonical(other);
  std::vector<std::string> differences;
  std::size_t fields = 0;
  for (const KernelField& field : kernel_fields()) {
    if (field.get(x) == field.get(y) || ++fields > kFieldsNamed) continue;
    differences.push_back(instead(std::string(field.name), std::to_string(field.get(x)),
                                  std::to_string(field.get(y))));
  }
  if (fields > kFieldsNamed)
    differences.push_back(std::to_string(fields - kFieldsNamed) + " more fields of the kernel");
  return differences;
}

// 8/16 and 32/64 are the same.
bool same_share(const Share& x, const Share& y) {
  return x.gpu_parts * y.parts == y.gpu_parts * x.parts;
}

}  // namespace

Fastest fastest_strategy(const TunedPoint& point) {
  const auto seconds = [](double value) { return value > 0 ? value : HUGE_VAL; };
  const double cpu = seconds(point.cpu_all_seconds), gpu = seconds(point.gpu.seconds);
  if (seconds(point.hybrid.seconds) < std::min(cpu, gpu)) {
    const Share& share = point.hybrid.share;
    if (share.gpu_parts == 0) return Fastest::cpu;
    return share.gpu_parts == share.parts ? Fastest::gpu : Fastest::both;
  }
  return gpu < cpu ? Fastest::gpu : Fastest::cpu;
}

double co_tuning_gain(const TunedPoint& point) {
  return ratio(point.simple.seconds, point.hybrid.seconds);
}

std::vector<std::string> tuning_findings(const Profile& profile) {
  std::vector<std::string> findings;
  if (profile.points.empty()) return findings;
  for (const auto& finding :
       {who_won, over_one_side, over_simple, where_most, where_less, crossover}) {
    std::string text = finding(profile);
    if (!text.empty()) findings.push_back(std::move(text));
  }
  return findings;
}

std::string steadiness_text(const Steadiness& s) {
  constexpr double unsteady = 0.1;
  std::ostringstream text;
  text << std::fixed << std::setprecision(2);
  if (s.cpu > 0 && s.gpu > 0)
    text << "At the end the first product took " << s.cpu << " times as long on the CPU, and "
         << s.gpu << " times on the GPU, as when it was tuned. ";
  else if (s.cpu > 0 || s.gpu > 0)
    text << "At the end the first product took " << std::max(s.cpu, s.gpu)
         << " times as long on the " << (s.cpu > 0 ? "CPU" : "GPU") << " as when it was tuned. ";
  if (s.most_mhz > 0)
    text << "The processor's clock was " << 1e-3 * s.least_mhz << " to " << 1e-3 * s.most_mhz
         << " GHz. ";
  const auto is_far = [](double ratio) { return ratio > 0 && std::abs(ratio - 1) > unsteady; };
  if (is_far(s.cpu) || is_far(s.gpu))
    text << "Times of a machine that changes so much do not hold: tune again while nothing else "
            "runs, and once it is as warm as in use. ";
  std::string sentences = text.str();
  if (!sentences.empty()) sentences.pop_back();
  return sentences;
}

std::string gain_text(const TuningGain& gain, const std::string& before) {
  if (gain.products == 0) return {};
  std::ostringstream text;
  text << std::fixed << std::setprecision(2) << "By these plans " << gain.products
       << (gain.products == 1 ? " product takes " : " products take ") << gain.ratio
       << " of the time that calls took by " << before << " and what they had learned.";
  return text.str();
}

std::string difference_text(const TunedChoice& chosen, const TunedChoice& other) {
  std::vector<std::string> differences = kernel_differences(chosen.kernel, other.kernel);
  if (chosen.sharing != other.sharing)
    differences.push_back(
        instead("sharing", std::string(name(chosen.sharing)), std::string(name(other.sharing))));
  if (!same_share(chosen.share, other.share))
    differences.push_back(
        instead("the GPU's share", share_text(chosen.share), share_text(other.share)));
  return joined(differences);
}

}  // namespace duoblas::cli
