#!/usr/bin/env bash
# run.sh WORK REPOSITORY... [-- ARGUMENT...]
#
# Prints for each REPOSITORY, a bare clone, how much of what its latest commits change stands in the first prompts for them, and the
# tokens of those prompts. WORK is a folder for work trees; each ARGUMENT goes to shown.py, such as --count 15 or -v.
# Needs Go, Python 3 and git. No model is asked.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../../scripts/lib.sh"

[ $# -ge 2 ] || die "usage: run.sh WORK REPOSITORY... [-- ARGUMENT...]"
work=$1
shift
repositories=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  repositories+=("$1")
  shift
done
[ $# = 0 ] || shift
(cd "$root" && go build -o "$cache/bin/forge" ./cmd/forge)
exec python3 "$here/shown.py" "$@" "$cache/bin/forge" "$work" "${repositories[@]}"
