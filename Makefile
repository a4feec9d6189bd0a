# make setup    install what a build needs and is missing (Debian, Ubuntu; elsewhere it says what is missing)
# make test     set up, build and run the whole gate
# make demo     check a JAX transformer through every pass
# make python   the .venv with the pinned JAX that tests and python/ use
# make programs write tests/programs again from python/programs

TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)

.PHONY: setup test demo python programs

setup:
	@scripts/setup.sh

python: .venv/installed

.venv/installed: python/requirements.txt python/requirements-test.txt | setup
	python3 -m venv .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement python/requirements-test.txt
	touch $@

test: setup python
	cargo test --workspace

demo: setup
	cargo build --release --bin tileproof
	$(TARGET_DIR)/release/tileproof check tests/programs/transformer.mlir

programs: python
	.venv/bin/python python/programs/generate.py
