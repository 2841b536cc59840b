#!/usr/bin/env bash
# check.sh
#
# Everything about the code that can be judged without running it. All checks run, also after one has failed;
# the last line counts them.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$root"

formatted() {
  local files
  files=$(gofmt -l $(git ls-files -co --exclude-standard '*.go'))
  [ -z "$files" ] || { say "not formatted, run gofmt -w on:" "$files"; return 1; }
}
vetted() { go vet -tags jsonrpc2poison ./... && go -C tools vet ./...; }
linted() {
  go -C tools/golangci build -o "$cache/bin/golangci-lint" github.com/golangci/golangci-lint/v2/cmd/golangci-lint &&
    "$cache/bin/golangci-lint" run && (cd tools && "$cache/bin/golangci-lint" run)
}
tidy() {
  local folder
  for folder in . tools tools/golangci tools/gopls; do go -C $folder mod tidy -diff || return; done
}
cross_built() {
  local target
  for target in linux/amd64 darwin/arm64 windows/amd64; do
    CGO_ENABLED=0 GOOS=${target%/*} GOARCH=${target#*/} go build ./... || { say "does not build for $target"; return 1; }
  done
}
extension_checked() { extension_modules && npm --prefix vscode-extension run check; }

# state prints the working tree's content, whether committed or not.
state() { git diff; git ls-files -o --exclude-standard -z | xargs -0 -r sha256sum; }
generated_in_sync() {
  local before
  before=$(state)
  go test ./api -run TestGenerated_FilesAreCurrent -update
  [ "$before" = "$(state)" ] || { say "generated files were out of date; they are new now, commit them"; return 1; }
}

# no_machine_paths finds paths that exist on one machine only: home folders (but /home/someone, for examples),
# and the folder above this one.
no_machine_paths() {
  local here
  here=$(dirname "$root")
  case $here in / | /tmp | /home | /srv) here=$root ;; esac # places of everybody
  if git grep -nIP '(?<![[:alnum:].])(/(home|Users)/(?!someone)[a-z]|/root/)' -- . ':!scripts/check.sh' ||
    git grep -nIP -e "(?<![[:alnum:]._])\\Q$here\\E/" -- .; then
    say "these lines name a place on somebody's machine"
    return 1
  fi
}

# only_texts_and_pictures finds what a build has left behind: committed files that are neither text, a picture nor recorded outputs (txtar).
only_texts_and_pictures() {
  local binaries
  # For git a file is binary if its first 8,000 bytes have a NUL; numstat shows it as "-".
  binaries=$(git diff --numstat "$(git hash-object -t tree /dev/null)" -- . ':!*.png' ':!*.txtar' | awk '$1 == "-"')
  [ -z "$binaries" ] || { say "these files are not text:" "$binaries"; return 1; }
}

passed=0 failed=0
check() {
  local what=$1 log=$cache/log/check.log
  shift
  mkdir -p "$cache/log"
  printf '%-40s' "$what"
  "$@" >"$log" 2>&1 &
  if wait $!; then
    passed=$((passed + 1))
    say ok
  else
    failed=$((failed + 1))
    say FAILED
    sed 's/^/    /' "$log"
  fi
}

scripts/install.sh node
check "Go is formatted" formatted
check "go vet" vetted
check "golangci-lint" linted
check "modules are tidy" tidy
check "builds without cgo, everywhere" cross_built
check "generated files are in sync" generated_in_sync
check "extension: types, lint, format" extension_checked
check "no path of one machine is committed" no_machine_paths
check "only texts and pictures are committed" only_texts_and_pictures
say "$passed passed, $failed failed"
[ "$failed" = 0 ]
