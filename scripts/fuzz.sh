#!/usr/bin/env bash
# fuzz.sh [SECONDS]
#
# Finds every fuzz target of the module and runs each for a moment, all together about SECONDS (default 20,
# building not counted). Ends with "N passed, N failed". A failing input is left in the package's testdata/fuzz
# by Go; keep it, it is a regression test now.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$root"

seconds=${1:-20}
mapfile -t targets < <(grep -roE '^func Fuzz[A-Z]\w*' --include='*_test.go' --exclude-dir=node_modules --exclude-dir='.?*' . | sed 's/:func / /')
[ ${#targets[@]} -gt 0 ] || die "there is no fuzz target"
each=$((seconds / ${#targets[@]}))
[ "$each" -ge 1 ] || each=1
[ "$each" -le 5 ] || each=5

passed=0 failed=0
for target in "${targets[@]}"; do
  read -r file name <<<"$target"
  if go test -run '^$' -fuzz "^$name\$" -fuzztime "${each}s" "./$(dirname "$file")"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
done
say "$passed passed, $failed failed"
[ "$failed" = 0 ]
