# LifeSignal. `make run` starts it, `make test` tests it, and `make help` lists the rest.
SHELL := /bin/bash
.DEFAULT_GOAL := help

SWIFT ?= swift
PROGRAM := .build/debug/lifesignal
RELEASE := .build-release/release
VENV := .venv
PYTHON ?= /usr/bin/python3
# HAProxy's port in `make run-cluster`.
PORT ?= 8080

# The macros are built once, as a library on the compiler's own swift-syntax. SwiftPM would compile
# swift-syntax for minutes. The folder's name is a hash of sources and compiler, so that changed
# macros rebuild their users.
MACROS := .build-macros
MACRO_SOURCES := $(shell find Sources/Kits/ComposableArchitectureMacros -name '*.swift' \
	! -name Plugin.swift 2>/dev/null | sort)
MACRO_LIBRARIES := SwiftSyntax SwiftSyntaxMacros SwiftSyntaxBuilder SwiftDiagnostics SwiftParser \
	SwiftBasicFormat
WITH_MACROS = LIFESIGNAL_MACROS="$$(echo "$(CURDIR)/$(MACROS)"/*/*.so)"
BUILD = $(WITH_MACROS) $(SWIFT) build
# `make test` builds everything at once, because each further build takes seconds even without
# changes.
BUILT := $(if $(filter test test-all,$(MAKECMDGOALS)),tests-built)
build = $(if $(BUILT),true,$(BUILD) --product $(1))
# `lifesignal --version` prints it. Only releases know it, because each commit links them again.
# Sources without git have no name; set LIFESIGNAL_BUILD to give them one.
export LIFESIGNAL_BUILD ?=
DESCRIBED = $${LIFESIGNAL_BUILD:-$$([ ! -e "$(CURDIR)/.git" ] || \
	git -C "$(CURDIR)" describe --tags --always --long --dirty --abbrev=12 2>/dev/null)}
RELEASE_BUILD = LIFESIGNAL_BUILD="$(DESCRIBED)" $(BUILD) -c release --scratch-path .build-release

# Debian 12's packages for the program and its build.
PACKAGES := libsqlite3-dev libssl-dev libcurl4-openssl-dev libqrencode-dev libpng-dev zlib1g-dev \
	libturbojpeg0-dev libzbar-dev libzxing-dev libphonenumber-dev libprotobuf-dev libabsl-dev \
	libstdc++-12-dev libpq-dev pkg-config curl ca-certificates
SWIFT_FILES := Sources Tests Benchmarks Apps Package.swift
PYTHON_FILES := Tests Benchmarks Deploy/cluster Deploy/debian Deploy/container Deploy/sbom.py

BENCHMARKS := lifesignal-bench store-bench client-bench web-bench

# Without this limit, Swift Testing starts all tests at once, and each takes as long as the whole
# run.
TESTS_AT_ONCE := 8

# Ends and names tests that hang.
BOUNDED := Tests/Support/bounded.py

# The suites with tests on TestDatabase or PostgreSQL.
POSTGRESQL_SUITES := PersistenceTests|SafetyNetworkTests|DeliveryTests|HTTPServerTests|ServersTests
POSTGRESQL_SUITES := $(POSTGRESQL_SUITES)|ClientsLiveTests|IntegrationTests|InProcessTransportTests
# Suites among these that use no database: channels to providers.
WITHOUT_DATABASE := APNs|Email|FCM|Gateway|Google|Push|Text|Twilio|Voice|WebPush|Webhook
# Suites of timeouts of PostgreSQL. They run by themselves: beside other tests on a slow machine,
# even a healthy server answers late.
TIMED := ConnectionShortage|Deadline|LateCommit|LostConnection|ReleasedLock|WaitingWrites

TEST_PACKAGES := $(PACKAGES) python3 python3-venv tzdata chromium chromium-driver \
	chromium-headless-shell firefox-esr webkit2gtk-driver xvfb postgresql-15
CLUSTER_PACKAGES := python3 postgresql-15 haproxy
# wrk, PostgreSQL, and what builds uWSGI, psycopg and pycurl.
PEER_PACKAGES := wrk postgresql-15 build-essential libpq-dev libcurl4-openssl-dev libffi-dev

