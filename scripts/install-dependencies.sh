#!/usr/bin/env bash
# Installs the Debian 12 packages of the named groups: build, test, lint, fuzz (default: all).
# Where all of them are there already, it needs neither network nor root.
set -euo pipefail

declare -A packages=(
  [build]="g++ cmake ninja-build mold pkg-config
           libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc
           libcpprest-dev libboost-dev libssl-dev nlohmann-json3-dev libsqlite3-dev libspdlog-dev
           libyaml-cpp-dev libcli11-dev libexpected-dev prometheus-cpp-dev"
  [test]="ccache libgtest-dev libgmock-dev python3 prometheus runc chromium"
  [lint]="clang-format-19 clang-tidy-19"
  [fuzz]="clang-19 libclang-rt-19-dev"
)

missing=()
for group in "${@:-build test lint fuzz}"; do
  for name in $group; do
    if [[ -z ${packages[$name]:-} ]]; then
      echo "$0: no group '$name'; the groups are build, test, lint and fuzz" >&2
      exit 2
    fi
    for package in ${packages[$name]}; do
      status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
      [[ $status == installed ]] || missing+=("$package")
    done
  done
done
[[ ${#missing[@]} -eq 0 ]] && exit

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "$0: to be installed by root: ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "Installing ${missing[*]}"
# Of prometheus only promtool is wanted; the package would start a server on every machine with systemd.
if [[ " ${missing[*]} " == *" prometheus "* && -d /run/systemd/system ]]; then
  "${as_root[@]}" systemctl mask prometheus.service
fi
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${missing[@]}"
