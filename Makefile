# make run                          process the sample crawl: pages in out/sample, articles in
#                                   out/articles.jsonl
# make run INPUT=path OUTPUT=file   process your own pages; an earlier OUTPUT is replaced
# make arrow                        install the `arrow` extra; likewise for the other extras:
#                                   arrow, benchmarks, groups, inspector, objects, otel, papers, render
# make test                         run the checks and tests of the code
# make release-check                test what is published: package, image, chart, documentation
# make docs                         generate the reference pages from the code
# make site                         build the documentation as a website, in out/site
# make fuzz                         test with hostile input, for most of an hour
# make hostile                      send thousands of hostile messages among good pages
# make test-browser                 run the tests that use a browser (rendering and the inspector);
#                                   needs Debian's packages chromium and npm
# make test-compose                 run the tests of docker-compose.yml that use Docker Compose; needs
#                                   Debian's package docker-compose
# make coverage                     write a line coverage report to out/coverage
#
# Each target installs its dependencies into .venv if necessary. Requirements: Python 3.11 or later with
# its venv module, a C++ compiler and Python's headers.

.DELETE_ON_ERROR:
library_extras := arrow benchmarks groups papers
service_extras := inspector objects otel render
extras := $(library_extras) $(service_extras)

.PHONY: run $(extras) dev test test-domain test-store test-tasks test-services test-processes test-command-line release-check test-browser test-compose coverage faults hostile fuzz lint format docs site requirements audit clean

# The tests start more than a hundred Python processes, and take twice as long if each process
# compiles its imports. This variable, which many container images set, makes them do so.
unexport PYTHONDONTWRITEBYTECODE

OUTPUT ?= out/articles.jsonl
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)

bin := .venv/bin
uv := $(bin)/uv --quiet pip install --python $(bin)/python
compile := $(bin)/uv --quiet pip compile --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-annotate --no-emit-index-url --no-emit-find-links --custom-compile-command "make requirements"

projects := --no-emit-package detourage pyproject.toml worker/pyproject.toml

# Stamp files, each newer than the requirements that were last installed.
tools := .venv/.tools
runtime := .venv/.runtime
development := .venv/.development
package := .venv/.package
axe := .venv/node/node_modules/axe-core/axe.min.js

# The installation takes minutes and is silent otherwise.
installing = @echo "installing $(1) into .venv: this can take minutes"

run: $(runtime) $(package)
ifdef INPUT
	@mkdir -p "$(dir $(OUTPUT))"
	$(bin)/detourage run "$(INPUT)" --output "$(OUTPUT)" --overwrite
else
	@mkdir -p out
	$(bin)/python -m examples.sample_crawl out/sample
	$(bin)/detourage run out/sample/pages.jsonl.gz --output "$(OUTPUT)" --overwrite
endif

# requirements-dev.txt pins the dependencies of all extras.
$(library_extras): $(runtime) $(package)
	$(call installing,the extra $@)
	$(uv) --verify-hashes --constraint requirements-dev.txt 'detourage[$@]'

$(service_extras): $(runtime) $(package)
	$(call installing,the extra $@)
	$(uv) --verify-hashes --constraint requirements-dev.txt 'detourage-service[$@]'

dev: $(development) $(package)

# Excludes the fault tests, which take minutes and use their own servers, and the tests of what only a
# release or a change of its files can break (release-check). Runs all jobs in parallel, because tests
# with servers spend half of their time waiting. Output is printed per job.
test:
	@$(MAKE) --no-print-directory $(development) $(package)
	@$(MAKE) --no-print-directory --jobs=7 --output-sync=target test-services test-processes test-domain test-store test-tasks test-command-line lint

# A test process that ends before its last test may still return 0, but has not written its report.
define run_tests
@rm -f out/tests/$@.xml
$(bin)/python -m pytest --junit-xml=out/tests/$@.xml $(1)
@test -f out/tests/$@.xml || { echo "$@ ended before its last test" >&2; exit 1; }
endef

# One NumPy thread per process, because NumPy threads that wait for work would occupy the cores of
# other jobs.
test-domain test-store test-tasks test-services test-processes test-command-line release-check: export OPENBLAS_NUM_THREADS := 1

test-domain: $(development) $(package)
	$(call run_tests,tests/unit tests/property)

services := tests/integration/secured tests/integration/service/shared_deployment
processes := tests/integration/processes tests/integration/service

test-services: $(development) $(package)
	$(call run_tests,$(services) tests/browser)

test-processes: $(development) $(package)
	$(call run_tests,$(processes) $(services:%=--ignore=%))

test-tasks: $(development) $(package)
	$(call run_tests,tests/integration/tasks tests/stories)

test-store: $(development) $(package)
	$(call run_tests,tests/integration --ignore=tests/integration/tasks $(services:%=--ignore=%) $(processes:%=--ignore=%))

test-command-line: $(development) $(package)
	$(call run_tests,tests/acceptance)

release-check: $(development) $(package)
	$(call run_tests,tests/release)

