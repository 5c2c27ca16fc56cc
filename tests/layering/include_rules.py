"""Who may include whom: the table of docs/design.md, section 3."""

COMPONENTS = ("api", "cli", "cpu", "dropin", "gpu", "hybrid", "level3", "memory", "opencl", "plan",
              "problem")

# What a layer may include besides itself and the standard library. "include" is include/duoblas;
# an entry with a slash is one header (or one family of headers, by its stem).
MAY_INCLUDE = {
    "include": set(),
    "problem": {"include"},
    "plan": {"include", "problem"},
    "opencl": {"include/error"},
    "memory": {"include", "opencl", "plan/sharing_mode"},
    "gpu": {"include", "problem", "plan/kernel_params", "plan/kernel_fields", "plan/kernel_rules",
            "plan/kernel_footprint",
            "plan/kernel_defaults", "plan/device_blocks", "plan/device_limits", "plan/sharing_mode", "plan/op_letter",
            "opencl", "memory"},
    "cpu": {"include", "problem", "plan/cpu_config"},
    "hybrid": {"include", "problem", "plan", "gpu", "cpu", "memory", "opencl"},
    "level3": {"include", "problem", "plan", "hybrid"},
    "api": {"include", "problem", "plan", "opencl", "memory", "gpu", "cpu", "hybrid", "level3"},
    "tuner": {"include", "problem", "plan", "opencl", "memory", "gpu", "cpu", "hybrid", "level3",
              "power"},
    "cli": {"include", "problem", "plan", "opencl", "memory", "gpu", "cpu", "hybrid", "level3",
            "api", "tuner", "power"},
    "bench": {"include", "problem", "plan", "opencl", "memory", "gpu", "cpu", "hybrid", "level3",
              "tuner", "power"},
    "power": {"include/error"},
    "dropin": {"problem/level3_call"},
}

# Folders under tests that are named after no component.
TESTS_OF_NO_COMPONENT = {
    "support": {"include", "problem", "plan", "opencl", "memory", "gpu", "cpu", "hybrid", "level3",
                "api", "tuner"},
    "conformance": set(MAY_INCLUDE["api"]) | {"api"},
    "package": {"include"},
    "preload": set(MAY_INCLUDE["api"]) | {"api", "dropin"},
    "cl_layer": {"include", "problem", "plan", "opencl", "memory", "gpu", "cpu", "hybrid", "api"},
    "layering": set(),
}

# Libraries of others: who may see their headers. Patterns of paths from the project's root.
FOREIGN_HEADERS = {
    "CL": ("src/opencl/*", "tests/cl_layer/*"),
    "hwloc": ("src/cpu/topology*",),
    "tbb": ("src/cpu/workers*",),
    "oneapi": ("src/cpu/workers*",),
    "CLI": ("src/cli/*",),
    "benchmark": ("bench/*",),
    "gtest": ("tests/*",),
    "gmock": ("tests/*",),
    "nlohmann": ("src/plan/*", "src/cli/*", "tuner/*", "power/*", "tests/*", "bench/*"),
}
