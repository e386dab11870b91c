# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
# The last step of an installation: writes share/rijn/installed, the list of its files, which tools/uninstall reads.
# WHY not install_manifest.txt: that one is of the last installation, and does not say whether it was under a DESTDIR. A
# list that lies beside the files is about these files, and stays when the build folder is gone.
# DATADIR is set by whoever includes this.
if(IS_ABSOLUTE "${DATADIR}")
  set(list "${DATADIR}/rijn/installed")
else()
  set(list "${CMAKE_INSTALL_PREFIX}/${DATADIR}/rijn/installed")
endif()
set(files ${CMAKE_INSTALL_MANIFEST_FILES} "${list}")
# Relative to the prefix, where they are in it, so that a prefix that was moved takes its list along.
set(names "")
foreach(file ${files})
  string(FIND "${file}" "${CMAKE_INSTALL_PREFIX}/" at)
  if(at EQUAL 0)
    string(LENGTH "${CMAKE_INSTALL_PREFIX}/" n)
    string(SUBSTRING "${file}" ${n} -1 file)
  endif()
  list(APPEND names "${file}")
endforeach()
# What an installation before this one has left, another version's library say, is still to be removed some day.
if(EXISTS "$ENV{DESTDIR}${list}")
  file(STRINGS "$ENV{DESTDIR}${list}" before)
  foreach(name ${before})
    set(file "${name}")
    if(NOT IS_ABSOLUTE "${file}")
      set(file "${CMAKE_INSTALL_PREFIX}/${file}")
    endif()
    if(EXISTS "$ENV{DESTDIR}${file}" OR IS_SYMLINK "$ENV{DESTDIR}${file}")
      list(APPEND names "${name}")
    endif()
  endforeach()
endif()
list(REMOVE_DUPLICATES names)
list(SORT names)
list(JOIN names "\n" text)
file(WRITE "$ENV{DESTDIR}${list}" "${text}\n")
# WHY: every user may read it, also where an umask has left it to its owner alone.
file(CHMOD "$ENV{DESTDIR}${list}" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${list}")
