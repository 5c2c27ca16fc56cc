#include "opencl/program_cache.hpp"

#include <exception>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>

#include "opencl/cache_file.hpp"

namespace duoblas::cl {
namespace {

// Every field ends in a byte that none of them holds, so that no two keys read the same.
std::string key_of(const DeviceInfo& device, const std::string& driver, std::string_view source,
                   const std::string& options) {
  std::string key;
  for (std::string_view field :
       {std::string_view(device.platform), std::string_view(device.name),
        std::string_view(device.driver_version), std::string_view(device.device_version),
        std::string_view(driver), std::string_view(options), source}) {
    key.append(field);
    key.push_back('\0');
  }
  return key;
}

}  // namespace

ProgramCache::ProgramCache(std::string directory, std::string driver)
    : directory_(std::move(directory)), driver_(std::move(driver)) {}

std::string ProgramCache::problem() const {
  const std::lock_guard guard(mutex_);
  return problem_;
}

void ProgramCache::note(std::string problem) {
  const std::lock_guard guard(mutex_);
  problem_ = std::move(problem);
}

Program ProgramCache::build(const Context& context, std::string_view source,
                            const std::string& options) {
  return compile(context, source, options, false);
}

Program ProgramCache::build_anew(const Context& context, std::string_view source,
                                 const std::string& options) {
  return compile(context, source, options, true);
}

Program ProgramCache::compile(const Context& context, std::string_view source,
                              const std::string& options, bool anew) {
  if (directory_.empty()) return build_from_source(context, source, options);
  std::string problem;
  const CacheDirectory cache(directory_, problem);
  if (!cache.usable()) {
    note(problem);
    return build_from_source(context, source, options);
  }

  const std::string key = key_of(context.device().info, driver_, source, options);
  if (const auto binary = anew ? std::vector<unsigned char>() : cache.load(key); !binary.empty()) {
    try {
      Program program = build_from_binary(context, binary, options);
      note("");
      return program;
    } catch (const DeviceError&) {
      // The driver refuses what it once made: compiled anew below, and replaced.
    }
  }
  Program program = build_from_source(context, source, options);
  try {
    if (const auto binary = program.binary(); !binary.empty()) note(cache.store(key, binary));
  } catch (const std::exception& error) {
    note(error.what());  // a program that cannot be stored is still a program
  }
  return program;
}

}  // namespace duoblas::cl
