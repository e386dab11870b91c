# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
# rijn bench, for the CMakeLists.txt of the command: names the sources and gives the target rijn what they need. Peers
# are optional: the header of each is looked for here, the library is loaded when the program runs.
set(RIJN_BENCH_SOURCES bench.c by_ones.c choice.c clock.c filecmd.c files.c json.c kernel.c kernel_module.c kernel_report.c
  launch.c measure.c modes.c options.c peer_gcrypt.c
  peer_ipsecmb.c peer_libcrypto.c peer_nettle.c peer_sodium.c plan.c rulers.c setup.c stats.c subject.c subject_rijn.c
  system.c table.c threads.c)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(RIJN_JSON REQUIRED IMPORTED_TARGET json-c>=0.15) # the report
target_link_libraries(rijn PRIVATE m ${CMAKE_DL_LIBS} Threads::Threads PkgConfig::RIJN_JSON)

if(RIJN_TEST_HOOKS) # peers that are wrong on purpose
  list(APPEND RIJN_BENCH_SOURCES peer_planted.c)
  set_source_files_properties(bench/subject.c PROPERTIES COMPILE_DEFINITIONS RIJN_TEST_HOOKS=1)
endif()

# What the report says of the build. The commit is that of the time when CMake ran. WHY .git: an unpacked archive may lie in
# another project's repository.
find_package(Git QUIET)
set(bench_commit "")
if(GIT_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --dirty WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    OUTPUT_VARIABLE bench_commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
string(TOUPPER "${CMAKE_BUILD_TYPE}" bench_type)
string(STRIP "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${bench_type}}" bench_flags)
string(REPLACE "\"" "'" bench_flags "${bench_flags}")
# WHY: the same bytes wherever the project lies. Debian's packages are built with such a flag.
string(REGEX REPLACE " *-f[a-z]+-prefix-map=[^ ]*" "" bench_flags "${bench_flags}")
set_source_files_properties(bench/json.c PROPERTIES
  COMPILE_DEFINITIONS "RIJN_BENCH_COMMIT=\"${bench_commit}\";RIJN_BENCH_FLAGS=\"${bench_flags}\"")

# WHY unset: the answer would be kept for ever, and a header may have been installed since, or removed.
include(CheckIncludeFile)
set(CMAKE_REQUIRED_QUIET ON)
set(bench_found "")
foreach(peer IPSEC_MB=intel-ipsec-mb.h NETTLE=nettle/xts.h GCRYPT=gcrypt.h SODIUM=sodium.h)
  string(REPLACE "=" ";" peer ${peer})
  list(POP_FRONT peer peer_name peer_header)
  unset(RIJN_BENCH_FOUND_${peer_name} CACHE)
  check_include_file(${peer_header} RIJN_BENCH_FOUND_${peer_name})
  if(RIJN_BENCH_FOUND_${peer_name})
    target_compile_definitions(rijn PRIVATE RIJN_BENCH_HAVE_${peer_name})
    string(APPEND bench_found " ${peer_header}")
  endif()
endforeach()
unset(CMAKE_REQUIRED_QUIET)
if(NOT bench_found)
  set(bench_found " none")
endif()
message(STATUS "rijn bench: headers of peers found:${bench_found}")

# --ablate: copies of the instruction sets' sources with a part of GCM replaced by nothing (ablate_ops.h, put in by the one
# line below). 28 objects that nothing else needs, hence an option of its own.
option(RIJN_BENCH_ABLATE "rijn bench --ablate: kernels that lack a part. Never installed" OFF)
if(RIJN_BENCH_ABLATE)
  if(NOT RIJN_ARCH STREQUAL x86_64)
    message(FATAL_ERROR "RIJN_BENCH_ABLATE: for x86-64 only")
  endif()
  list(APPEND RIJN_BENCH_SOURCES ablate.c)
  set_source_files_properties(bench/ablate.c PROPERTIES INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(rijn PRIVATE RIJN_BENCH_ABLATE=1)
  file(GLOB copied RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/src/*.h ${PROJECT_SOURCE_DIR}/src/isa/*.[ch] ${PROJECT_SOURCE_DIR}/src/isa/*.def ${PROJECT_SOURCE_DIR}/src/mode/*.h
    ${PROJECT_SOURCE_DIR}/src/*.def ${PROJECT_SOURCE_DIR}/src/mode/*.def)
  foreach(f ${copied})
    configure_file(${PROJECT_SOURCE_DIR}/${f} ${CMAKE_CURRENT_BINARY_DIR}/ablate/${f} COPYONLY)
  endforeach()
  set(all_t ${CMAKE_CURRENT_BINARY_DIR}/ablate/src/mode/all_t.h)
  file(READ ${all_t} before)
  string(REPLACE "#include \"aes_t.h\"" "#include \"ablate_ops.h\"\n#include \"aes_t.h\"" after "${before}")
  if(after STREQUAL before)
    message(FATAL_ERROR "RIJN_BENCH_ABLATE: src/mode/all_t.h does not include aes_t.h as it used to")
  endif()
  file(WRITE ${all_t} "${after}")
  file(STRINGS ${PROJECT_BINARY_DIR}/sources.txt isa_lines REGEX "^isa x86_64 isa/x86_")
  foreach(part GHASH AES XOR COUNTERS)
    # No two kernels of one name: the narrow one that a wide one calls loses the part as well.
    set(renamed)
    foreach(line ${isa_lines})
      string(REGEX REPLACE "^isa x86_64 isa/([a-z0-9_]*)[.]c.*" "\\1" isa "${line}")
      list(APPEND renamed rijn_impl_${isa}=rijn_ablate_${part}_${isa})
    endforeach()
    foreach(line ${isa_lines})
      string(REGEX REPLACE "^isa x86_64 isa/([a-z0-9_]*)[.]c(.*)" "\\1;\\2" words "${line}")
      list(GET words 0 isa)
      list(GET words 1 flags)
      separate_arguments(flags)
      add_library(ablate_${part}_${isa} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/ablate/src/isa/${isa}.c)
      target_compile_definitions(ablate_${part}_${isa} PRIVATE RIJN_ABLATE_${part} ${renamed})
      target_include_directories(ablate_${part}_${isa} PRIVATE ${PROJECT_SOURCE_DIR}/include bench)
      target_compile_options(ablate_${part}_${isa} PRIVATE ${flags} -w)
      target_sources(rijn PRIVATE $<TARGET_OBJECTS:ablate_${part}_${isa}>)
    endforeach()
  endforeach()
endif()
