# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
# Debian's cross compiler, and qemu-user to run what it makes.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ppc64le)
set(CMAKE_C_COMPILER powerpc64le-linux-gnu-gcc)
set(CMAKE_FIND_ROOT_PATH /usr/powerpc64le-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
find_program(RIJN_QEMU NAMES qemu-ppc64le-static qemu-ppc64le)
if(RIJN_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${RIJN_QEMU};-L;/usr/powerpc64le-linux-gnu;-cpu;power9")
endif()
