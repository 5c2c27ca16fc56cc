#include "opencl/program_cache.hpp"

#include <exception>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>

#include "opencl/cache_file.hpp"

namespace duoblas::cl {
namespace {

constinit thread_local ScopedCompileApart* scope = nullptr;

}  // namespace

ScopedCompileApart::ScopedCompileApart(bool wanted) noexcept {
  if (wanted) scope = this;
}

ScopedCompileApart::~ScopedCompileApart() {
  if (scope == this) scope = nullptr;
}

const Context* ScopedCompileApart::context_for(const Device& device) noexcept {
  if (scope == nullptr || scope->failed_) return nullptr;
  try {
    if (!scope->context_) scope->context_.emplace(device);
    return &*scope->context_;
  } catch (const std::exception&) {  // the device is short of memory
    scope->failed_ = true;
    return nullptr;
  }
}
namespace {

struct Compiled {
  Program program;
  std::vector<unsigned char> edited;  ///< empty: the program has the driver's own binary
};

// In `apart` an edited binary is built as well, so that the driver has its machine code.
Program loaded_from(const Context& apart, const Context& context, std::string_view source,
                    const std::string& options, BinaryEdit edit,
                    std::vector<unsigned char>& edited) {
  std::vector<unsigned char> binary = build_from_source(apart, source, options).binary();
  if (edit == nullptr) return build_from_binary(context, binary, options);
  binary = edit(binary);
  build_from_binary(apart, binary, options);
  Program program = build_from_binary(context, binary, options);
  edited = std::move(binary);
  return program;
}

Compiled compiled(const Context& context, std::string_view source, const std::string& options,
                  BinaryEdit edit) {
  if (const Context* const apart = ScopedCompileApart::context_for(context.device())) try {
      Compiled made;
      made.program = loaded_from(*apart, context, source, options, edit, made.edited);
      return made;
    } catch (const DeviceError&) {
      // Compiled below, which reports what is wrong.
    }
  Program program = build_from_source(context, source, options);
  if (edit == nullptr) return {std::move(program), {}};
  std::vector<unsigned char> edited = edit(program.binary());
  return {build_from_binary(context, edited, options), std::move(edited)};
}

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
                            const std::string& options, BinaryEdit edit) {
  return compile(context, source, options, edit, false);
}

Program ProgramCache::build_anew(const Context& context, std::string_view source,
                                 const std::string& options, BinaryEdit edit) {
  return compile(context, source, options, edit, true);
}

Program ProgramCache::compile(const Context& context, std::string_view source,
                              const std::string& options, BinaryEdit edit, bool anew) {
  if (directory_.empty()) return compiled(context, source, options, edit).program;
  std::string problem;
  const CacheDirectory cache(directory_, problem);
  if (!cache.usable()) {
    note(problem);
    return compiled(context, source, options, edit).program;
  }

  const std::string key = key_of(context.device().info, driver_, source,
                                 edit == nullptr ? options : options + " (edited)");
  if (const auto binary = anew ? std::vector<unsigned char>() : cache.load(key); !binary.empty()) {
    try {
      Program program = build_from_binary(context, binary, options);
      note("");
      return program;
    } catch (const DeviceError&) {
      // The driver refuses what it once made: compiled anew below, and replaced.
    }
  }
  Compiled made = compiled(context, source, options, edit);
  try {
    const auto binary = edit == nullptr ? made.program.binary() : std::move(made.edited);
    if (!binary.empty()) note(cache.store(key, binary));
  } catch (const std::exception& error) {
    note(error.what());  // a program that cannot be stored is still a program
  }
  return std::move(made.program);
}

}  // namespace duoblas::cl
