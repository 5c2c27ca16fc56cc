# Run by CPack when the files of each package are laid out: adds what Debian wants in each.
string(TIMESTAMP today "%a, %d %b %Y %H:%M:%S +0000" UTC)  # of SOURCE_DATE_EPOCH, if that is set
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  set(root "${CPACK_TEMPORARY_DIRECTORY}/${component}")
  string(TOUPPER "${component}" upper)
  set(documents "${root}/usr/share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}")
  file(MAKE_DIRECTORY "${documents}")
  file(COPY_FILE "${CPACK_DUOBLAS_LICENCES}" "${documents}/copyright")
  file(WRITE "${documents}/changelog" "duoblas (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Packages as scripts/deb.sh makes them.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${today}
")
  execute_process(COMMAND find "${root}/usr/share" -name "*.1" -o -name changelog
                  OUTPUT_VARIABLE files COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(files UNIX_COMMAND "${files}")
  execute_process(COMMAND gzip -9nf ${files} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
