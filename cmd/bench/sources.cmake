# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
# rijn bench, for the CMakeLists.txt of the command, which includes this file:
#   RIJN_BENCH_SOURCES      sources, absolute
#   RIJN_BENCH_LIBRARIES    to link
#   RIJN_BENCH_DEFINITIONS  what was found: peers are optional, each is loaded when the program runs
#   RIJN_BENCH_INCLUDES     include directories
set(bench_dir ${CMAKE_CURRENT_LIST_DIR})
set(RIJN_BENCH_SOURCES)
foreach(f bench.c clock.c measure.c options.c peer_ipsecmb.c rulers.c stats.c subject.c subject_rijn.c table.c)
  list(APPEND RIJN_BENCH_SOURCES ${bench_dir}/${f})
endforeach()
set(RIJN_BENCH_LIBRARIES m ${CMAKE_DL_LIBS})
set(RIJN_BENCH_DEFINITIONS)
set(RIJN_BENCH_INCLUDES ${bench_dir})

include(CheckIncludeFile)
check_include_file(intel-ipsec-mb.h RIJN_BENCH_FOUND_IPSEC_MB)
if(RIJN_BENCH_FOUND_IPSEC_MB)
  list(APPEND RIJN_BENCH_DEFINITIONS RIJN_BENCH_HAVE_IPSEC_MB)
endif()
