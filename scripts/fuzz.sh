#!/usr/bin/env bash
# fuzz.sh [RUNS]
#
# Finds every fuzz target of the module and runs each RUNS times (default 1000) on new inputs. Those of the edit engine,
# whose input is whatever a model writes, run for 30 s each. Ends with "N passed, N failed". A failing input is left in the
# package's testdata/fuzz by Go; keep it, it is a regression test now.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$root"

runs=${1:-1000}
mapfile -t targets < <(grep -roE '^func Fuzz[A-Z]\w*' --include='*_test.go' --exclude-dir=node_modules --exclude-dir='.?*' . | sed 's/:func / /')
[ ${#targets[@]} -gt 0 ] || die "there is no fuzz target"

# fuzz PACKAGE NAME TIME runs one target. At the end of its time Go sometimes fails with nothing but "context deadline
# exceeded" (golang.org/issue/75804): no input is at fault then, and the target has had its time.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
fuzz() {
  go test -run '^$' -fuzz "^$2\$" -fuzztime "$3" "$1" 2>&1 | tee "$log" && return
  grep -qE '^ +context deadline exceeded$' "$log" && ! grep -q 'Failing input written' "$log"
}

passed=0 failed=0
for target in "${targets[@]}"; do
  read -r file name <<<"$target"
  case $file in ./patch/*) long=30s ;; *) long=${runs}x ;; esac
  if fuzz "./$(dirname "$file")" "$name" "$long"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    say "FAILED: $name in $file"
  fi
done
say "$passed passed, $failed failed"
[ "$failed" = 0 ]
