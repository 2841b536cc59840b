#!/usr/bin/env bash
# test.sh [--all | --soak] [SUITE...]
#
# Runs the suites, all of them without an argument, and ends with the line "N passed, N failed" over all. A suite
# that fails does not stop the others. What a suite needs is installed first (see install.sh); a suite whose tools
# cannot be had is reported as not run, with the reason, and counts as skipped.
#
#   (no option)  a few cases of everything, chosen by testing.Short(), without the tests of long.txt: seven to eleven minutes on
#                two processors. Results of packages are taken from Go's cache where it can see all that they depend on
#   --all        every case, the race detector everywhere, new inputs for fuzz targets
#   --soak       hours: every case of the crash tests, Go's packages three times, each fuzz target for a minute
#
#   go          every Go package outside of test/, those in race.txt with the race detector, and those of tools/
#   program     the built program from the outside: its commands, as a server, killed, with secrets around it
#   faults      the fault matrix of models; without the race detector, under which answers of 5 MB take minutes
#   episodes    models that are as bad as can be, through the built program, in four languages; see docs/episodes.md
#   fuzz        the fuzz targets of the edit engine: the inputs that are kept, and new ones for 15 s each with --all
#   oracle      text edits, applied by the npm package that servers in JavaScript use; imports, resolved by go list,
#               Python and the TypeScript compiler
#   definitions symbols, compared with the parsers of Go, Python and TypeScript
#   gateways    servers that are not ours: of models, aimock from npm, with --all also LiteLLM's proxy from PyPI; MCP servers from npm
#   acp         clients of the Agent Client Protocol from npm drive the main job: the protocol's own library, and acpx
#   projects    real tools of five languages, on projects made for them and on real ones that are not ours; whole runs of Forge on these
#   extension   the VS Code extension: unit tests and build; with --all also types, lint and format, which make check has
#   neovim      a real Neovim drives the main job
#   emacs       a real Emacs drives the main job; without --all only if Emacs is installed
#   helix       a real Helix drives the main job; without --all only if Helix is installed
#   kakoune     a real Kakoune drives the main job; without --all only if Kakoune is installed
#   vscode      a real VS Code drives the main job; the oldest one that the extension supports runs the tests inside the extension host;
#               with --all also the main job of a package
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$root"

readonly suites='go program faults episodes fuzz oracle definitions gateways acp projects extension neovim emacs helix kakoune vscode'
tier=short
case ${1:-} in
  --all | --soak) tier=${1#--} && shift ;;
  -*) die "there is no option $1; there are: --all --soak" ;;
esac
# shellcheck disable=SC2086 # one word for each suite
[ $# -gt 0 ] || set -- $suites

# abreast is how many tests run at a time that wait for other processes, and how many packages do: as many as there are processors
# leave half of them idle, since a run of Forge starts one tool after the other.
abreast=$((2 * $(getconf _NPROCESSORS_ONLN)))

# ---- tiers -------------------------------------------------------------------------------------------

# tiered SHORT ALL prints what holds in this tier.
tiered() { if [ $tier = short ]; then say "$1"; else say "$2"; fi; }

# rapid tries a property with a fifth of the inputs when tests are short; here they are the same ones each time.
if [ $tier = short ]; then export RAPID_SEED=${RAPID_SEED:-1}; fi

# The compiler, the linker and tests take an eighth less time where they collect garbage less often, and where the linker writes no symbols for
# debuggers. The limit keeps a process that needs much memory from growing further: from a gigabyte on it collects more often.
if [ $tier = short ]; then export GOGC=${GOGC:-1600} GOMEMLIMIT=${GOMEMLIMIT:-1GiB} GOFLAGS=${GOFLAGS:--ldflags=-s}; fi

# The tests that are left out: when tests are short, those of long.txt. A suite adds to them what cannot run here, in skip.
left_out=$(tiered "$(awk '/^Test/ { printf "%s^%s$", or, $1; or = "|" }' scripts/long.txt)" '^$')

# tested PACKAGE... runs packages whose results Go cannot judge from its cache: they depend on the built program, on
# what npm and pip installed, on scripts. -vet=off: make check has it.
tested() { go test -json -count=1 -timeout 40m -p $abreast $(tiered '-short -vet=off -ldflags=-s' '') -skip "$left_out${skip:+|$skip}" "$@"; }

# ---- suites ------------------------------------------------------------------------------------------

# The time-out is for machines that do much else: the longest package takes five minutes on two CPUs. SQLite is not
# looked at for races: it is not ours, and what uses it takes five times as long. -s: debuggers need symbols, traces and
# reports of races do not. With --all nothing comes from the cache: a result may depend on git, on tools, on the time.
go_needs='git cc'
go_suite() {
  local detector='-race -gcflags=modernc.org/...=-race=false' racing packages bad=0
  local -a test=(go test -json -timeout 40m -p "$abreast" -ldflags=-s)
  racing=$(sed -E '/^#|^$| all:/d; s|^|forge/|' scripts/race.txt)
  packages=$(go list ./... | grep -v '^forge/test/')
  # shellcheck disable=SC2086 # one word for each package
  case $tier in
    short)
      test+=(-short -vet=off -skip "$left_out" -timeout 15m) # what hangs says where after that time
      "${test[@]}" $detector -tags jsonrpc2poison $racing || bad=1
      "${test[@]}" $(grep -vxF "$racing" <<<"$packages") || bad=1
      (cd tools && "${test[@]}" ./...) || bad=1
      return $bad
      ;;
    all) test+=(-count=1) ;;
    soak) test+=(-count=3) ;;
  esac
  "${test[@]}" $detector -tags jsonrpc2poison $packages || bad=1
  (cd tools && "${test[@]}" ./...) || bad=1
  return $bad
}

