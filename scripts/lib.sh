# Sourced by the scripts beside it. Defines where things live and how a script speaks.
#
#   root    the project's folder
#   cache   what scripts install; git ignores it, `make clean` removes it

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=$root/.cache
mkdir -p "$cache"

say() { printf '%s\n' "$*"; }
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

# step DESCRIPTION COMMAND... runs the command, its output in a log, and prints how long it took. When it
# fails, the end of the log is shown and the script ends. The command runs in the background because a shell
# ignores `set -e` inside the condition of an `if`.
step() {
  local what=$1 log started=$SECONDS
  shift
  log=$cache/log/${what//[^A-Za-z0-9.]/-}.log
  mkdir -p "$cache/log"
  printf 'install: %s … ' "$what"
  "$@" >"$log" 2>&1 &
  if wait $!; then
    printf 'done in %d s\n' $((SECONDS - started))
  else
    printf 'failed\n'
    tail -n 20 "$log" >&2
    die "$what failed; the whole log is ${log#"$root"/}"
  fi
}

# npm_modules FOLDER installs the npm packages of a folder unless these very ones are there.
npm_modules() {
  local lock=$root/$1/package-lock.json have=$root/$1/node_modules/.lock-of-this
  cmp -s "$lock" "$have" && return 0
  step "npm packages of $1" npm --prefix "$root/$1" ci --no-audit --no-fund --loglevel=error
  cp "$lock" "$have"
}
extension_modules() { npm_modules vscode-extension; }
