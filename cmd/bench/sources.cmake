# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
# rijn bench, for the CMakeLists.txt of the command: names the sources and gives the target rijn what they need. Peers
# are optional: the header of each is looked for here, the library is loaded when the program runs.
set(RIJN_BENCH_SOURCES bench.c clock.c measure.c options.c peer_gcrypt.c peer_ipsecmb.c
  peer_libcrypto.c peer_nettle.c rulers.c stats.c subject.c subject_rijn.c table.c)
target_link_libraries(rijn PRIVATE m ${CMAKE_DL_LIBS})

include(CheckIncludeFile)
foreach(peer IPSEC_MB=intel-ipsec-mb.h NETTLE=nettle/xts.h GCRYPT=gcrypt.h)
  string(REPLACE "=" ";" peer ${peer})
  list(POP_FRONT peer peer_name peer_header)
  check_include_file(${peer_header} RIJN_BENCH_FOUND_${peer_name})
  if(RIJN_BENCH_FOUND_${peer_name})
    target_compile_definitions(rijn PRIVATE RIJN_BENCH_HAVE_${peer_name})
  endif()
endforeach()
