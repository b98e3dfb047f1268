#!/usr/bin/env bash
# Builds kube-apiserver, kubelet and etcd from their Go modules, and the test programs of ./cmd, into the
# user's cache folder. What go.mod pins is built once for each version; the test programs are always
# rebuilt, which takes seconds. Says on standard error what it does, and on standard output the folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
export GOTOOLCHAIN=local GOFLAGS=-buildvcs=false GOWORK=off

kubernetes=$(go list -m -f '{{.Version}}' k8s.io/kubernetes)
etcd=$(cd etcd && go list -m -f '{{.Version}}' go.etcd.io/etcd/server/v3)
bin=${XDG_CACHE_HOME:-$HOME/.cache}/dra-health-agent/cluster/kubernetes-$kubernetes-etcd-$etcd-$(go env GOARCH)
mkdir -p "$bin"
exec 9>"$bin/.lock"
flock 9 # two test runs build once

# build MODULE_FOLDER PACKAGE NAME: into a file of another name first, so that an interrupted build
# leaves nothing that looks like a program.
build() {
  local start=$SECONDS partial="$bin/.$3.partial"
  (cd "$1" && go build -trimpath -ldflags '-s -w' -o "$partial" "$2")
  mv -f "$partial" "$bin/$3"
  echo "built $3 in $((SECONDS - start)) s" >&2
}

# build_once: the same, unless it is there.
build_once() {
  if [[ -x "$bin/$3" ]]; then
    echo "found $3 in $bin" >&2
  else
    echo "building $3 (minutes, the first time)" >&2
    build "$@"
  fi
}

build_once etcd go.etcd.io/etcd/server/v3 etcd
build_once . k8s.io/kubernetes/cmd/kube-apiserver kube-apiserver
build_once . k8s.io/kubernetes/cmd/kubelet kubelet
build . ./cmd/fakecri fakecri
build . ./cmd/driver driver
echo "$bin"
