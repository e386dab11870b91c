# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
# Debian's cross compiler, and qemu-user to run what it makes.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
find_program(RIJN_QEMU NAMES qemu-aarch64-static qemu-aarch64)
if(RIJN_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${RIJN_QEMU};-L;/usr/aarch64-linux-gnu;-cpu;max")
endif()
