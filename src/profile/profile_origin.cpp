#include "profile/profile_origin.hpp"

#include <algorithm>
#include <cctype>

namespace duoblas {
namespace {

bool all_digits(const std::string& text) {
  for (const char c : text)
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) return false;
  return !text.empty();
}

// "r0p1" (Arm), "[0x9a49]" (Intel).
bool is_revision(const std::string& word) {
  const auto p = word.find('p');
  if (word.front() == 'r' && p != std::string::npos)
    return all_digits(word.substr(1, p - 1)) && all_digits(word.substr(p + 1));
  return word.front() == '[' && word.back() == ']';
}

// "gfx90a:sramecc+:xnack-" (AMD): switches of one device, the same instructions.
std::string without_revision(std::string name) {
  if (name.compare(0, 3, "gfx") == 0) name.resize(std::min(name.size(), name.find(':')));
  const auto space = name.find_last_of(' ');
  if (space != std::string::npos && space + 1 < name.size() && is_revision(name.substr(space + 1)))
    name.resize(name.find_last_not_of(' ', space) + 1);
  return name;
}

}  // namespace

ProfileOrigin profile_origin(const DeviceIdentity& device) {
  ProfileOrigin origin;
  origin.vendor = device.vendor;
  origin.kind = device.is_cpu ? "cpu" : "gpu";
  if (device.nvidia_capability > 0)
    origin.architecture = "cc" + std::to_string(device.nvidia_capability);
  else if (device.is_cpu)
    origin.architecture = "v" + std::to_string(8 * device.vector_bytes);
  else
    origin.architecture = without_revision(device.name);
  return origin;
}

}  // namespace duoblas
