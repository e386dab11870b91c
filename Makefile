# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
# A thin face of the CMake presets (CMakePresets.json). Fresh Debian 12: `make run`, `make check`.
JOBS ?= 2
FILE ?=
PREFIX ?=
ARGS ?=
# WHY: make would look for its own variables in the file's name. `run` hands it on as it is.
unexport FILE

# Targets share a build folder. Each builds with JOBS.
.NOTPARALLEL:

.PHONY: all run check check-slow check-quick check-go bench tune install uninstall \
  amalgamation format format-check sizes proof prove deb dist go java node \
  python rpm rust dkms site setup clean

all:
	cmake --preset release
	cmake --build --preset release -j $(JOBS)

# Installs what is missing, builds, encrypts FILE (or a file of 64 MiB it makes), decrypts it and compares.
run: export RIJN_RUN_FILE := $(value FILE)
run:
	@tools/setup build
	@tools/run --build $(JOBS)
	@tools/run build/release "$$RIJN_RUN_FILE"

# Installs what the tests need, builds, and runs the core tests.
check:
	tools/check core $(JOBS)

check-slow:
	tools/check slow $(JOBS)

# The core tests of one product: make check-library, -file, -volume, -provider, -kernel, -bench, -python, -java, -rust, -node.
check-%:
	tools/check core $(JOBS) $*

# For those who try a patch: at most 3 minutes on two cores.
check-quick:
	tools/check quick $(JOBS)

# Everything, and a page of it: build/bench.json, build/bench.html.
bench: all
	tools/setup report
	build/release/bin/rijn bench --full --json build/bench.json
	bench/report page build/bench.json -o build/bench.html

# Looks for parameters of the kernels that are faster on this machine (tuning/machines/README.md). ARGS: its options.
tune:
	@python3 -B tools/tune $(ARGS)

# Into PREFIX (/usr/local), under DESTDIR where it is packaged. WHY ldconfig: the loader knows a library that is new in
# its folders only after it, and on Debian /usr/local/lib is one of them. WHY a full path: the OpenSSL configuration
# names the module by it.
install: all
	case "$$PREFIX" in [!/]*) PREFIX="$$(pwd)/$$PREFIX" ;; esac; \
	cmake --install build/release $(if $(PREFIX),--prefix "$$PREFIX")
	if [ -z "$$DESTDIR" ] && [ "$$(id -u)" = 0 ]; then PATH="$$PATH:/usr/sbin:/sbin" ldconfig; fi

# The same PREFIX and DESTDIR. Only what the installation there has listed.
uninstall:
	tools/uninstall "$${PREFIX:-/usr/local}" "$$DESTDIR"
	if [ -z "$$DESTDIR" ] && [ "$$(id -u)" = 0 ]; then PATH="$$PATH:/usr/sbin:/sbin" ldconfig; fi

format:
	tools/format

format-check:
	tools/format --check

# A report: bytes of code of each instruction set and of each route of a message, and lines of source.
sizes: all
	tools/sizes build/release

# CBMC's proofs (doc/proofs.md), some minutes; fetches CBMC into build/cbmc.
proof:
	tools/setup build test
	proof/setup
	proof/run

# The answers of the kernels' machine code (doc/proofs.md), at chosen lengths: some minutes.
prove: all
	proof/answers/known_answers.py build/release/src/librijn.so
	proof/answers/rijn-prove build/release/src/librijn.so --jobs $(JOBS)

# The library in few files, for builds without CMake (doc/platforms.md), in build/amalgamation.
amalgamation:
	tools/amalgamate build/amalgamation

# The tarball of what is committed, its bill of materials and their checksums, in build/dist.
dist:
	tools/setup dist
	tools/dist build/dist

# Debian packages, source and binary, in build/deb. tools/setup build and the packages of test/deb/packages.txt first.
deb:
	tools/deb build/deb

# RPM packages, source and binary, in build/rpm. On Debian: tools/setup build and the packages of test/rpm/packages.txt first.
rpm:
	tools/rpm build/rpm

# The provider for the JVM, bindings/java: jars in build/java/target.
java:
	tools/setup build test
	bindings/java/build

# The Python package, bindings/python: wheel and source package in build/dist.
python:
	tools/setup build test
	bindings/python/build

# The Rust crates, bindings/rust: packages in build/dist.
rust:
	tools/setup build test
	bindings/rust/build

# The Go module, bindings/go: as a module proxy has it, in build/dist/go. check-go: its tests, 3 minutes at most.
go:
	tools/setup build test
	bindings/go/build

check-go:
	tools/setup build test
	python3 -B bindings/go/test/run.py . build/go tests

# The npm package, bindings/node: in build/dist.
node:
	tools/setup build test
	bindings/node/build

# The module for Linux, kernel/, as DKMS wants it: a packed folder in build/dist.
dkms:
	kernel/pack

# All documents and the reference of the calls as a site, in build/site/html.
site:
	tools/setup site
	build/venv/bin/python -B tools/site build/site

setup:
	tools/setup build test

clean:
	rm -rf build/release build/check build/quick
