#include "gpu/kernels/patched_ptx.hpp"

#include <string>
#include <string_view>

#include <duoblas/error.hpp>

namespace duoblas {
namespace {

constexpr std::string_view kMark = "//sm_90a ";

int remove_all(std::string& text, std::string_view what) {
  int count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.erase(at, what.size());
    ++count;
  }
  return count;
}

}  // namespace

bool hides_instructions(std::string_view source) {
  // In the text of an instruction, not in a comment that explains the mark.
  return source.find(std::string("\"").append(kMark)) != std::string_view::npos;
}

std::vector<unsigned char> patched_ptx(const std::vector<unsigned char>& binary) {
  std::string text(binary.begin(), binary.end());
  constexpr std::string_view directive = ".target sm_90";
  const std::size_t target = text.find(directive);
  const std::size_t end = target + directive.size();
  // Neither sm_90a already nor another architecture.
  if (target == std::string::npos || end >= text.size() ||
      std::string_view(",\r\n ").find(text[end]) == std::string_view::npos)
    throw DeviceError("the driver's binary is no PTX for sm_90: wide kernels cannot be had");
  text.insert(end, "a");
  if (remove_all(text, kMark) == 0)
    throw DeviceError("the driver's PTX has lost its comments: wide kernels cannot be had");
  return {text.begin(), text.end()};
}

}  // namespace duoblas
