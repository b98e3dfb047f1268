#!/usr/bin/env bash
# Runs the cluster tests: run.sh AGENT [go test flags]. Exit code 77 says that they were skipped, and the
# output why; with CI=true that is a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

skip() {
  echo "cluster tests skipped: $1"
  [[ "${CI:-}" == true ]] && exit 1
  exit 77
}

AGENT=$(realpath -e "${1:?path of dra-health-agent}")
shift
[[ $EUID == 0 ]] || skip "a kubelet needs root"
command -v go >/dev/null || skip "Go 1.26 or later is needed to build Kubernetes, and there is no go"
version=$(GOTOOLCHAIN=local go env GOVERSION)
[[ $(printf '%s\n' go1.26 "$version" | sort -V | head -1) == go1.26 ]] ||
  skip "Go 1.26 or later is needed to build Kubernetes, and this is $version"

CLUSTER_BIN=$(./build.sh)
export AGENT CLUSTER_BIN GOTOOLCHAIN=local GOFLAGS=-buildvcs=false GOWORK=off
exec go test -v -count=1 -timeout 30m -parallel 8 "$@" ./...
