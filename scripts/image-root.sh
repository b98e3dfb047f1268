#!/usr/bin/env bash
# Makes the root folder of the agent's image: image-root.sh AGENT FOLDER. In it are the program, exactly the
# libraries that it is linked to, as the Debian packages of this machine have them, and of each of these packages
# its copyright file and its record, by which scanners know what is inside. Nothing else: no shell, no users.
set -euo pipefail

agent=$(realpath -e "${1:?path of dra-health-agent}")
root=${2:?folder to make}
[[ ! -e $root ]] || { echo "$0: $root is there already" >&2; exit 2; }
fail() {
  echo "$0: $1" >&2
  exit 1
}

install -D -m 0755 "$agent" "$root/usr/bin/dra-health-agent"
for folder in lib lib64; do
  mkdir -p "$root/usr/$folder"
  ln -s "usr/$folder" "$root/$folder"
done
install -D -m 0644 /etc/os-release "$root/etc/os-release"

linked=$(ldd "$agent")
[[ $linked != *"not found"* ]] || fail "a library is missing: $linked"
mapfile -t libraries < <(grep -oE '/[^ ]+' <<<"$linked")

# Whose they are. A package's list of files has /lib or /usr/lib, and a link or the file behind it.
names=()
for library in "${libraries[@]}"; do
  for file in "${library#/usr}" "$(realpath "$library")"; do names+=("${file#/usr}" "/usr${file#/usr}"); done
done
declare -A owner
while read -r line; do
  file=${line##*: }
  owner[${file#/usr}]=${line%%: *}
done < <(dpkg-query -S "${names[@]}" 2>/dev/null || true)

for library in "${libraries[@]}"; do
  # By the name that the program asks for.
  install -D -m 0755 "$library" "$root/usr${library#/usr}"
  real=$(realpath "$library")
  package=${owner[${library#/usr}]:-${owner[${real#/usr}]:-}}
  [[ -n $package ]] || fail "$library is of no Debian package"
  name=${package%%:*}
  [[ -e $root/var/lib/dpkg/status.d/$name ]] && continue
  install -D -m 0644 <(dpkg-query -s "$package") "$root/var/lib/dpkg/status.d/$name"
  install -D -m 0644 "/usr/share/doc/$name/copyright" "$root/usr/share/doc/$name/copyright"
done

echo "$root: $(du -sm "$root" | cut -f1) MiB, $(find "$root/var/lib/dpkg/status.d" -type f | wc -l) Debian packages"
