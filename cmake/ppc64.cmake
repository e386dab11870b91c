# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
# Debian's cross compiler, and qemu-user to run what it makes. Big-endian: portable is all that runs there.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ppc64)
set(CMAKE_C_COMPILER powerpc64-linux-gnu-gcc)
set(CMAKE_FIND_ROOT_PATH /usr/powerpc64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
find_program(RIJN_QEMU NAMES qemu-ppc64-static qemu-ppc64)
if(RIJN_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${RIJN_QEMU};-L;/usr/powerpc64-linux-gnu;-cpu;power9")
endif()
