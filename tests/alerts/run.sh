#!/usr/bin/env bash
# Asks promtool about the metrics and the alerts: run.sh METRICS_SAMPLE. Exit code 77 says that it was
# skipped, and the output why; with CI=true that is a failure.
set -euo pipefail
sample=$(realpath -e "${1:?path of metrics_sample}")
cd "$(dirname "${BASH_SOURCE[0]}")"

if ! command -v promtool >/dev/null; then
  echo "promtool tests skipped: there is no promtool; Debian has it in the package prometheus"
  [[ "${CI:-}" == true ]] && exit 1
  exit 77
fi

"$sample" | promtool check metrics
promtool check rules --lint=all --lint-fatal ../../manifests/alerts/alerts.yaml
promtool test rules alerts_test.yaml
