"""Fails where the shared library shows a name that is not DuoBLAS's own, or lacks something of its headers."""
import pathlib
import re
import subprocess
import sys

nm, library, headers = sys.argv[1:]
listing = subprocess.run([nm, "-D", "--defined-only", "--demangle", library], check=True,
                         capture_output=True, text=True).stdout
names = [line.split(maxsplit=2)[2] for line in listing.splitlines()]
foreign = [name for name in names
           if not name.startswith(("duoblas_", "duoblas::", "void duoblas::", "long duoblas::", "DUOBLAS_",
                                   "typeinfo for duoblas::", "typeinfo name for duoblas::",
                                   "vtable for duoblas::"))]
# Functions of C: a name without arguments. The drop-in takes its engine from the library by one more.
in_c = {"duoblas_dropin_engine"}
for header in pathlib.Path(headers).glob("*.h"):
    in_c |= set(re.findall(r"^DUOBLAS_C_API\s[^;(]*?(\w+)\(", header.read_text(), re.MULTILINE))
if len(in_c) < 100:
    sys.exit(f"{headers} has only {len(in_c)} functions of C")
exported = {name.split("@")[0] for name in names if re.match(r"duoblas_\w+(@|$)", name)}
lacking = sorted(in_c - exported)
foreign += sorted(exported - in_c)
# Templates that the library has instantiated. What a template returns is a part of its name.
public = set()
for header in pathlib.Path(headers).glob("*.hpp"):
    text = header.read_text().replace("\\\n", " ")
    public |= set(re.findall(r"extern template DUOBLAS_API\s[^;(]*?(\w+::\w+)<T>\(", text))
if len(public) < 20:
    sys.exit(f"{headers} has only {len(public)} templates of the library")
lacking += [name for name in sorted(public) if not any(f"duoblas::{name}<" in known for known in names)]
if lacking:
    sys.exit("in the headers, but not exported:\n" + "\n".join(lacking))
if foreign:
    sys.exit("exported, but not ours, or in no header:\n" + "\n".join(foreign))
