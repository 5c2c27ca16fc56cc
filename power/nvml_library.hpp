// NVIDIA's management library, loaded at run time. The few functions in use are declared here, as
// the driver's documentation gives them.
#pragma once

#include <string>
#include <vector>

namespace duoblas::power {

/// Loaded and initialised; shut down with the last copy of the pointer.
class NvmlLibrary {
 public:
  using Device = void*;

  /// \throws SensorError if it is not there, or finds no driver.
  explicit NvmlLibrary(const std::string& file);
  ~NvmlLibrary();
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  /// \throws SensorError, like all functions below.
  std::vector<Device> devices() const;
  Device device_at(const std::string& pci_address) const;
  std::string name(Device device) const;
  /// The joules since the driver was loaded; Volta and later.
  double total_joules(Device device) const;
  double watts(Device device) const;

 private:
  using Result = int;
  template <typename Function>
  void load(Function& function, const char* name);
  void check(Result result, const char* call) const;

  void* handle_ = nullptr;
  Result (*init_)() = nullptr;
  Result (*shutdown_)() = nullptr;
  const char* (*error_text_)(Result) = nullptr;
  Result (*count_)(unsigned*) = nullptr;
  Result (*by_index_)(unsigned, Device*) = nullptr;
  Result (*by_address_)(const char*, Device*) = nullptr;
  Result (*name_)(Device, char*, unsigned) = nullptr;
  Result (*total_energy_)(Device, unsigned long long*) = nullptr;
  Result (*power_)(Device, unsigned*) = nullptr;
};

}  // namespace duoblas::power
