#!/usr/bin/env bash
# Packs Debian 12's Open MPI 4, programs of it and their libraries into a folder that runs on a machine where nothing
# can be installed, and where nothing of them is: copy it anywhere there, and source its env.sh.
#
# usage: pack_mpi.sh FOLDER FILE...
#   FILE   a program, or a library (NAME.so...) that is preloaded or loaded by name
#
#   scripts/pack_mpi.sh packed hpcc build/release/bin/duoblas build/release/lib/libduoblas{,_blas}.so.0
#   tar -cJf packed.tar.xz packed                  # there: . packed/env.sh; mpirun -n 2 hpcc
set -euo pipefail
[[ $# -ge 2 ]] || { sed -n '2,9p' "$0"; exit 2; }
[[ ! -e "$1" ]] || { echo "$1 is there already" >&2; exit 2; }
mkdir -p "$1"/{bin,lib,prefix/{etc,share,plugins,pmix}}
folder="$(realpath "$1")"
shift

# The C library and the compiler's are older or newer there, and fit its loader.
of_the_system='^(linux-vdso|ld-linux.*|libc|libm|libdl|librt|libpthread|libresolv|libstdc\+\+|libgcc_s)\.so'
add_needed() { # FILE
  local name arrow path
  while read -r name arrow path _; do
    [[ "$arrow" != "=>" || "$path" != /* || "$name" =~ $of_the_system || -e "$folder/lib/$name" ]] ||
      cp -L "$path" "$folder/lib/$name"
  done < <(ldd "$1" 2>/dev/null)
}
add() { # FILE FOLDER
  cp -L "$1" "$2/"
  add_needed "$1"
}

# What ranks of one host need. The other plug-ins are for hardware and job managers, whose libraries are large.
of_one_host='allocator|bml|btl_(self|vader|tcp)|coll_(basic|inter|libnbc|self|sm|sync|tuned)|compress|crs|errmgr'
of_one_host+='|ess_(env|hnp|pmi|singleton|tool)|filem|grpcomm|iof|mpool|odls|oob|op|osc_(pt2pt|rdma|sm)|patcher'
of_one_host+='|plm_(isolated|rsh)|pmix_(ext3x|isolated)|pml_ob1|pstat|ras_simulator|rcache|reachable_weighted|regx|rmaps'
of_one_host+='|rml|routed|rtc|schizo_(ompi|orte)|shmem|state|topo_basic'
plugins="$(ompi_info --parsable --path pkglibdir | sed 's/.*://')"
for plugin in "$plugins"/mca_*.so; do
  [[ ! "$(basename "$plugin" .so)" =~ ^mca_($of_one_host) ]] || add "$plugin" "$folder/prefix/plugins"
done
for plugin in "$plugins"/../../../pmix2/lib/pmix/*.so; do add "$plugin" "$folder/prefix/pmix"; done
cp -rL /usr/share/openmpi "$folder/prefix/share/"
cp -rL /etc/openmpi "$folder/prefix/etc/"

for file in "$(realpath "$(command -v mpirun)")" "$(command -v orted)" "$@"; do
  case "$file" in
    *.so | *.so.*) add "$file" "$folder/lib" ;;
    *) add "$(command -v "$file")" "$folder/bin" ;;
  esac
done
[[ -e "$folder/bin/mpirun" ]] || ln -s orterun "$folder/bin/mpirun"
# What DuoBLAS loads by name.
for library in libOpenCL.so.1 openblas-pthread/libopenblas.so.0; do
  path="$plugins/../../../$library"
  [[ ! -e "$path" ]] || add "$path" "$folder/lib"
done

cat >"$folder/env.sh" <<'ENV'
packed="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
export PATH="$packed/bin:$PATH" LD_LIBRARY_PATH="$packed/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export OPAL_PREFIX="$packed/prefix" PMIX_PKGLIBDIR="$packed/prefix/pmix" OMPI_MCA_plm_rsh_agent=false
export OMPI_MCA_mca_base_component_path="$packed/prefix/plugins" OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1
# A container's only user may be root. hwloc's plug-ins there are another hwloc's, and none is needed.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 HWLOC_PLUGINS_PATH="$packed/prefix"
# NVIDIA's driver may be there without the file that tells OpenCL of it.
driver="$(find /usr /opt -name libnvidia-opencl.so.1 -print -quit 2>/dev/null)"
if [ -n "$driver" ] && [ ! -e /etc/OpenCL/vendors/nvidia.icd ]; then
  mkdir -p "$packed/vendors" && echo "$driver" >"$packed/vendors/nvidia.icd"
  export OCL_ICD_VENDORS="$packed/vendors"
fi
ENV
du -sh "$folder"
