"""The checker is tested too: a small bad tree must be flagged, a good one must not."""
import pathlib
import tempfile
import unittest

from check_tree import C_FAMILY, check_tree

# Texts of sources get a head unless they begin so.
HEADLESS = "headless "

README = ("| question | file |\n|---|---|\n"
          "| How is C partitioned? | [src/problem/partition.hpp](src/problem/partition.hpp) |\n")

WHERE = README.replace("(src/", "(../src/")

DESIGN = """
| folder | holds | may include |
|---|---|---|
| `include/duoblas` | the interface | nothing of ours |
| `src/problem` | what | include |
| `src/planner` | how | include, problem, memory/sharing_mode |
| `src/opencl` | a layer | include/error |
| `src/memory` | memory | include, opencl |
| `src/gpu` | one side | include, problem, opencl, memory, gpu/kernels, gpu/device |
| `src/gpu/kernels` | a room | include, opencl |
| `src/gpu/device` | another on top | include, gpu/kernels |
| `src/cpu` | the other side | include, problem |
| `src/engine` | both | include, problem, planner, gpu, cpu |
| `src/api` | bodies | include, engine |
| `src/dropin/engine` | one half | include, engine, api |
| `src/dropin/shim` | the other half | problem/blas_call |
| `src/cli` | a command | include, tuner |
| `tuner` | search | include, engine |
| `tests` | tests | tests/support |
| `tests/support` | for tests | include |
| `tests/preload` | programs | dropin/shim |

| headers of other libraries | may be included by |
|---|---|
| `CL` | src/opencl/*, tests/cl_layer/* |
| `hwloc` | src/cpu/topology* |
| `tbb` | src/cpu/workers* |
| `CLI` | src/cli/* |
| `gtest` | tests/* |
| `nlohmann` | src/profile/* |
"""

GOOD = {
    "README.md": README,
    "docs/where-to-look.md": WHERE,
    "docs/design.md": DESIGN,
    "include/duoblas/error.hpp": "#include <memory>\n#include <string>\n",
    "src/problem/partition.hpp": '#include <duoblas/types.hpp>\n#include "problem/precision.hpp"\n',
    "src/opencl/device.cpp": "#include <CL/cl.h>\n#include <duoblas/error.hpp>\n",
    "src/memory/sharing.cpp": '#include "memory/sharing_mode.hpp"\n#include "opencl/handles.hpp"\n',
    "src/planner/plan.hpp": '#include "memory/sharing_mode.hpp"\n',
    "src/dropin/shim/shim.c": '#include "problem/blas_call.h"\n#include "dropin/shim/names.h"\n',
    "tests/preload/host.cpp": '#include "dropin/shim/names.h"\n#include "support/case.hpp"\n',
    "src/gpu/side.cpp": '#include "gpu/device/opened.hpp"\n#include "gpu/kernels/cache.hpp"\n',
    "src/gpu/device/opened.hpp": '#include "gpu/kernels/cache.hpp"\n',
    "src/engine/join.cpp": '#include "gpu/side.hpp"\n#include "gpu/device/opened.hpp"\n',
    "src/cpu/topology.cpp": "#include <hwloc.h>\n",
    "src/cpu/workers.cpp": "#include <tbb/task_arena.h>\n",
    "src/cpu/part.hpp": "namespace duoblas {\nstruct Part {\n};\n}  // namespace duoblas\n",
    "src/planner/part.cpp": "namespace duoblas {\nnamespace {\nstruct Part {\n};\n}  // namespace\n",
    "src/cli/main.cpp": '#include <CLI/CLI.hpp>\n#include "tuner/tune.hpp"\n',
    "src/api/settings.cpp": 'const char* v = std::getenv("DUOBLAS_SPLIT");\n',
    "src/gpu/queue.cpp": "// clSetEventCallback is not used: runtimes spin a thread for it\n",
    "tests/planner/planner_test.cpp": '#include <gtest/gtest.h>\n#include "planner/plan.hpp"\n'
                                   '#include "support/matrices.hpp"\n',
}

