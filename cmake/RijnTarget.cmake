# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
# RIJN_ARCH: what the compiler makes code for: one of the architectures of src/isa/sets.def, or other.
# WHY the compiler and not CMAKE_SYSTEM_PROCESSOR: that one says x86_64 under -m32.
include(CheckCSourceCompiles)
include(CheckCCompilerFlag)
include(CheckLinkerFlag)

# rijn_rows(variable): the rows of src/isa/sets.def, which says how they are to be read; rijn_fields(row variable ...):
# the kind and the fields of one, as many as there are variables for.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/isa/sets.def)
function(rijn_rows variable)
  file(STRINGS ${PROJECT_SOURCE_DIR}/src/isa/sets.def rows REGEX "^[A-Z]+\\(.*\\)$")
  set(${variable} "${rows}" PARENT_SCOPE)
endfunction()
function(rijn_fields row)
  string(REGEX REPLACE "^([A-Z]+)\\((.*)\\)$" "\\1, \\2" row "${row}")
  string(REPLACE ", " ";" fields "${row}")
  foreach(variable ${ARGN})
    list(POP_FRONT fields field)
    string(REGEX REPLACE "^\"(.*)\"$" "\\1" field "${field}")
    set(${variable} "${field}" PARENT_SCOPE)
  endforeach()
endfunction()

set(RIJN_ARCH other)
rijn_rows(rows)
# WHY its text and not its name: a folder's name may have a quote in it.
file(READ ${PROJECT_SOURCE_DIR}/src/arch.h rijn_arch_text)
foreach(row ${rows})
  rijn_fields("${row}" kind name)
  if(kind STREQUAL ARCH)
    check_c_source_compiles("${rijn_arch_text}
      _Static_assert(0 IN_${name}(+ 1), \"no\");
      int main(void) { return 0; }" RIJN_ARCH_${name})
    if(RIJN_ARCH_${name})
      set(RIJN_ARCH ${name})
      break()
    endif()
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
  elseif(NOT PROJECT_IS_TOP_LEVEL)
    # WHY: a host's rules for its own sources stand before, and these are not its own. GNU's extensions are in use here,
    # and the tests hold what gcc and clang warn of.
    target_compile_options(${target} PRIVATE -w -Wno-pedantic)
  else()
    target_compile_options(${target} PRIVATE -Wno-pedantic -Wno-error)
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