# Tools for the Debian package, and programs for the tests of Deploy. On a machine with systemd,
# Debian starts some of them as services.
DEB_PACKAGES := dpkg-dev binutils chrpath python3
IMAGE_PACKAGES := $(DEB_PACKAGES) curl ca-certificates tzdata
DEPLOY_PACKAGES := $(IMAGE_PACKAGES) skopeo lintian debootstrap systemd-container caddy haproxy \
	nginx-light fail2ban prometheus prometheus-blackbox-exporter patroni etcd-server postgresql-15 \
	openssl iproute2

.PHONY: help run run-cluster demo test test-all test-swift test-postgresql test-simulation \
	simulate simulate-seeds simulate-defects simulation-coverage test-faults mutants \
	test-macro-expansion test-tsan test-ios-types \
	test-end-to-end test-village test-cluster test-deploy test-failover bench bench-postgresql \
	bench-firestore bench-idle bench-peers format \
	lint clean packages test-packages cluster-packages deploy-packages build release \
	generate-manual deb image macros tests-built

help: ## list what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | \
		awk -F ':.*## ' '{ printf "  make %-8s %s\n", $$1, $$2 }'

run: release ## build and start on http://localhost:8080, with the data under ./data
	@exec $(RELEASE)/lifesignal serve --sign-up open $(ARGS)

run-cluster: ## three servers on PostgreSQL behind HAProxy at :8080, with the data in ./data/cluster
run-cluster: release cluster-packages
	@exec $(PYTHON) Deploy/cluster/run.py $(RELEASE)/lifesignal --data data/cluster \
		--port $(PORT) $(if $(FROM),--from "$(FROM)") $(ARGS)

demo: release ## play the story of three people over HTTP (two minutes)
	@$(RELEASE)/lifesignal demo

test: ## test everything from one function to the built program
test: test-packages lint test-swift test-ios-types test-postgresql test-simulation \
	test-end-to-end
	@echo "All tests passed."

# Needs root, because some of these tests install packages and boot a Debian.
test-all: ## run what `make test` leaves out as well: deployment, failover, sanitizer
test-all: test test-macro-expansion test-tsan test-village test-cluster test-failover test-deploy
	@echo "All of all tests passed."

# Runs `swift test` with arguments, and lists the failures: $(call tests,arguments,log)
tests = set -o pipefail; \
	SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(TESTS_AT_ONCE) \
		$(WITH_MACROS) $(BOUNDED) $(SERVED) $(SWIFT) test --skip-build $(1) 2>&1 | \
		tee .build/$(2).log || \
		{ echo "==> Failed tests (the whole log is .build/$(2).log)"; \
		grep '✘' .build/$(2).log | grep -v 'known issue'; exit 1; }

test-swift: tests-built
	@echo "==> Unit and integration tests"
	@$(call tests,,tests)

# Needs web-bench, because linking it builds the app's modules and the walk through the screens.
test-ios-types: ## check the iPhone app's types, words, screens and project by Tests/AppleTypes
test-ios-types: test-packages macros $(VENV)/ready $(BUILT)
	@echo "==> The iPhone app, against declarations of Apple's frameworks"
	@$(call build,web-bench)
	@$(VENV)/bin/python -m pytest Tests/AppleTypes --numprocesses 2 --dist loadfile

test-postgresql: ## run the suites with a database on a PostgreSQL server of their own
test-postgresql: SERVED := Tests/Support/with-postgresql.py
test-postgresql: tests-built
	@echo "==> Tests on PostgreSQL"
	@$(call tests,--filter '^($(POSTGRESQL_SUITES))' \
		--skip '^DeliveryTests\.($(WITHOUT_DATABASE))' \
		--skip '^PersistenceTests\.($(TIMED))Tests',tests-postgresql)
	@$(call tests,--filter '^PersistenceTests\.($(TIMED))Tests',tests-postgresql-timed)

# Fixed seeds, so that only a change can make a test fail. FIRST_SEED=… chooses others. Each seed
# keeps one core busy.
FIRST_SEED ?= 40
SIMULATION_SECONDS ?= 60
# Together they reach every situation of Mark.
DEVICE_SEEDS ?= 6 7 9 18 45 16 20