# One file that breaks one rule, and a word of the message that it must get.
BAD = [
    ("src/gpu/part.hpp", "namespace duoblas {\nstruct Part {\n};\n}  // namespace duoblas\n",
     "defines duoblas::Part, as src/cpu/part.hpp does"),
    ("src/gpu/part.hpp", "namespace duoblas {\nclass DUOBLAS_API Part {\n};\n}  // namespace duoblas\n",
     "defines duoblas::Part, as src/cpu/part.hpp does"),
    ("src/planner/plan.cpp", '#include "opencl/handles.hpp"\n', "must not include"),
    ("src/gpu/side.cpp", '#include "cpu/cpu_side.hpp"\n', "must not include"),
    ("src/cpu/side.cpp", '#include "gpu/gpu_side.hpp"\n', "must not include"),
    ("src/cpu/side.cpp", '#include "gpu/kernels/cache.hpp"\n', "must not include"),
    ("src/gpu/kernels/cache.cpp", '#include "gpu/device/opened.hpp"\n', "must not include"),
    ("src/gpu/device/opened.cpp", '#include "gpu/gpu_side.hpp"\n', "must not include"),
    ("src/cpu/side.cpp", '#include "planner/planner.hpp"\n', "must not include"),
    ("src/opencl/queue.cpp", "#include <duoblas/settings.hpp>\n", "must not include"),
    ("src/dropin/shim/shim.c", '#include "api/context.hpp"\n', "must not include"),
    ("src/newthing/part.cpp", "int x;\n", "does not name"),
    ("src/dropin/shim/shim.c", '#include "dropin/engine/calls.hpp"\n', "must not include"),
    ("src/planner/plan.cpp", '#include "memory/operands.hpp"\n', "must not include"),
    ("tests/support/case.hpp", '#include "gpu/gpu_side.hpp"\n', "must not include"),
    ("tests/planner/planner_test.cpp", '#include "gpu/gpu_side.hpp"\n', "must not include"),
    ("src/cpu/side.cpp", "#include <sched.h>\n", "sched.h"),
    ("power/meter.cpp", "#include <sys/stat.h>\n", "sys/stat.h"),
    ("src/gpu/side.cpp", "#include <CL/cl.h>\n", "CL/cl.h"),
    ("src/cpu/side.cpp", "#include <hwloc.h>\n", "hwloc.h"),
    ("src/engine/engine.cpp", "  # include <tbb/parallel_for.h>\n", "tbb/"),
    ("tuner/tune.cpp", "#include <CLI/CLI.hpp>\n", "CLI/"),
    ("include/duoblas/gemm.hpp", "#include <nlohmann/json.hpp>\n", "nlohmann"),
    ("include/duoblas/gemm.hpp", '#include "planner/plan.hpp"\n', "must not include"),
    ("src/planner/profile.cpp", 'auto home = secure_getenv("HOME");\n', "environment"),
    ("src/opencl/queue.cpp", "clSetEventCallback(e, CL_COMPLETE, f, nullptr);\n", "callback"),
    ("src/planner/long.cpp", "int x;\n" * 400, "401 lines"),
    ("scripts/long.sh", "true\n" * 401, "401 lines"),
    ("src/planner/utils.hpp", "\n", "named after nothing"),
    ("src/planner/plan.cpp", 'auto path = "/home' '/someone/data";\n', "one machine"),
    ("src/planner/plan.cpp", "// TO" "DO: the rest\n", "unfinished"),
    ("tests/planner/plan_test.cpp", "GTEST_" "SKIP();\n", "unfinished"),
    ("src/planner/CMakeLists.txt", "file(GLOB sources *.cpp)\n", "globs"),
    ("README.md", README.replace("partition.hpp", "gone.hpp"), "gone.hpp"),
    ("README.md", "# Nothing\n", "no table"),
    ("docs/where-to-look.md", WHERE.replace("partition.hpp", "gone.hpp"), "gone.hpp"),
    ("docs/where-to-look.md", "# Nothing\n", "no table"),
    ("docs/api.md", "[here](gone.md)\n", "gone.md"),
    ("docs/api.md", "# A page\n[above](#another-page)\n", "no such heading"),
    ("docs/api.md", "[the partition](../README.md#how-c-is-partitioned)\n", "no such heading"),
    ("docs/api.md", "As in `planner/gone.hpp`.\n", "planner/gone.hpp"),
    ("docs/api.md", "As in `src/planner/gone`.\n", "src/planner/gone"),
    ("docs/api.md", "As in `cpu/gone*`.\n", "cpu/gone*"),
    ("src/gpu/side.cpp", "// 5 us on an H100\n", "H100"),
    ("tuner/README.md", "A Radeon 780M.\n", "Radeon"),
    ("facts/kernels.txt", "from here: docs/gone.md#gemm\n", "docs/gone.md"),
    ("facts/kernels.txt", "from here: docs/design.md#gemm\n", "docs/design.md#gemm"),
    ("docs/api.md", "word " * 25 + "\n", "125 characters"),
    ("src/planner/other.cpp", HEADLESS + '#include "planner/plan.hpp"\n', "what it is"),
    ("docs/api.md", "```\n└─ " + "x" * 120 + "\n```\n", "123 characters"),
]


