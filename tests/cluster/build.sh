#!/usr/bin/env bash
# Builds kube-apiserver, kubelet and etcd from their Go modules, and the test programs of ./cmd, into the
# user's cache folder: build.sh [FOLDER OF ANOTHER KUBELET], such as kubelet-1.34. What go.mod pins is built
# once for each version; the test programs are always rebuilt, which takes seconds. Says on standard error
# what it does, and on standard output the folder: with another kubelet, one in which that is the kubelet.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
export GOTOOLCHAIN=local GOFLAGS=-buildvcs=false GOWORK=off

version_of() { (cd "$1" && go list -m -f '{{.Version}}' "$2"); }

cache=${XDG_CACHE_HOME:-$HOME/.cache}/dra-health-agent/cluster
bin=$cache/kubernetes-$(version_of . k8s.io/kubernetes)-etcd-$(version_of etcd go.etcd.io/etcd/server/v3)-$(go env GOARCH)
mkdir -p "$bin"
exec 9>"$bin/.lock"
flock 9 # two test runs build once

# build MODULE_FOLDER PACKAGE FILE [LINKER FLAGS]: into a file of another name first, so that an interrupted
# build leaves nothing that looks like a program.
build() {
  local start=$SECONDS partial
  partial=$(dirname "$3")/.$(basename "$3").partial
  (cd "$1" && go build -trimpath -ldflags "-s -w ${4:-}" -o "$partial" "$2")
  mv -f "$partial" "$3"
  echo "built $3 in $((SECONDS - start)) s" >&2
}

# build_once: the same, unless it is there.
build_once() {
  if [[ -x "$3" ]]; then
    echo "found $3" >&2
  else
    echo "building $3 (minutes, the first time)" >&2
    build "$@"
  fi
}

# with_kubelet MODULE_FOLDER: a folder of links to the programs, with a kubelet that says its version.
with_kubelet() {
  local version folder
  version=$(version_of "$1" k8s.io/kubernetes)
  folder=$cache/kubelet-$version-beside-$(basename "$bin")
  mkdir -p "$cache/kubelet-$version-$(go env GOARCH)" "$folder"
  build_once "$1" k8s.io/kubernetes/cmd/kubelet "$cache/kubelet-$version-$(go env GOARCH)/kubelet" \
    "-X k8s.io/component-base/version.gitVersion=$version"
  ln -sf "$bin"/{etcd,kube-apiserver,fakecri,driver} "$cache/kubelet-$version-$(go env GOARCH)/kubelet" "$folder"
  echo "$folder"
}

build_once etcd go.etcd.io/etcd/server/v3 "$bin/etcd"
build_once . k8s.io/kubernetes/cmd/kube-apiserver "$bin/kube-apiserver"
build_once . k8s.io/kubernetes/cmd/kubelet "$bin/kubelet"
build . ./cmd/fakecri "$bin/fakecri"
build . ./cmd/driver "$bin/driver"
if [[ $# == 0 ]]; then
  echo "$bin"
else
  with_kubelet "$1"
fi
