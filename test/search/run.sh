#!/usr/bin/env bash
# run.sh SCORER QUERIES TREES [ARGUMENT...]
#
# Prints what the search finds, whole and without each of its signals. SCORER is the program that grades `search --batch`,
# QUERIES its requests, TREES the folder in which it keeps work trees; each ARGUMENT goes to it, such as --open-file=blind.
# Needs Go, Python 3 and git.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../../scripts/lib.sh"

[ $# -ge 3 ] || die "usage: run.sh SCORER QUERIES TREES [ARGUMENT...]"
scorer=$1 queries=$2 trees=$3
shift 3
engine=$cache/bin/ablation
(cd "$root" && go test -c -o "$engine" ./test/search)

# row NAME ARGUMENT... prints the mean over the repositories of an engine that is called with the arguments.
row() {
  local name=$1
  shift
  python3 "$scorer" --trees "$trees" "${extra[@]}" "$queries" -- "$engine" "$@" |
    awk -v name="$name" '$1 == "MACRO" { printf "| %-14s | %s | %s | %s |\n", name, $4, $5, $6 }'
}

extra=("$@")
echo "| without        | r@5   | r@10  | MRR   |"
echo "|----------------|-------|-------|-------|"
row nothing
for signal in $("$engine" signals); do
  row "$signal" --without "$signal"
done
