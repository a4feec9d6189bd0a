#!/usr/bin/env bash
# Installs what a build of tileproof needs and is missing; says what it cannot install. A second run only checks (under a second).
#   scripts/setup.sh           check, install missing packages (root or sudo)
#   scripts/setup.sh --check   check only; exit 1 when something is missing
set -euo pipefail

LLVM_PREFIX=${MLIR_SYS_220_PREFIX:-/usr/lib/llvm-22}
# The packages on Debian and Ubuntu, and beside each the file that shows it is there.
PACKAGES="llvm-22-dev libmlir-22-dev mlir-22-tools clang-22 libpolly-22-dev zlib1g-dev libzstd-dev g++ make git ca-certificates python3-venv"
LLVM_FILES="bin/llvm-config bin/llvm-tblgen bin/mlir-tblgen bin/clang++ lib/libMLIR.so lib/libLLVM.so lib/libPolly.a lib/libMLIRCAPIIR.a include/mlir-c/IR.h include/mlir/IR/OpBase.td"
RUST_MINIMUM=1.95
CPU_FLAGS="avx2 fma bmi1 bmi2 f16c movbe abm"

problems=()

say() { printf '%s\n' "setup: $*" >&2; }

version_at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

check_cpu() {
  if [ "$(uname -sm)" != "Linux x86_64" ]; then
    problems+=("this is $(uname -sm); tileproof is built and tested on Linux x86_64 only")
    return
  fi
  local flag absent=""
  for flag in $CPU_FLAGS; do
    grep -qm1 "^flags.*[[:space:]]$flag\([[:space:]]\|\$\)" /proc/cpuinfo || absent="$absent $flag"
  done
  if [ -n "$absent" ]; then
    problems+=("this CPU lacks$absent; .cargo/config.toml builds for x86-64-v3 (AVX2 and FMA), so programs would stop with an illegal instruction")
  fi
}

check_rust() {
  local found
  if ! command -v cargo >/dev/null || ! command -v rustc >/dev/null; then
    problems+=("no Rust: install $RUST_MINIMUM or newer from https://rustup.rs, then open a new shell")
    return
  fi
  found=$(rustc --version | awk '{print $2}')
  version_at_least "$RUST_MINIMUM" "${found%%-*}" ||
    problems+=("Rust is $found, needed is $RUST_MINIMUM or newer: rustup update stable")
  cargo fmt --version >/dev/null 2>&1 || problems+=("no rustfmt (the tests run it): rustup component add rustfmt")
  cargo clippy --version >/dev/null 2>&1 || problems+=("no clippy (the tests run it): rustup component add clippy")
}

check_python() {
  if ! python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    problems+=("no python3 of 3.11 or newer with venv: JAX of python/requirements.txt needs it")
  fi
}

check_llvm() {
  local file absent=""
  for file in $LLVM_FILES; do
    [ -e "$LLVM_PREFIX/$file" ] || absent="$absent $file"
  done
  [ -z "$absent" ] && return
  problems+=("LLVM and MLIR 22 are not complete under $LLVM_PREFIX, missing:$absent")
  problems+=("for a build elsewhere set MLIR_SYS_220_PREFIX, TABLEGEN_220_PREFIX and LLVM_SYS_221_PREFIX to its prefix, and change the rpath in .cargo/config.toml to its lib folder")
}

missing_packages() {
  local package
  for package in $PACKAGES; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || printf '%s ' "$package"
  done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    say "needs root or sudo for: $*"
    exit 1
  fi
}

install_packages() {
  local missing=$1 candidate
  say "installing: $missing"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq update
  candidate=$(apt-cache policy libmlir-22-dev | awk '/Candidate:/ {print $2}')
  if [[ " $missing" == *-22* ]] && { [ -z "$candidate" ] || [ "$candidate" = "(none)" ]; }; then
    say "apt offers no libmlir-22-dev on $system."
    say "LLVM's own apt repository has it: follow https://apt.llvm.org for version 22, then run this again. (We have not tested that.)"
    exit 1
  fi
  # shellcheck disable=SC2086 # a list of package names
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $missing >&2
}

system=unknown
family=""
if [ -r /etc/os-release ]; then
  system=$(. /etc/os-release && printf '%s' "${PRETTY_NAME:-$ID}")
  family=$(. /etc/os-release && printf ' %s %s ' "$ID" "${ID_LIKE:-}")
fi

if [[ $family == *" debian "* || $family == *" ubuntu "* ]]; then
  missing=$(missing_packages)
  # A complete LLVM elsewhere, named by the variable, replaces the packages.
  if [ -n "${MLIR_SYS_220_PREFIX:-}" ]; then
    missing=$(printf '%s' "$missing" | tr ' ' '\n' | grep -v -e '-22' | tr '\n' ' ' || true)
  fi
  if [ -n "${missing// /}" ]; then
    if [ "${1:-}" = --check ]; then
      problems+=("packages not installed: $missing")
    else
      install_packages "$missing"
    fi
  fi
else
  command -v c++ >/dev/null || problems+=("no C++ compiler and standard library headers (c++)")
fi

check_cpu
check_rust
check_python
check_llvm

if [ ${#problems[@]} -gt 0 ]; then
  say "not ready on $system:"
  for problem in "${problems[@]}"; do say "  - $problem"; done
  say "tested systems: Debian 12. Packages by their Debian names: $PACKAGES"
  exit 1
fi
