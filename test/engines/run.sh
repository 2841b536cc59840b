#!/usr/bin/env bash
# run.sh SCORER DATA [CLASS]
#
# Measures Forge's edits beside those of other engines, one engine after the other, and prints one table per format. SCORER is
# the program that grades `apply --batch`, DATA its cases; with CLASS only that class of mistakes is graded.
# Needs Go, Python 3.11 or 3.12, GNU patch and git. What it installs stands in requirements.txt and goes to .cache/engines.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../../scripts/lib.sh"

[ $# = 2 ] || [ $# = 3 ] || die "usage: run.sh SCORER DATA [CLASS]"
scorer=$1 data=$2 only=(${3:+--only "$3"})
for tool in go python3 patch git; do
  command -v "$tool" >/dev/null || die "$tool is needed"
done

venv=$cache/engines/venv figures=$cache/engines/figures
export PYTHONDONTWRITEBYTECODE=1
if ! cmp -s "$here/requirements.txt" "$venv/.installed"; then
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes -r "$here/requirements.txt"
  cp "$here/requirements.txt" "$venv/.installed"
fi
(cd "$root" && go build -o "$cache/bin/forge" ./cmd/forge)
"$venv/bin/python" -m unittest discover --quiet --start-directory "$here" 2>"$cache/engines/check.log" || {
  cat "$cache/engines/check.log" >&2
  die "the adapters do not do what they say, nothing was measured"
}
rm -rf "$figures"
mkdir -p "$figures"

# grade FORMAT NAME COMMAND... lets the scorer grade one engine in one format; its own table is kept beside the figures.
grade() {
  local format=$1 name=$2 log=$figures/$1/$2
  shift 2
  mkdir -p "$figures/$format"
  "$scorer" --format "$format" "${only[@]}" --json "$log.json" "$data" -- "$@" >"$log.txt" 2>&1 || {
    tail -n 20 "$log.txt" >&2
    die "the scorer failed on $name, $format"
  }
}

# compare FORMAT ENGINE... prints the table of one format.
compare() {
  local format=$1 engine measured=()
  shift
  grade "$format" forge "$cache/bin/forge"
  for engine in "$@"; do
    grade "$format" "$engine" "$venv/bin/python" "$here/engine.py" "$engine"
    measured+=("$figures/$format/$engine.json")
  done
  say ""
  python3 "$here/table.py" "$format" "$figures/$format/forge.json" "${measured[@]}"
}

say "$("$cache/bin/forge" --version), $("$venv/bin/python" "$here/engine.py" --versions)"
compare v4a openai-agents
compare search-replace aider
compare unified patch git-apply
say ""
say "took $SECONDS s"
