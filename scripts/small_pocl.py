#!/usr/bin/env python3
"""Copies PoCL with the part of OpenCL C that our kernels use, and prints the copy's library.

    scripts/small_pocl.py FOLDER LIBRARY     FOLDER is made; LIBRARY is libpocl, as an ICD file names it

Each process that compiles with PoCL first reads all its built-in functions (9 MB of LLVM's bitcode, 1.1 s),
and each program their 14,000 declarations (0.2 s). The copy has those alone whose names the kernels and
tests of this tree say. The code of four kernels was compared: the same, bit for bit. A function that is missing ends
a build with "Cannot find symbol". PoCL looks for these files beside its library.
"""
import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TREE = pathlib.Path(__file__).resolve().parent.parent
DECLARATION = re.compile(r"^[ \t]*(?:const )?[\w \t*]*?__ovld[\w \t]*?\b(\w+)[ ]?\([^;{}#]*?\);[ \t]*\n", re.M)
SYMBOL = re.compile(r"_Z(\d+)")
# PoCL links these into every program.
ALWAYS = re.compile(r"_pocl|__pocl_print|printf$")
INTERNAL_LINKAGE = 8


def words_of_kernels():
    files = [*(TREE / "kernels").glob("*.cl*"), *(TREE / "tests/gpu/emulation").glob("*.cl*")]
    texts = [file.read_text() for file in files]
    for folder in ("src", "tuner", "tests", "bench"):
        for file in (TREE / folder).rglob("*.*"):
            if file.suffix in (".c", ".cpp", ".hpp", ".py") and "kernel void" in (text := file.read_text()):
                texts.append(text)
    return set(re.findall(r"\w+", "\n".join(texts)))


def is_used(name, words):
    """Also the widths of vload and vstore, which macros join to their names."""
    return name in words or name.rstrip("0123456789") in words


def cut_header(source, target, words):
    text = source.read_text()
    target.write_text(DECLARATION.sub(lambda found: found[0] if is_used(found[1], words) else "", text))


def function_name(symbol):
    """The OpenCL C function that a symbol of the library is, "fma" of _Z7_cl_fmafff."""
    if mangled := SYMBOL.match(symbol):
        symbol = symbol[mangled.end():][:int(mangled[1])]
    return symbol.removeprefix("_cl_")


def cut_bitcode(llvm, source, target, words):
    def function(name, result, *arguments):
        found = getattr(llvm, name)
        found.restype, found.argtypes = result, arguments
        return found

    pointer = ctypes.c_void_p
    context = function("LLVMContextCreate", pointer)()
    buffer, module, message = pointer(), pointer(), ctypes.c_char_p()
    if function("LLVMCreateMemoryBufferWithContentsOfFile", ctypes.c_int, ctypes.c_char_p, pointer, pointer)(
            str(source).encode(), ctypes.byref(buffer), ctypes.byref(message)):
        sys.exit(f"{source} cannot be read")
    if function("LLVMParseBitcodeInContext2", ctypes.c_int, pointer, pointer, pointer)(
            context, buffer, ctypes.byref(module)):
        sys.exit(f"{source} is not bitcode of this LLVM")
    following = function("LLVMGetNextFunction", pointer, pointer)
    name_of = function("LLVMGetValueName", ctypes.c_char_p, pointer)
    is_declaration = function("LLVMIsDeclaration", ctypes.c_int, pointer)
    set_linkage = function("LLVMSetLinkage", None, pointer, ctypes.c_int)
    one = function("LLVMGetFirstFunction", pointer, pointer)(module)
    while one:
        name = function_name(name_of(one).decode())
        if not is_declaration(one) and not is_used(name, words) and not ALWAYS.match(name):
            set_linkage(one, INTERNAL_LINKAGE)  # and so goes if nothing calls it
        one = following(one)
    options = function("LLVMCreatePassBuilderOptions", pointer)()
    run = function("LLVMRunPasses", pointer, pointer, ctypes.c_char_p, pointer, pointer)
    if run(module, b"globaldce", None, options):
        sys.exit("LLVM cannot take functions out")
    if function("LLVMWriteBitcodeToFile", ctypes.c_int, pointer, ctypes.c_char_p)(module, str(target).encode()):
        sys.exit(f"{target} cannot be written")


def build_a_kernel():
    """In a process of its own, which ends with 0 if it could."""
    opencl = ctypes.CDLL("libOpenCL.so.1")
    platform, device, code = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
    opencl.clGetPlatformIDs(1, ctypes.byref(platform), None)
    opencl.clGetDeviceIDs(platform, ctypes.c_ulong(0xFFFFFFFF), 1, ctypes.byref(device), None)
    opencl.clCreateContext.restype = opencl.clCreateProgramWithSource.restype = ctypes.c_void_p
    context = ctypes.c_void_p(opencl.clCreateContext(None, 1, ctypes.byref(device), None, None, ctypes.byref(code)))
    text = ctypes.c_char_p(b"__kernel void f(__global float* x) { x[get_global_id(0)] = fma(x[0], x[1], x[2]); }")
    program = ctypes.c_void_p(
        opencl.clCreateProgramWithSource(context, 1, ctypes.byref(text), None, ctypes.byref(code)))
    return opencl.clBuildProgram(program, 1, ctypes.byref(device), b"-cl-std=CL1.2", None, None)


def bitcode_in_use(library):
    """The file of built-in functions that PoCL takes for this processor."""
    with tempfile.TemporaryDirectory() as scratch:
        pathlib.Path(scratch, "pocl.icd").write_text(f"{library}\n")
        run = subprocess.run(
            [sys.executable, "-B", __file__, "--build"], stderr=subprocess.PIPE, text=True,
            env={**os.environ, "OCL_ICD_VENDORS": scratch, "POCL_CACHE_DIR": scratch, "POCL_DEBUG": "llvm"})
    found = re.search(r"Using (\S+) as the built-in lib", run.stderr)
    if run.returncode or not found:
        sys.exit(f"{library} cannot build a kernel")
    return pathlib.Path(found[1]).name


def main(folder, library):
    folder, library = pathlib.Path(folder), pathlib.Path(library)
    if not library.is_absolute():
        library = pathlib.Path("/usr/lib") / os.uname().machine.join(("", "-linux-gnu")) / library
    library = library.resolve()
    share = library.parent.parent.parent / "share/pocl"
    llvm = re.search(r"=> (\S*/libLLVM\S+)", subprocess.check_output(["ldd", library], text=True))
    if not share.is_dir() or not llvm:
        sys.exit(f"{library} is not laid out as Debian's")
    shutil.rmtree(folder, ignore_errors=True)
    copy = folder / "lib/here" / library.name
    shutil.copytree(library.parent / "pocl", copy.parent / "pocl")
    shutil.copy(library, copy)
    (folder / "share/pocl/include").mkdir(parents=True)
    for file in [*share.glob("*.bc"), *share.glob("include/*")]:
        (folder / "share/pocl" / file.relative_to(share)).symlink_to(file)

    words = words_of_kernels()
    for name, cut in (("include/opencl-c.h", cut_header),
                      (bitcode_in_use(copy), lambda *files: cut_bitcode(ctypes.CDLL(llvm[1]), *files))):
        target = folder / "share/pocl" / name
        target.unlink()
        cut(share / name, target, words)
    bitcode_in_use(copy)  # which ends the program if it cannot be used
    print(copy)


if __name__ == "__main__":
    sys.exit(build_a_kernel() if sys.argv[1] == "--build" else main(*sys.argv[1:]))