test-browser: $(development) $(package) $(axe)
	@command -v "$${DETOURAGE_TEST_BROWSER:-chromium}" >/dev/null || { \
		echo "no Chromium: apt-get install chromium, or set DETOURAGE_TEST_BROWSER" >&2; exit 1; }
	$(call run_tests,-m browser tests/browser)

test-compose: $(development) $(package)
	@docker compose version >/dev/null 2>&1 || command -v docker-compose >/dev/null || { \
		echo "no docker compose: apt-get install docker-compose" >&2; exit 1; }
	$(call run_tests,-m compose tests/release/test_compose.py)

# Not a gate, because only a reader can judge whether an untested line matters.
coverage: $(development) $(package)
	rm -f .coverage .coverage.*
	$(bin)/coverage run --module pytest tests/unit tests/property tests/integration tests/stories tests/acceptance tests/release
	$(bin)/coverage combine --quiet
	$(bin)/coverage html --quiet --directory out/coverage
	$(bin)/coverage report --skip-covered

# Hostile messages, files and pages: 200 times as many examples as in the tests; takes most of an hour.
fuzz: $(development) $(package)
	$(call run_tests,--timeout 0 -o faulthandler_timeout=0 --hypothesis-profile fuzz tests/property/messaging tests/property/inputs tests/property/html tests/fuzz)

# Runs the fault tests, and then injects every fault. Takes an hour. The full-disk fault
# requires root.
faults: $(development) $(package)
	$(call run_tests,--timeout 0 -o faulthandler_timeout=0 tests/faults)
	$(bin)/python -m benchmarks.faults.report

# Sends thousands of hostile messages of every kind through a deployment. Takes about twenty minutes.
hostile: $(development) $(package)
	$(bin)/python -m benchmarks.faults.hostile.report

lint: $(development) $(package)
	$(bin)/ruff check .
	$(bin)/ruff format --check .
	$(bin)/mypy
	$(bin)/lint-imports
	$(bin)/python -m tests.english

format: $(development)
	$(bin)/ruff check --fix .
	$(bin)/ruff format .

docs: $(runtime) $(package)
	$(bin)/python -m docs.reference_pages docs/reference

# Fails on broken links and on pages that are missing from the index. Works offline.
site: $(development) $(package)
	$(bin)/sphinx-build --quiet --fail-on-warning --keep-going --doctree-dir out/.doctrees --conf-dir docs . out/site
	@echo "out/site/index.html"

# Pins versions and hashes of all dependencies, without an index URL, so that any mirror works.
requirements: $(tools)
	printf 'setuptools\nuv\n' | $(compile) --output-file requirements-build.txt -
	$(compile) --output-file requirements.txt $(projects)
	$(compile) --output-file requirements-image.txt --extra inspector --extra objects --constraints requirements.txt $(projects)
	$(compile) --output-file requirements-dev.txt --extra dev --extra arrow --extra benchmarks --extra inspector --extra objects --extra otel --extra papers --extra render --constraints requirements.txt $(projects)

# Checks installed packages for known vulnerabilities. Not part of the tests, because it needs PyPI's
# advisories, which package mirrors do not offer.
audit: $(tools)
	$(bin)/uv tool run pip-audit --strict --disable-pip --require-hashes --requirement requirements.txt

clean:
	rm -rf .venv build dist out *.egg-info .*_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
	find detourage -name '*.so' -delete

$(bin)/python:
	@if [ -z "$(PYTHON)" ]; then \
		echo "Python 3.11 or later is needed: apt-get install python3 python3-venv" >&2; exit 1; fi
	@$(PYTHON) -m venv .venv >/dev/null 2>&1 || { rm -rf .venv; \
		echo "$(PYTHON) cannot make a virtual environment: apt-get install python3-venv" >&2; exit 1; }

$(tools): requirements-build.txt | $(bin)/python
	$(call installing,pip and uv)
	$(bin)/python -m pip --quiet --disable-pip-version-check install \
		--require-hashes --no-deps --requirement requirements-build.txt
	@touch $@

$(runtime): requirements.txt $(tools)
	$(call installing,the dependencies)
	$(uv) --compile-bytecode --require-hashes --no-deps --requirement requirements.txt
	@touch $@

$(development): requirements-dev.txt $(tools)
	$(call installing,the dependencies of the tests)
	$(uv) --compile-bytecode --require-hashes --no-deps --requirement requirements-dev.txt
	@touch $@ $(runtime)

# Accessibility checker for the inspector's pages, used only by the tests.
$(axe):
	@command -v npm >/dev/null || { echo "no npm: apt-get install npm" >&2; exit 1; }
	npm install --silent --no-save --prefix .venv/node axe-core@4.10

$(package): pyproject.toml worker/pyproject.toml setup.py $(shell find detourage -name '*.[ch]' -o -name '*.[ch]pp' -o -name '*.inc') $(tools)
	$(call installing,detourage with its compiled parts)
	$(uv) --no-deps --no-build-isolation --editable . --editable worker
	@touch $@
