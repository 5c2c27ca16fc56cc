"""Fails where the shared library shows a name that is not DuoBLAS's own."""
import subprocess
import sys

nm, library = sys.argv[1:]
listing = subprocess.run([nm, "-D", "--defined-only", "--demangle", library], check=True,
                         capture_output=True, text=True).stdout
names = [line.split(maxsplit=2)[2] for line in listing.splitlines()]
foreign = [name for name in names
           if not name.startswith(("duoblas_", "duoblas::", "void duoblas::", "long duoblas::", "DUOBLAS_",
                                   "typeinfo for duoblas::", "typeinfo name for duoblas::",
                                   "vtable for duoblas::"))]
for wanted in ("duoblas_sgemm", "duoblas_zgemm", "duoblas_malloc", "duoblas_last_error"):
    if not any(name.split("@")[0] == wanted for name in names):
        sys.exit(f"{library} does not export {wanted}")
if foreign:
    sys.exit("exported, but not ours:\n" + "\n".join(foreign))
