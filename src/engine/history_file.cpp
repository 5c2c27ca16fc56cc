#include "engine/history_file.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <random>
#include <string_view>
#include <thread>

#include "opencl/cache_file.hpp"
#include "os/file_descriptor.hpp"

namespace duoblas {
namespace {

// The file's text is lines: the salt, then "HASH NUMBER NUMBER ...", the newest last.
struct Lines {
  std::string salt;
  std::vector<std::string> records;
};

constexpr const char* file_key = "what programs had for the device";

std::string new_salt() {
  std::random_device device;
  std::string salt;
  for (int i = 0; i < 4; ++i) salt += std::to_string(device()) + '-';
  return salt;
}

Lines read(const std::string& folder) {
  std::string problem;
  const auto content = cl::CacheDirectory(folder, problem).load(file_key);
  Lines lines;
  std::string_view text(reinterpret_cast<const char*>(content.data()), content.size());
  for (bool first = true; !text.empty(); first = false) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    (first ? lines.salt : lines.records.emplace_back()) = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string begin_of(const Lines& lines, const std::string& key) {
  return cl::cache_file_name(lines.salt + key) + ' ';
}

std::string text_of(const HistoryFile::Numbers& numbers) {
  std::string text;
  for (const double number : numbers) {
    std::array<char, 32> digits;  // std::to_string() writes the locale's decimal comma
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    text.append(digits.data(), end.ptr) += ' ';
  }
  return text;
}

// Two processes that end at once take turns. One that was stopped here must not stop others, so
// after some milliseconds the other goes on, and a record may be lost.
class Turn {
 public:
  explicit Turn(const std::string& folder)
      : lock_(::open((folder + "/programs.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    constexpr int most_tries = 20;
    for (int tries = 0; tries < most_tries && lock_.get() >= 0; ++tries) {
      if (::flock(lock_.get(), LOCK_EX | LOCK_NB) == 0) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  // A child that was forked meanwhile has the file, and would keep the lock.
  ~Turn() { (void)::flock(lock_.get(), LOCK_UN); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  FileDescriptor lock_;
};

}  // namespace

HistoryFile::Numbers HistoryFile::find(const std::string& key) const {
  if (folder_.empty() || key.empty()) return {};
  const Lines lines = read(folder_);
  const std::string begin = begin_of(lines, key);
  const auto record = std::find_if(lines.records.rbegin(), lines.records.rend(),
                                   [&](const std::string& r) { return r.starts_with(begin); });
  if (record == lines.records.rend()) return {};
  const char *next = record->data() + begin.size(), *const end = record->data() + record->size();
  Numbers numbers;
  for (double number = 0; next != end; ++next) {
    const auto found = std::from_chars(next, end, number);
    if (found.ec != std::errc() || found.ptr == end || *found.ptr != ' ') return {};
    if (!(number >= 0) || !std::isfinite(number)) return {};
    numbers.push_back(number);
    next = found.ptr;
  }
  return numbers;
}

void HistoryFile::store(const std::vector<std::pair<std::string, Numbers>>& records) const {
  if (folder_.empty()) return;
  std::string problem;
  const cl::CacheDirectory directory(folder_, problem);
  if (!directory.usable()) return;
  const Turn mine(folder_);
  Lines lines = read(folder_);
  if (lines.salt.empty()) lines = {new_salt(), {}};
  for (const auto& [key, numbers] : records) {
    if (key.empty()) continue;
    const std::string begin = begin_of(lines, key);
    std::erase_if(lines.records, [&](const std::string& r) { return r.starts_with(begin); });
    lines.records.push_back(begin + text_of(numbers));
  }
  auto first = lines.records.end();
  for (std::size_t bytes = lines.salt.size();
       first != lines.records.begin() && (bytes += 1 + (first - 1)->size()) <= most_bytes_;)
    --first;
  std::string text = lines.salt;
  for (; first != lines.records.end(); ++first) text += '\n' + *first;
  (void)directory.store(file_key, {text.begin(), text.end()});
}

}  // namespace duoblas
