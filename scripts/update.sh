#!/usr/bin/env bash
# update.sh
#
# Rewrites what is derived: the generated and golden files of every package whose tests know the flag -update. Nobody has looked at the result yet: that is what `git diff` is for.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$root"

mapfile -t packages < <(grep -rlE 'flag\.Bool\("update"' --include='*_test.go' --exclude-dir=node_modules --exclude-dir='.?*' . | xargs -r -n 1 dirname | sort -u)
for package in "${packages[@]}"; do
  say "files of $package"
  (cd "$package" && go test . -update >/dev/null)
done
git status --short
