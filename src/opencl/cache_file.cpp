#include "opencl/cache_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "os/files.hpp"

namespace duoblas::cl {
namespace {

// FNV-1a, 64 bits. Two hashes with different starting points make the file's name. A collision
// costs only a recompilation, because the whole key is compared.
std::uint64_t fnv1a(const void* data, std::size_t bytes, std::uint64_t state) {
  const auto* p = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) state = (state ^ p[i]) * 0x100000001b3u;
  return state;
}
constexpr std::uint64_t first_basis = 0xcbf29ce484222325u;   // FNV's own
constexpr std::uint64_t second_basis = 0x6a09e667f3bcc908u;  // sqrt(2)'s fraction, as in SHA-512

// Far above any kernel's binary, and harmless: a damaged file may claim any size.
constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;

struct Header {
  std::array<char, 8> magic{'D', 'U', 'O', 'B', 'I', 'N', '0', '1'};
  std::uint64_t key_bytes = 0;
  std::uint64_t content_bytes = 0;
  std::uint64_t checksum = 0;  // of the content
};

// False: it has less.
bool read_whole(const FileDescriptor& file, void* to, std::size_t bytes) {
  return read_all(file.get(), to, bytes) == static_cast<ssize_t>(bytes);
}

constexpr std::string_view ending = ".bin";

void make_directories(const std::filesystem::path& path) {
  if (path.empty() || std::filesystem::exists(path)) return;
  if (path.has_parent_path() && path.parent_path() != path) make_directories(path.parent_path());
  make_folder(path.string());  // success is seen when the folder is opened
}

}  // namespace

std::string cache_file_name(const std::string& key) {
  char text[40];
  std::snprintf(text, sizeof text, "%016llx%016llx.bin",
                static_cast<unsigned long long>(fnv1a(key.data(), key.size(), first_basis)),
                static_cast<unsigned long long>(fnv1a(key.data(), key.size(), second_basis)));
  return text;
}

CacheDirectory::CacheDirectory(const std::string& path, std::string& problem) {
  try {
    make_directories(path);
  } catch (const std::filesystem::filesystem_error&) {
    // a parent that cannot be read: opening reports it below
  }
  OpenFolder folder(path);
  if (!folder.is_open()) {
    problem = "kernel cache " + path + " cannot be used: " + std::strerror(errno);
    return;
  }
  const std::optional<FileStatus> status = folder.status();
  if (!status || !is_private(*status)) {
    problem = "kernel cache " + path +
              " is not used: it must belong to this user and be writable by no one else";
    return;
  }
  folder_ = std::move(folder);
}

// `key`: the key that the file must have; null: any.
std::vector<unsigned char> CacheDirectory::read(const char* name, const std::string* key) const {
  FileStatus status;
  const FileDescriptor file = folder_.open_private(name, &status);
  if (file.get() < 0) return {};
  Header header;
  const Header expected;
  const std::uint64_t size = status.bytes;
  if (!read_whole(file, &header, sizeof header) || header.magic != expected.magic ||
      header.key_bytes > most_bytes || (key != nullptr && header.key_bytes != key->size()) ||
      size < sizeof header + header.key_bytes ||
      header.content_bytes != size - sizeof header - header.key_bytes ||
      header.content_bytes > most_bytes) {
    return {};
  }
  std::string stored_key(header.key_bytes, '\0');
  std::vector<unsigned char> content(header.content_bytes);
  if (!read_whole(file, stored_key.data(), stored_key.size()) ||
      (key != nullptr && stored_key != *key) || !read_whole(file, content.data(), content.size()) ||
      fnv1a(content.data(), content.size(), first_basis) != header.checksum) {
    return {};
  }
  return content;
}

std::vector<unsigned char> CacheDirectory::load(const std::string& key) const {
  return read(cache_file_name(key).c_str(), &key);
}

std::vector<std::vector<unsigned char>> CacheDirectory::load_all() const {
  std::vector<std::vector<unsigned char>> contents;
  folder_.for_each_name([&](const char* name) {
    // A file that another process is writing has a longer name.
    if (!std::string_view(name).ends_with(ending)) return;
    if (auto content = read(name, nullptr); !content.empty())
      contents.push_back(std::move(content));
  });
  return contents;
}

std::string CacheDirectory::store(const std::string& key,
                                  const std::vector<unsigned char>& content) const {
  Header header;
  header.key_bytes = key.size();
  header.content_bytes = content.size();
  header.checksum = fnv1a(content.data(), content.size(), first_basis);
  const std::string_view parts[] = {
      {reinterpret_cast<const char*>(&header), sizeof header},
      key,
      {reinterpret_cast<const char*>(content.data()), content.size()}};
  const int error = replace(cache_file_name(key), parts);
  if (error == 0) return {};
  return std::string("a kernel could not be stored in the cache: ") + std::strerror(error);
}

// No fsync: a file torn by a power cut fails its checksum and is compiled again.
int CacheDirectory::replace(const std::string& name,
                            std::span<const std::string_view> parts) const {
  return folder_.replace(name, parts);
}

std::string CacheDirectory::text(const char* name, std::size_t most_bytes) const {
  const FileDescriptor file = folder_.open_private(name);
  std::string text(file.get() < 0 ? 0 : most_bytes, '\0');
  text.resize(static_cast<std::size_t>(
      std::max<ssize_t>(0, read_all(file.get(), text.data(), text.size()))));
  return text;
}

}  // namespace duoblas::cl
