# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
# rijn bench, for the CMakeLists.txt of the command: names the sources and gives the target rijn what they need. Peers
# are optional: the header of each is looked for here, the library is loaded when the program runs.
set(RIJN_BENCH_SOURCES bench.c clock.c measure.c options.c peer_ipsecmb.c rulers.c stats.c subject.c subject_rijn.c
  table.c)
target_link_libraries(rijn PRIVATE m ${CMAKE_DL_LIBS})

include(CheckIncludeFile)
check_include_file(intel-ipsec-mb.h RIJN_BENCH_FOUND_IPSEC_MB)
if(RIJN_BENCH_FOUND_IPSEC_MB)
  target_compile_definitions(rijn PRIVATE RIJN_BENCH_HAVE_IPSEC_MB)
endif()