# The detector would watch the driver alone where the program runs as a process of its own.
program_needs='git cc'
program_wants='strace setpriv'
program_suite() {
  # When tests are short, the longest package runs beside the others, which follow each other: no package runs alone at the end.
  if [ $tier = short ]; then
    abreast=$((abreast / 2)) tested -parallel $abreast ./test/cli ./test/hostile ./test/secrets ./test/crash ./test/server ./test/contracts ./test/search ./test/suites
    return
  fi
  local bad=0 detector='-race -ldflags=-w -gcflags=modernc.org/...=-race=false -tags jsonrpc2poison'
  # shellcheck disable=SC2086 # words
  tested $detector ./test/server ./test/contracts ./test/search ./test/suites || bad=1
  tested -parallel $abreast ./test/cli ./test/hostile ./test/secrets || bad=1
  # shellcheck disable=SC2046 # words
  tested ./test/crash $([ $tier != soak ] || say -args -long) || bad=1
  return $bad
}

faults_suite() { tested ./test/models; }

episodes_needs=git
episodes_wants='python3 node rust'
episodes_suite() { tested -parallel $abreast ./test/episodes ./test/worst; }

fuzz_suite() {
  case $tier in
    short) go test -json -short -vet=off -run '^Fuzz' ./patch/... ;;
    all) scripts/fuzz.sh ;;
    soak) scripts/fuzz.sh all ;;
  esac
}

oracle_needs='npm:test/oracle python3'
oracle_suite() { tested ./test/oracle; }

definitions_needs='npm:test/definitions python3'
definitions_suite() { tested ./test/definitions; }

gateways_needs='git npm:test/gateways'
gateways_suite() {
  local skip=''
  # When tests are short, long.txt leaves LiteLLM out, whose start takes longer than all else here.
  [ $tier = short ] || have litellm litellm || skip=^TestLiteLLM_AnswersEveryProtocol
  FORGE_TEST_LITELLM=$cache/litellm tested ./test/gateways
}

acp_needs='git npm:test/acp'
acp_suite() { tested ./test/acp; }

projects_needs=git
projects_wants='staticcheck npm:test/projects/javascript python rust'
projects_suite() {
  local packages=() without='none' skip
  if have go staticcheck; then packages+=(./test/projects/run); fi
  if have javascript npm:test/projects/javascript; then packages+=(./test/projects/javascript); else without+='|javascript'; fi
  if have python python; then packages+=(./test/projects/python ./test/projects/shell); else without+='|python'; fi
  if have rust rust; then packages+=(./test/projects/rust); else without+='|rust'; fi
  skip="^TestRealProjects_MainJob$/^($without)$"
  FORGE_TEST_TOOLS=$cache/projects tested "${packages[@]}"
}

