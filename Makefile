# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
# A thin face of the CMake presets (CMakePresets.json). Fresh Debian 12: `make run`, `make check`.
JOBS ?= 2
FILE ?=

.PHONY: all run check check-slow bench install format format-check sizes proof setup clean

all:
	cmake --preset release
	cmake --build --preset release -j $(JOBS)

# Installs what is missing, builds, encrypts FILE (or a file of 64 MiB it makes), decrypts it and compares.
run:
	tools/setup build
	$(MAKE) --no-print-directory all
	tools/run build/release "$(FILE)"

# Installs what the tests need, builds, and runs the core tests.
check:
	tools/check core $(JOBS)

check-slow:
	tools/check slow $(JOBS)

bench: all
	build/release/cmd/rijn bench --full --html build/bench.html --json build/bench.json

install: all
	cmake --install build/release

format:
	tools/format

format-check:
	tools/format --check

# Bytes of code of each instruction set and lines of GCM source for x86.
sizes: all
	tools/sizes build/release

# CBMC's proofs (doc/proofs.md), some minutes; fetches CBMC into build/cbmc.
proof:
	tools/setup build test
	proof/setup
	proof/run

setup:
	tools/setup build test

clean:
	rm -rf build/release build/check
