#include "soak/context_pool.hpp"

#include "api/context_state.hpp"
#include "support/staged_profile.hpp"

namespace duoblas::soak {
namespace {

enum class ProfileKind { none, copies, copies_that_pay };

struct Kind {
  const char* name;
  Strategy strategy;
  bool has_split;
  ProfileKind profile;
  std::size_t device_memory;
  bool adapt;
  int weight;
};

constexpr std::size_t kib = 1024;

// Calls on the device are what the soak is for; those of the CPU alone are few.
constexpr std::array<Kind, ContextPool::kinds> context_kinds = {{
    {"hybrid", Strategy::hybrid, true, ProfileKind::none, 0, false, 24},
    {"gpu", Strategy::gpu, false, ProfileKind::none, 0, false, 12},
    {"hybrid, copies", Strategy::hybrid, true, ProfileKind::copies, 0, false, 16},
    {"gpu, copies", Strategy::gpu, false, ProfileKind::copies, 0, false, 8},
    {"hybrid, 256 KiB", Strategy::hybrid, true, ProfileKind::none, 256 * kib, false, 8},
    {"gpu, copies, 1 MiB", Strategy::gpu, false, ProfileKind::copies, 1024 * kib, false, 8},
    {"hybrid, copies, 2 MiB", Strategy::hybrid, true, ProfileKind::copies, 2048 * kib, false, 8},
    {"hybrid, adapt", Strategy::hybrid, false, ProfileKind::copies, 0, true, 6},
    {"auto", Strategy::automatic, false, ProfileKind::copies_that_pay, 0, false, 8},
    {"cpu", Strategy::cpu, false, ProfileKind::none, 0, false, 2},
}};

Share draw_share(Draw& draw) {
  if (draw.one_in(6)) return draw.pick<Share>({{0, 16}, {1, 1024}, {1023, 1024}, {16, 16}});
  const auto parts = static_cast<int>(draw.one_in(2) ? 16 : draw.between(1, 1024));
  return {static_cast<int>(draw.between(0, parts)), parts};
}

std::unique_ptr<Context> made(const Kind& kind) {
  Settings settings = Settings::from_environment();
  settings.strategy = kind.strategy;
  settings.split.reset();
  settings.profile_dir.clear();
  settings.device_memory = kind.device_memory;
  settings.adapt = kind.adapt;
  auto context = std::make_unique<Context>(settings);
  Engine& engine = ContextEngine::of(*context);
  if (kind.profile != ProfileKind::none && engine.gpu() != nullptr)
    for (const Arithmetic arithmetic : arithmetics_of(engine.machine().device))
      engine.facts().adopt(kind.profile == ProfileKind::copies
                               ? test::staged_profile(engine, arithmetic)
                               : test::flattering_profile(engine, arithmetic));
  return context;
}

}  // namespace

Setting draw_setting(Draw& draw) {
  int weights = 0;
  for (const Kind& kind : context_kinds) weights += kind.weight;
  std::int64_t left = draw.below(weights);
  Setting setting;
  while (left >= context_kinds[setting.kind].weight) left -= context_kinds[setting.kind++].weight;
  if (context_kinds[setting.kind].has_split) setting.split = draw_share(draw);
  return setting;
}

std::string text(const Setting& setting) {
  std::string all = context_kinds[setting.kind].name;
  if (setting.split)
    all += ", split " + std::to_string(setting.split->gpu_parts) + "/" +
           std::to_string(setting.split->parts);
  return all;
}

Context& ContextPool::get(const Setting& setting) {
  auto& context = contexts_[setting.kind];
  if (context == nullptr) context = made(context_kinds[setting.kind]);
  if (setting.split) context->set_split(setting.split);
  return *context;
}

}  // namespace duoblas::soak