extension_needs=npm:vscode-extension
extension_suite() {
  if [ $tier != short ]; then npm --prefix vscode-extension run check || return; fi
  npm --prefix vscode-extension run unit && npm --prefix vscode-extension run build
}

neovim_needs='git nvim'
neovim_wants=$(tiered '' 'nvim-0.7.2 nvim-newest')
neovim_suite() { tested ./test/nvim; }

emacs_needs="git script $(tiered has-emacs emacs)"
emacs_wants=$(tiered '' lsp-mode)
emacs_suite() { tested ./test/emacs; }

helix_needs="git $(tiered has-helix helix)"
helix_suite() { tested ./test/helix; }

kakoune_needs="git tmux $(tiered has-kakoune kakoune)"
kakoune_suite() { tested ./test/kakoune; }

vscode_needs='git npm:vscode-extension chromium vscode'
vscode_wants='rg vscode-oldest'
vscode_suite() {
  local bad=0
  node test/vscode/run.js --forge "$FORGE_TEST_BINARY" $(tiered --short '') || bad=1
  if have 'VS Code 1.100.3' rg vscode-oldest; then
    node test/vscode/run.js --forge "$FORGE_TEST_BINARY" --oldest $(tiered --short '') || bad=1
  fi
  [ $tier = short ] || packaged || bad=1
  return $bad
}

# packaged drives the main job with the extension as it is published: installed from a package that has the binary in it.
packaged() (
  made=$(mktemp -d)
  trap 'rm -rf "$made"' EXIT
  install -D "$FORGE_TEST_BINARY" "$made/binaries/linux-x64/forge"
  node vscode-extension/package.mjs --binaries "$made/binaries" --out "$made" linux-x64 &&
    node test/vscode/run.js --forge "$FORGE_TEST_BINARY" --vsix "$made/forge-linux-x64.vsix" --only 'main job'
)

# ---- what they need ----------------------------------------------------------------------------------

declare -A parts # by name: empty when it is there, else the reason why it is not

# part NAME installs a part, once.
part() {
  [ -z "${parts[$1]+known}" ] || return 0
  if scripts/install.sh "$1" 2>&1 | tee "$results.install"; then
    parts[$1]=''
  else
    parts[$1]=$(tail -n 1 "$results.install" | sed 's/^install\.sh: //')
  fi
}

# have NAME PART... reports whether all parts are there, and says what is not run without them.
have() {
  local name=$1 one
  shift
  for one; do
    part "$one"
    [ -z "${parts[$one]}" ] || { say "not run: $name: ${parts[$one]}"; return 1; }
  done
}

# suite NAME runs one and appends its numbers to the results.
suite() {
  local name=$1 needs=${1}_needs wants=${1}_wants one started status before
  printf '\n==> %s\n' "$name"
  for one in ${!wants:-}; do part "$one"; done
  for one in ${!needs:-}; do
    part "$one"
    [ -n "${parts[$one]}" ] || continue
    say "not run: $name: ${parts[$one]}"
    say "not-run $name ${parts[$one]}" >>"$results"
    return
  done
  started=$SECONDS
  measure
  before=$used
  set +e
  # What a suite prints is kept as it is: who looks for the reason of a hang needs all of it.
  "${name}_suite" 2>&1 | tee "$cache/log/suite-$name.log" | "$cache/bin/tally" count 3>"$results.summary"
  status=${PIPESTATUS[0]}
  set -e
  measure
  say "$name $status $((SECONDS - started)) $(awk "BEGIN { print $used - $before }") $(cat "$results.summary")" >>"$results"
}

# measure sets used to the seconds of CPU that all ended processes of this script have used. The second line of times
# is "0m1.500s 0m0.250s"; in a subshell it would be about that.
measure() {
  times >"$results.times"
  used=$(awk -F '[ms ]+' 'NR == 2 { print $1 * 60 + $2 + $3 * 60 + $4 }' "$results.times")
}

for name; do
  [[ " $suites " = *" $name "* ]] || die "no suite is called $name; there are: $suites"
