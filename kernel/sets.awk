# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# For Kbuild: reads src/isa/sets.def, whose head says what its rows are, and prints words.
#   -v ARCH=NAME -v COMPILER=gcc|clang FILE;FLAG;FLAG... of each set, best first
function text(s) { gsub(/"/, "", s); return s }
/^[A-Z]+\(.*\)$/ {
  kind = $0; sub(/\(.*/, "", kind)
  row = $0; sub(/^[A-Z]+\(/, "", row); sub(/\)$/, "", row)
  split(row, f, ", ")
  if (kind == "ARCH" && f[1] == ARCH)
    family = f[2]
  else if (kind == "LEVEL")
    flags[f[1]] = flags[f[2]] " " text(f[3])
  else if (kind == "SET" && (f[3] == ARCH || f[3] == family)) {
    file[++n] = f[2]
    level[n] = f[4]
  } else if (kind == "OPTION" && f[2] == COMPILER)
    more[f[1]] = more[f[1]] " " text(f[3])
}
END {
  for (i = 1; i <= n; i++) {
    line = file[i] " " flags[level[i]] " " more[ARCH] " " more[file[i]]
    gsub(/ +/, ";", line)
    sub(/;$/, "", line)
    print line
  }
}
