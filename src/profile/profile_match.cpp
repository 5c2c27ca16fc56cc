#include "profile/profile_match.hpp"

#include <tuple>

namespace duoblas {
namespace {

// An empty text says nothing, so two of them are not the same.
bool same(const std::string& x, const std::string& y) {
  return !x.empty() && x == y;
}

std::string printable(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return text;
}

}  // namespace

std::string_view name(ProfileMatch match) {
  switch (match) {
    case ProfileMatch::none: return "none";
    case ProfileMatch::kind: return "kind";
    case ProfileMatch::vendor: return "vendor";
    case ProfileMatch::architecture: return "architecture";
    case ProfileMatch::device: return "device";
    case ProfileMatch::exact: return "exact";
  }
  return "none";
}

ProfileMatch match(const Profile& profile, const MachineIdentity& machine) {
  if (profile.key == machine.key) return ProfileMatch::exact;
  // Doubles by integers say nothing of native arithmetic, nor the reverse.
  if (profile.key.arithmetic != machine.key.arithmetic) return ProfileMatch::none;
  // A stand-in is PoCL on half of the cores. Its profile suits neither a GPU nor PoCL on all cores.
  if (profile.key.standin != machine.key.standin || profile.origin.kind != machine.origin.kind)
    return ProfileMatch::none;
  if (same(profile.key.device, machine.key.device)) return ProfileMatch::device;
  if (same(profile.origin.architecture, machine.origin.architecture))
    return ProfileMatch::architecture;
  if (same(profile.origin.vendor, machine.origin.vendor)) return ProfileMatch::vendor;
  return ProfileMatch::kind;
}

std::optional<std::size_t> best_match(std::span<const Profile> candidates,
                                      const MachineIdentity& machine) {
  const auto rank = [&](const Profile& p) {
    return std::tuple(match(p, machine), same(p.origin.vendor, machine.origin.vendor),
                      same(p.key.cpu, machine.key.cpu), p.points.size());
  };
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (match(candidates[i], machine) == ProfileMatch::none) continue;
    if (!best || rank(candidates[i]) > rank(candidates[*best])) best = i;
  }
  return best;
}

std::string title(const Profile& profile) {
  const ProfileKey& key = profile.key;
  return printable(key.device + (key.standin ? ", stand-in" : "") +
                   (key.arithmetic == Arithmetic::integers ? ", doubles by integers" : "") + " (" +
                   key.driver + "; " + key.cpu + "), tuned " + profile.created);
}

}  // namespace duoblas
