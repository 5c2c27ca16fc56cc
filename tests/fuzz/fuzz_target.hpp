// What every fuzz target is: a function that reads one text, and what it says when it is broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

/// libFuzzer's entry, and that of the program which replays the corpus.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace duoblas::fuzz {

/// Ends the process with a line where a promise was broken: that is how a fuzzer hears of it.
void require(bool kept, const char* promise);

/// A path in memory that is this process's own, in a folder that is removed at its end.
std::string scratch_file(const char* name);
void write_scratch(const std::string& path, const std::uint8_t* data, std::size_t size);

}  // namespace duoblas::fuzz
