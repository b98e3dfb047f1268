#!/usr/bin/env bash
# Compares the kubelet, the agent and a bare client: bench.sh AGENT [flags of the benchmark, see -help].
# Exit code: 0 all reached, 1 a deciding figure missed, 2 wrong usage, 3 not measured.
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
agent=$(realpath -e "${1:?path of dra-health-agent}")
shift
json=$PWD/bench.json
cd "$here"
[[ $EUID == 0 ]] || { echo "a kubelet needs root" >&2; exit 3; }

bin=$(./build.sh)
export GOTOOLCHAIN=local GOFLAGS=-buildvcs=false GOWORK=off
go build -trimpath -o "$bin/bench" ./bench
cmake -S bare_client -B "$bin/bare-client" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$bin/bare-client" >/dev/null
exec "$bin/bench" -agent "$agent" -bin "$bin" -bare-client "$bin/bare-client/bare_client" -json "$json" "$@"
