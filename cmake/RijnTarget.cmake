# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
# RIJN_ARCH: what the compiler makes code for: x86_64, i386, aarch64, ppc64le or other.
# WHY the compiler and not CMAKE_SYSTEM_PROCESSOR: that one says x86_64 under -m32.
include(CheckCSourceCompiles)
include(CheckCCompilerFlag)
include(CheckLinkerFlag)

# The same conditions as the table in src/impl.c has.
set(is_x86_64 "defined(__x86_64__) && !defined(__ILP32__)") # x32 is "other"
set(is_i386 "defined(__i386__)")
set(is_aarch64 "defined(__aarch64__) && !defined(__AARCH64EB__)")
set(is_ppc64le "defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)")
set(RIJN_ARCH other)
foreach(name x86_64 i386 aarch64 ppc64le)
  check_c_source_compiles("#if !(${is_${name}})\n#error no\n#endif\nint main(void) { return 0; }" RIJN_ARCH_${name})
  if(RIJN_ARCH_${name})
    set(RIJN_ARCH ${name})
    break()
  endif()
endforeach()
message(STATUS "Rijn ${PROJECT_VERSION}: architecture ${RIJN_ARCH}, compiler ${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}")

# All flags of this build, those last that come last: a host project's add_compile_options. RIJN_INSTRUMENTED: they want a
# runtime that clang links into programs only, or an object of the start files.
string(TOUPPER "${CMAKE_BUILD_TYPE}" rijn_type)
get_directory_property(rijn_host_flags COMPILE_OPTIONS)
set(RIJN_ALL_FLAGS "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${rijn_type}} ${rijn_host_flags}")
set(RIJN_INSTRUMENTED OFF)
if(RIJN_ALL_FLAGS MATCHES "sanitize|-coverage|-fprofile-(arcs|generate|instr)")
  set(RIJN_INSTRUMENTED ON)
endif()

check_c_compiler_flag(-fcf-protection RIJN_HAVE_CF_PROTECTION)
check_c_compiler_flag(-mbranch-protection=standard RIJN_HAVE_BRANCH_PROTECTION)
check_linker_flag(C -Wl,-Bsymbolic-functions RIJN_HAVE_SYMBOLIC_FUNCTIONS)

# What every C target of the project is compiled with.
function(rijn_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wshadow -fvisibility=hidden)
  if(RIJN_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(RIJN_HAVE_CF_PROTECTION AND RIJN_ARCH MATCHES "x86_64|i386")
    target_compile_options(${target} PRIVATE -fcf-protection)
  endif()
  if(RIJN_HAVE_BRANCH_PROTECTION AND RIJN_ARCH STREQUAL aarch64)
    target_compile_options(${target} PRIVATE -mbranch-protection=standard)
  endif()
  # WHY: the same bytes wherever the project lies. Macros of others' headers bring __FILE__.
  target_compile_options(${target} PRIVATE
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}/= -ffile-prefix-map=${PROJECT_BINARY_DIR}=build)
endfunction()
