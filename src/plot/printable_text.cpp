#include "plot/printable_text.hpp"

namespace duoblas {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u;
}

struct Character {
  std::size_t bytes = 1;
  char32_t code = 0;
  bool valid = false;
};

// RFC 3629: no overlong forms, no surrogates, nothing beyond U+10FFFF.
Character first_character(std::string_view text) {
  const unsigned lead = byte_at(text, 0);
  if (lead < 0x80) return {1, lead, true};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return {};
  char32_t code = lead & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte_at(text, i) & 0xC0u) != 0x80u) return {};
    code = code << 6 | (byte_at(text, i) & 0x3Fu);
  }
  const char32_t least = bytes == 2 ? 0x80 : bytes == 3 ? 0x800 : 0x10000;
  if (code < least || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {bytes, code, true};
}

// C0, DEL, C1, and the marks that turn the direction of writing.
bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

std::size_t columns_of(char32_t code) {
  return code < 0x1100 || (code >= 0x2000 && code < 0x2E80) ? 1 : 2;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const Character c = first_character(text);
    if (c.valid && !is_control(c.code))
      result += text.substr(0, c.bytes);
    else
      result += '?';
    text.remove_prefix(c.bytes);
  }
  return result;
}

std::size_t terminal_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character c = first_character(text);
    width += columns_of(c.code);
    text.remove_prefix(c.bytes);
  }
  return width;
}

std::string truncated_to_width(std::string_view text, std::size_t columns) {
  std::size_t end = 0, width = 0;
  while (end < text.size()) {
    const Character c = first_character(text.substr(end));
    width += columns_of(c.code);
    if (width > columns) break;
    end += c.bytes;
  }
  return std::string(text.substr(0, end));
}

std::string html_text(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

}  // namespace duoblas
