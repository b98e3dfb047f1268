#!/usr/bin/env bash
# Runs the cluster tests: run.sh [--kubelet FOLDER] AGENT [go test flags], with another kubelet than the API
# server's where its FOLDER is given, such as kubelet-1.34. Exit code 77 says that they were skipped, and the
# output why; with CI=true that is a failure.
set -euo pipefail

skip() {
  echo "cluster tests skipped: $1"
  [[ "${CI:-}" == true ]] && exit 1
  exit 77
}

kubelet=()
if [[ "${1:-}" == --kubelet ]]; then
  kubelet=("${2:?folder of a kubelet}")
  shift 2
fi
AGENT=$(realpath -e "${1:?path of dra-health-agent}")
shift
cd "$(dirname "${BASH_SOURCE[0]}")"
[[ $EUID == 0 ]] || skip "a kubelet needs root"
command -v go >/dev/null || skip "Go 1.26 or later is needed to build Kubernetes, and there is no go"
version=$(GOTOOLCHAIN=local go env GOVERSION)
[[ $(printf '%s\n' go1.26 "$version" | sort -V | head -1) == go1.26 ]] ||
  skip "Go 1.26 or later is needed to build Kubernetes, and this is $version"

CLUSTER_BIN=$(./build.sh "${kubelet[@]}")
export AGENT CLUSTER_BIN OLDER_KUBELET='' GOTOOLCHAIN=local GOFLAGS=-buildvcs=false GOWORK=off
[[ ${#kubelet[@]} -eq 0 ]] || OLDER_KUBELET=$(cd "${kubelet[0]}" && go list -m -f '{{.Version}}' k8s.io/kubernetes)
status=0
start=$SECONDS
go test -v -count=1 -timeout 30m -parallel 8 "$@" ./... || status=$?
echo "cluster tests${OLDER_KUBELET:+ with kubelet $OLDER_KUBELET} took $((SECONDS - start)) s"
exit $status