def problems_of(tree):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in tree.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            is_source = pathlib.Path(name).suffix in C_FAMILY and not text.startswith(HEADLESS)
            head = "// What it is.\n" if is_source else ""
            (root / name).write_text(head + text.removeprefix(HEADLESS), encoding="utf-8")
        return check_tree(root)


class CheckTree(unittest.TestCase):
    def test_a_good_tree_has_no_problem(self):
        self.assertEqual(problems_of(GOOD), [])

    def test_each_broken_rule_is_reported_once_with_its_file(self):
        for name, text, word in BAD:
            with self.subTest(name=name, word=word):
                problems = problems_of({**GOOD, name: text})
                self.assertEqual(len(problems), 1, problems)
                self.assertIn(name, problems[0])
                self.assertIn(word, problems[0])

    def test_links_to_headings_files_and_sites_are_good_and_code_is_no_link(self):
        page = ("# A `page`, of its own\n[here](#a-page-of-its-own) [cut](../src/problem/partition.hpp)\n"
                "[site](https://example.org/#x) `a[i](j)`\n```\nb[i](j)\n```\n")
        self.assertEqual(problems_of({**GOOD, "docs/api.md": page}), [])

    def test_files_may_be_named_from_the_root_or_from_src_without_an_ending_or_by_their_first_letters(self):
        page = ("`src/planner/plan.hpp` `planner/plan` `cpu/topo*` `tests/preload` `p_g/P` `build/release/bin/x`\n"
                "```\nplanner/gone.hpp\n```\n")
        self.assertEqual(problems_of({**GOOD, "docs/api.md": page}), [])
        self.assertEqual(problems_of({**GOOD, "docs/experiments/calls.md": "`planner/gone.hpp`\n"}), [])

    def test_tables_and_what_programs_print_are_as_wide_as_they_are(self):
        wide = "word " * 25
        page = f"| a |\n|---|\n| {wide} |\n```\n{wide}\n```\n"
        self.assertEqual(problems_of({**GOOD, "docs/api.md": page}), [])

    def test_build_folders_and_hidden_files_are_not_looked_at(self):
        bad = "#include <hwloc.h>\n"
        self.assertEqual(problems_of({**GOOD, "build/src/gpu/x.cpp": bad,
                                      ".cache/src/gpu/x.cpp": bad}), [])

    def test_models_of_gpus_stand_in_facts_pages_and_data_and_in_nothing_that_only_looks_like_one(self):
        files = {"facts/kernels.txt": "from an H100, today: docs/design.md\n", "docs/api.md": "An H100.\n",
                 "tuner/profiles/h100.json": '{"device": "NVIDIA H100"}',
                 "src/gpu/side.cpp": "// docs/results/h100.md, A64, V1, B2\n"}
        self.assertEqual(problems_of({**GOOD, **files}), [])

    def test_a_table_that_allows_an_unknown_folder_is_refused(self):
        table = DESIGN.replace("include, tuner", "include, toner")
        with self.assertRaisesRegex(ValueError, "toner"):
            problems_of({**GOOD, "docs/design.md": table})

    def test_the_table_decides(self):
        file = {"src/gpu/side.cpp": '#include "cpu/cpu_side.hpp"\n'}
        table = DESIGN.replace("| one side | include,", "| one side | include, cpu,")
        self.assertEqual(len(problems_of({**GOOD, **file})), 1)
        self.assertEqual(problems_of({**GOOD, **file, "docs/design.md": table}), [])


if __name__ == "__main__":
    unittest.main()
