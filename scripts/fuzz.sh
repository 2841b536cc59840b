#!/usr/bin/env bash
# fuzz.sh [all [TIME]]
#
# Runs the fuzz targets of the edit engine, whose input is whatever a model writes, for 15 s each on new inputs. With "all"
# it runs every target of the module, TIME each (default 60s): that is for people, as it may find what nobody has seen before;
# the inputs that are kept are tried by every "go test". Ends with "N passed, N failed". A failing input is left in the
# package's testdata/fuzz by Go; keep it, it is a regression test now.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$root"

if [ "${1:-}" = all ]; then in=. long=${2:-60s}; else in=patch long=15s; fi
mapfile -t targets < <(grep -roE '^func Fuzz[A-Z]\w*' --include='*_test.go' --exclude-dir=node_modules --exclude-dir='.?*' "$in" | sed 's/:func / /')
[ ${#targets[@]} -gt 0 ] || die "there is no fuzz target"

# fuzz PACKAGE NAME TIME runs one target. At the end of its time Go sometimes fails with nothing but "context deadline
# exceeded" (golang.org/issue/75804): no input is at fault then, and the target has had its time.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
fuzz() {
  go -C "$1" test -run '^$' -fuzz "^$2\$" -fuzztime "$3" . 2>&1 | tee "$log" && return
  grep -qE '^ +context deadline exceeded$' "$log" && ! grep -q 'Failing input written' "$log"
}

passed=0 failed=0
for target in "${targets[@]}"; do
  read -r file name <<<"$target"
  if fuzz "./$(dirname "$file")" "$name" "$long"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    say "FAILED: $name in $file"
  fi
done
say "$passed passed, $failed failed"
[ "$failed" = 0 ]