test-simulation: ## simulate people, networks, disks and clocks for SIMULATION_SECONDS
test-simulation: test-packages macros $(VENV)/ready $(BUILT)
	@echo "==> Simulation"
	@$(call build,simulate)
	@printf '%s\n' "--seed $(FIRST_SEED) --seconds $(SIMULATION_SECONDS)" \
		"--devices --seeds $(DEVICE_SEEDS)" | \
		xargs -P "$$(getconf _NPROCESSORS_ONLN)" -L 1 .build/debug/simulate
	@$(VENV)/bin/python -m pytest Tests/Support/Mutants -q -p no:cacheprovider

simulate: ## simulate one seed for as long as you like: SEED=1 HOURS=2400, and STEPS=1000
simulate: test-packages macros
	@$(BUILD) --product simulate
	@.build/debug/simulate $(if $(SEED),--seed $(SEED)) $(if $(HOURS),--hours $(HOURS)) \
		$(if $(STEPS),--steps $(STEPS)) $(ARGS)

simulate-seeds: ## look for faults with new seeds: FIRST_SEED=900 SIMULATION_SECONDS=600
simulate-seeds: test-packages macros
	@$(BUILD) -c release --scratch-path .build-release --product simulate
	@for kind in "" --devices; do \
		$(RELEASE)/simulate $$kind --jobs 1 --seed $(FIRST_SEED) \
			--seconds $(SIMULATION_SECONDS) & jobs="$$jobs $$!"; \
	done; failed=0; for job in $$jobs; do wait $$job || failed=1; done; exit $$failed

simulate-defects: ## put known defects into a copy; does the simulation notice? DEFECTS=… for some
simulate-defects: test-packages macros
	@$(WITH_MACROS) $(PYTHON) Tests/Support/Mutants/find_kept.py $(DEFECTS) $(ARGS)

simulation-coverage: ## which lines of the server does a minute of simulation reach?
simulation-coverage: test-packages macros
	@$(WITH_MACROS) $(PYTHON) Tests/Support/Simulation/coverage.py \
		--first-seed $(FIRST_SEED) --seconds $(SIMULATION_SECONDS)
# SEED draws N mutants. MUTANTS=… repeats some by id. MINUTES=… stops early; the same command then
# continues.
mutants: ## put N plausible defects into a copy; do tests and simulation notice? SEED=, MUTANTS=
mutants: test-packages macros
	@$(WITH_MACROS) $(PYTHON) Tests/Support/Mutants/mutants.py --number $(or $(N),100) \
		--seed $(or $(SEED),1) $(if $(JOBS),--jobs $(JOBS)) $(if $(MINUTES),--minutes $(MINUTES)) \
		$(if $(RESUME),--resume $(RESUME)) $(if $(MUTANTS),--only $(MUTANTS)) $(ARGS)

test-macro-expansion: ## test what the macros expand to (some minutes: swift-syntax a second time)
	@$(BOUNDED) $(SWIFT) test --package-path Tests/MacroExpansion

test-tsan: ## test the Composable Architecture under Thread Sanitizer (builds for some minutes)
	@$(BOUNDED) $(SWIFT) test --package-path Tests/ThreadSanitizer --sanitize=thread

# Four processes, because tests without a browser wait two thirds of the time, and two for the tests
# that wait almost all of it. Browsers and their drivers fail sometimes, so a failed test is
# repeated once, and listed.
test-end-to-end: test-packages build $(VENV)/ready
	@echo "==> End-to-end tests on the built program (LIFESIGNAL_KILLS sets how many kills)"
	@echo "    and of the web app in browsers; screenshots go into .build/screenshots"
	@printf '%s\n' '-m "not waits and not cluster" --numprocesses 4 --second-tries=2' \
		'-m waits --numprocesses 2 --second-tries=1' | \
		LIFESIGNAL_PROGRAM="$(CURDIR)/$(PROGRAM)" xargs -P 2 -L 1 $(VENV)/bin/python -m pytest \
		Tests/EndToEnd --dist worksteal --reruns 1

# `make test` runs a minute of this during the end-to-end tests, which wait most of the time.
FAULT_SEED ?= 1
FAULT_SECONDS ?= 60

test-faults: ## break the built program's machine, providers and clients, from FAULT_SEED on
test-faults: test-packages build $(VENV)/ready
	@LIFESIGNAL_PROGRAM="$(CURDIR)/$(PROGRAM)" LIFESIGNAL_FAULT_SEED=$(FAULT_SEED) \
		LIFESIGNAL_FAULT_SECONDS=$(FAULT_SECONDS) $(VENV)/bin/python -m pytest \
		Tests/EndToEnd/test_faults_drawn.py --capture no

