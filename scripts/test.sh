#!/usr/bin/env bash
# test.sh [SUITE...]
#
# Runs the suites, all of them without an argument, and ends with the line "N passed, N failed" over all. A
# suite that fails does not stop the others. Installs what is missing first; see install.sh.
#
#   go          every Go package with the race detector, but those in test/ that another suite runs
#   faults      the fault matrix of models; without the race detector, under which answers of 5 MB take minutes
#   episodes    models that are as bad as can be, through the built program, in three languages; see docs/episodes.md
#   fuzz        the fuzz targets of the edit engine, 15 s each; see fuzz.sh
#   oracle      text edits, applied by the npm package that servers in JavaScript use; imports, resolved by go list,
#               Python and the TypeScript compiler
#   definitions symbols, compared with the parsers of Go, Python and TypeScript
#   gateways    servers of models that are not ours: aimock from npm, LiteLLM's proxy from PyPI
#   projects    real tools of five languages, on projects made for them and on real ones that are not ours; whole runs of Forge on these
#   extension   the VS Code extension: types, lint, format, unit tests, build
#   neovim      a real Neovim drives the main job
#   vscode      a real VS Code drives the main job
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$root"

[ $# -gt 0 ] || set -- go faults episodes fuzz oracle definitions gateways projects extension neovim vscode

# abreast is how many tests run at a time that wait for other processes, and how many packages do: as many as there are processors
# leave half of them idle, since a run of Forge starts one tool after the other.
abreast=$((2 * $(getconf _NPROCESSORS_ONLN)))

go_suite() {
  # -count=1: tests of the built program do not change with it in the eyes of Go's cache. The time-out is for machines that do
  # much else: the longest package takes five minutes on two CPUs. SQLite is not looked at for races: it is not ours, and what
  # uses it takes five times as long. -w: debuggers need DWARF, traces and reports of races do not.
  # shellcheck disable=SC2046 # one word for each package
  go test -json -count=1 -timeout 40m -p $abreast -race -ldflags=-w '-gcflags=modernc.org/...=-race=false' -tags jsonrpc2poison $(go list ./... | grep -vE '/test/(nvim|oracle|definitions|gateways|models|episodes|projects/[a-z]+)$')
}
faults_suite() { go test -json -count=1 ./test/models; }
# -count=1: Go cannot know that the result depends on the built program. What is built is kept in the caches that Go always has.
episodes_suite() { go test -json -count=1 -timeout 20m -parallel $abreast ./test/episodes; }
fuzz_suite() { scripts/fuzz.sh; }
extension_suite() { extension_modules && npm --prefix vscode-extension test; }
# -count=1: Go cannot know that the result depends on what npm installed.
oracle_suite() { npm_modules test/oracle && go test -json -count=1 ./test/oracle; }
definitions_suite() { npm_modules test/definitions && go test -json -count=1 ./test/definitions; }
gateways_suite() {
  npm_modules test/gateways && FORGE_TEST_LITELLM=$cache/litellm go test -json -count=1 ./test/gateways
}
projects_suite() {
  npm_modules test/projects/javascript && FORGE_TEST_TOOLS=$cache/projects go test -json -count=1 ./test/projects/...
}
# -count=1: Go cannot know that the result depends on the Lua files and on the server.
neovim_suite() { go test -json -count=1 ./test/nvim/...; }
vscode_suite() { extension_modules && go build -o bin/forge ./cmd/forge && node test/vscode/run.js; }

# suite NAME runs one and appends its numbers to the results.
suite() {
  local name=$1 started=$SECONDS status numbers
  printf '\n==> %s\n' "$name"
  set +e
  "${name}_suite" 2>&1 | "$cache/bin/tally" count 3>"$results.numbers"
  status=${PIPESTATUS[0]}
  set -e
  numbers=$(cat "$results.numbers")
  say "$name $status $((SECONDS - started)) ${numbers:-0 0 0}" >>"$results"
}

for name; do
  declare -F "${name}_suite" >/dev/null || die "no suite is called $name; there are: go faults episodes fuzz oracle definitions gateways projects extension neovim vscode"
done
toolchain
scripts/install.sh
mkdir -p "$cache/bin"
go build -o "$cache/bin/tally" ./internal/tally
results=$(mktemp)
trap 'rm -f "$results" "$results.numbers"' EXIT
for name; do suite "$name"; done
echo
"$cache/bin/tally" sum <"$results"