done
# When tests are short, what they write is in memory, in a mount that ends with this script: they make and remove a million files, which takes
# a file system on a disk a sixth of all CPU-seconds. Only root may mount, Linux has overlays on such a mount since 6.6, and it may fill half of the
# memory. Its folder stays: results in Go's cache depend on the name, and another run may have it. FORGE_TEST_DISK=1 leaves everything where it is, as --all does.
readonly memory=/tmp/forge-tests
in_memory() {
  local key value
  [[ $tier = short && -z ${FORGE_TEST_DISK:-} && $OSTYPE = linux* && $EUID = 0 ]] || return
  IFS=. read -r key value _ </proc/sys/kernel/osrelease
  ((key > 6 || key == 6 && value >= 6)) || return
  while read -r key value _; do [ "$key" != MemAvailable: ] || break; done </proc/meminfo
  ((value > 12 << 20)) || return
  mkdir -p $memory && [[ -d $memory && ! -L $memory && -O $memory ]] && unshare --mount mount -t tmpfs tests $memory 2>/dev/null
}
if in_memory; then
  # shellcheck disable=SC2016 # the inner shell expands these
  FORGE_TEST_DISK=1 TMPDIR=$memory exec unshare --mount sh -c 'mount -t tmpfs tests "$TMPDIR" && exec "$@"' sh "$0" "$@"
fi

results=$(mktemp)
trap 'rm -rf "$results" "$results".*' EXIT
mkdir -p "$cache/bin" "$cache/log"
command -v go >/dev/null || die "Go 1.26 or newer is needed: https://go.dev/dl"
go -C tools build -o "$cache/bin/tally" ./tally
# One program for all suites; see internal/testkit.
if [ -z "${FORGE_TEST_BINARY:-}" ]; then
  export FORGE_TEST_BINARY=$cache/bin/forge
  go build -ldflags=-s -o "$FORGE_TEST_BINARY" ./cmd/forge || { say "0 passed, 1 failed"; exit 1; }
fi

# ---- lanes -----------------------------------------------------------------------------------------------

# When tests are short, two lanes share the suites: each takes the next one when it is done with one. VS Code is begun first, beside the Go packages: it
# waits more than it computes, and beside more than one other suite its steps take a minute. Once it is over, a third lane begins. What all lanes but the first print of a suite is shown when that has ended. What suites need is installed before: two installations at a time
# get into each other's way.
readonly begun_first='vscode go program projects neovim episodes faults oracle emacs helix kakoune acp gateways definitions extension fuzz'

# turns prints the suites to run, in the order in which they are begun.
turns() {
  local name
  if [ $tier != short ]; then say "$@"; return; fi
  for name in $begun_first; do [[ " $* " != *" $name "* ]] || printf '%s ' "$name"; done
}

# lane NUMBER SUITE... runs those that no other lane has taken, one by one. It has its own results, and is a shell of its own, so that what another lane has
# used does not count as used by one of its suites.
lane() (
  results=$results.lane$1
  shift
  for name; do
    mkdir "$taken/$name" 2>/dev/null || continue
    if [[ $results = *1 ]]; then suite "$name"; continue; fi
    suite "$name" >"$results.text" 2>&1
    cat "$results.text"
  done
)

# shellcheck disable=SC2046 # one word for each suite
set -- $(turns "$@")
began=$SECONDS
taken=$results.taken # a folder for each suite that a lane has begun
mkdir "$taken"
trap 'trap - INT; kill -TERM 0' INT # the other lanes do not hear it otherwise
if [ $tier = short ] && [ $# -gt 1 ]; then
  for name; do
    needs=${name}_needs wants=${name}_wants
    for one in ${!needs:-} ${!wants:-}; do part "$one"; done
  done
  began=$SECONDS
  lane 2 "${@:2}" &
  lane 1 "$1"
  lane 3 "${@:2}" &
fi
lane 1 "$@"
wait
cat "$results".lane? >>"$results"
for name; do # a lane that died has left no result
  grep -qE "^(not-run )?$name " "$results" || say "$name 1 0 0 {}" >>"$results"
done
echo
[ $tier != short ] || say "$(grep -c ^Test scripts/long.txt) tests were left to --all: see scripts/long.txt"
"$cache/bin/tally" sum $((SECONDS - began)) <"$results"