test-village: ## let 500 people sign up from one address, and play what happens to their server
test-village: test-packages build $(VENV)/ready
	@echo "==> The village"
	@LIFESIGNAL_PROGRAM="$(CURDIR)/$(PROGRAM)" LIFESIGNAL_VILLAGE=500 $(VENV)/bin/python \
		-m pytest Tests/EndToEnd/test_village.py

test-cluster: ## test `make run-cluster`, with browsers
test-cluster: test-packages cluster-packages build $(VENV)/ready
	@echo "==> Three servers on PostgreSQL"
	@LIFESIGNAL_PROGRAM="$(CURDIR)/$(PROGRAM)" $(VENV)/bin/python -m pytest Tests/EndToEnd/web \
		-m cluster

test-deploy: ## test Deploy with the real programs, and the package in a small Debian (root only)
test-deploy: generate-manual test-packages deploy-packages $(VENV)/ready
	@echo "==> Deployment tests"
	@SWIFT="$(SWIFT)" LIFESIGNAL_PROGRAM="$(CURDIR)/$(RELEASE)/lifesignal" \
		$(VENV)/bin/python -m pytest Tests/Deploy

test-failover: ## kill and cut off the primary of three PostgreSQL machines under load (root only)
test-failover: build test-packages deploy-packages $(VENV)/ready
	@echo "==> Failover tests (LIFESIGNAL_FAILOVERS sets how many of each kind)"
	@LIFESIGNAL_PROGRAM="$(CURDIR)/$(PROGRAM)" $(VENV)/bin/python -m pytest Tests/Failover

bench: ## measure a release build and print five tables; fails when a goal is missed
bench: release test-packages $(VENV)/ready
	@for name in $(BENCHMARKS); do \
		$(RELEASE_BUILD) --product $$name || exit 1; \
	done
	@missed=0; \
	$(RELEASE)/lifesignal-bench --program $(RELEASE)/lifesignal $(ARGS) || missed=1; \
	for name in $(filter-out lifesignal-bench,$(BENCHMARKS)); do $(RELEASE)/$$name || missed=1; done; \
	PYTHONPATH=Tests/EndToEnd LIFESIGNAL_PROGRAM="$(CURDIR)/$(RELEASE)/lifesignal" \
		$(VENV)/bin/python Benchmarks/Browser/bench.py || missed=1; \
	exit $$missed

bench-postgresql: ## measure several servers on PostgreSQL and print a table; ARGS="--only alert"
bench-postgresql: release test-packages deploy-packages $(VENV)/ready
	@$(RELEASE_BUILD) --product lifesignal-bench
	@PYTHONPATH=Deploy/cluster $(VENV)/bin/python Benchmarks/PostgreSQL/bench.py \
		$(RELEASE)/lifesignal-bench $(RELEASE)/lifesignal $(ARGS)

bench-firestore: ## measure the copy in Firestore against an emulator, and print a table
bench-firestore: release $(VENV)/ready
	@PYTHONPATH=Tests/EndToEnd LIFESIGNAL_PROGRAM="$(CURDIR)/$(RELEASE)/lifesignal" \
		$(VENV)/bin/python Benchmarks/Firestore/bench.py $(ARGS)

bench-idle: ## measure what a server costs while nobody does anything; ARGS=60 for a minute
bench-idle: release $(VENV)/ready
	@PYTHONPATH=Tests/EndToEnd LIFESIGNAL_PROGRAM="$(CURDIR)/$(RELEASE)/lifesignal" \
		$(VENV)/bin/python Benchmarks/Idle/bench.py $(ARGS)

# PEER_PYTHON=… names a Python that is new enough for healthchecks, if none is on the PATH.
bench-peers: ## compare check-ins with healthchecks: PEER=path of its checkout, ARGS=2 for seconds
bench-peers: release $(VENV)/ready
	@$(call install,$(PEER_PACKAGES))
	@PYTHONPATH=Tests/EndToEnd:Deploy/cluster \
		LIFESIGNAL_PROGRAM="$(CURDIR)/$(RELEASE)/lifesignal" \
		$(VENV)/bin/python Benchmarks/Peers/bench.py "$(PEER)" $(ARGS)

