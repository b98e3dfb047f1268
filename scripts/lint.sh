#!/usr/bin/env bash
# Checks the layout of all files with clang-format and the program's code with clang-tidy, which reads how
# to compile it from build/dev: build that first. Arguments: files to check, default all.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD_DIR:-build/dev}

mapfile -t files < <(if [[ $# -gt 0 ]]; then printf '%s\n' "$@"; else
  find src tests -name '*.h' -o -name '*.cpp'; fi)
clang-format-19 --dry-run --Werror "${files[@]}"
echo "clang-format: ${#files[@]} files are laid out as they should be"

# Headers are checked with the files that include them.
sources=()
for file in "${files[@]}"; do
  [[ $file =~ ^src/.*\.cpp$ ]] && sources+=("^$PWD/$file\$")
done
[[ ${#sources[@]} -eq 0 ]] && exit
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! run-clang-tidy-19 -quiet -p "$build" "${sources[@]}" >"$log" 2>&1; then
  # Not its command lines and counts of what it left out.
  grep -v -e '^clang-tidy-19 ' -e '^\[ *[0-9]*/[0-9]*\]' -e 'warnings\? generated\.$' "$log" >&2
  exit 1
fi
echo "clang-tidy: no findings in ${#sources[@]} files and the headers they include"