release: ## build the optimised program for a server: .build-release/release/lifesignal
release: packages macros
	@echo "==> Building LifeSignal (the first time: some minutes on two quiet cores)"
	@$(RELEASE_BUILD) --product lifesignal

# ArgumentParser's program for manual pages. Its command plugin would first build every product.
generate-manual: release
	@$(RELEASE_BUILD) --product generate-manual

macros: packages
	@name=$$({ cat $(MACRO_SOURCES); $(SWIFT)c --version; } 2>/dev/null | sha256sum | cut -c 1-16); \
	[ -d $(MACROS)/$$name ] || { echo "==> Building the macros"; \
		rm -rf $(MACROS) $(MACROS).new && mkdir -p $(MACROS).new && \
		host=$$($(SWIFT)c -print-target-info | \
			sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')/host && \
		$(SWIFT)c -O -wmo -swift-version 6 -emit-library -module-name ComposableArchitectureMacros \
			-module-cache-path $(MACROS).new/cache -I "$$host" -L "$$host" \
			-Xlinker -rpath -Xlinker "$$host" $(MACRO_LIBRARIES:%=-l%) \
			-o $(MACROS).new/libComposableArchitectureMacros.so $(MACRO_SOURCES) && \
		rm -rf $(MACROS).new/cache && mkdir $(MACROS) && mv $(MACROS).new $(MACROS)/$$name || { \
		echo "==> The macros do not build, and the program can't without them."; exit 1; }; }

deb: generate-manual ## build .build-release/lifesignal_<version>_<architecture>.deb
	@$(call install,$(DEB_PACKAGES))
	@SWIFT="$(SWIFT)" Deploy/debian/build.sh $(RELEASE)/lifesignal .build-release

image: deb ## build .build-release/lifesignal_<version>_<architecture>.oci.tar
	@$(call install,$(IMAGE_PACKAGES))
	@Deploy/container/image.py \
		"$$(ls -t .build-release/lifesignal_*.deb | head -n 1)" .build-release

format: $(VENV)/ready ## format every Swift and Python file
	@$(SWIFT) format -i -r $(SWIFT_FILES)
	@$(VENV)/bin/ruff format --quiet $(PYTHON_FILES)

lint: test-packages $(VENV)/ready ## name the Swift and Python files that are not formatted
	@echo "==> Checking the format of the sources"
	@$(SWIFT) format lint --strict -r $(SWIFT_FILES)
	@$(VENV)/bin/ruff format --quiet --check $(PYTHON_FILES)

clean: ## remove what was built; ./data stays
	@rm -rf .build .build-macros .build-release .build-defects .build-coverage $(VENV) \
		.build-mutants .build-peers Tests/MacroExpansion/.build Tests/ThreadSanitizer/.build

tests-built: test-packages macros
	@echo "==> Building everything in debug"
	@$(BUILD) --build-tests

build: packages macros $(BUILT)
	@$(call build,lifesignal)
	@$(call build,push-requests)

packages:
	@$(call install,$(PACKAGES))

test-packages:
	@$(call install,$(TEST_PACKAGES))

cluster-packages:
	@$(call install,$(CLUSTER_PACKAGES))

deploy-packages:
	@$(call install,$(DEPLOY_PACKAGES))

$(VENV)/ready: Tests/EndToEnd/requirements.txt
	@echo "==> Installing the test tools from PyPI"
	@$(PYTHON) -m venv $(VENV)
	@$(VENV)/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# Installs missing Debian packages. Prevents Debian's PostgreSQL from starting its unused server at
# port 5432.
define install
	missing=$$(for name in $(1); do \
		dpkg-query -W -f='$${Status}' $$name 2>/dev/null | grep -q 'ok installed' || echo $$name; \
	done); \
	if [ -n "$$missing" ]; then \
		echo "==> Installing Debian packages:" $$missing; \
		run=$$([ "$$(id -u)" = 0 ] || echo sudo); \
		policy=/etc/postgresql-common/createcluster.d/lifesignal.conf; \
		case "$$missing" in *postgresql*) $$run mkdir -p "$$(dirname $$policy)" && \
			echo 'create_main_cluster = false' | $$run tee $$policy >/dev/null;; esac; \
		$$run apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
			$$run apt-get install -y -qq --no-install-recommends $$missing >/dev/null; \
		status=$$?; [ ! -e $$policy ] || $$run rm $$policy; exit $$status; \
	fi
endef
