#!/usr/bin/env bash
# run.sh
#
# Prints what the check of contracts says of packages that are released, of which nothing should be said, and of the same packages after
# names were changed where they are given, of which all should be. packages.txt names them; they are kept in .cache/contracts.
# Needs Go, Python 3 with pip, and Node with npm.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../../scripts/lib.sh"
cd "$root"

trees=$cache/contracts
# fetch KIND PACKAGE unpacks a package into a folder of its own. A wheel holds the sources as they are installed.
fetch() {
  local kind=$1 package=$2 tree=$trees/${2//\//-} parts
  [ ! -d "$tree" ] || return 0
  parts=$(mktemp -d)
  case $kind in
  pypi)
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$parts" "$package"
    mkdir "$parts/tree" && python3 -m zipfile -e "$parts"/*.whl "$parts/tree"
    ;;
  npm)
    (cd "$parts" && npm pack --silent "$package" >/dev/null)
    mkdir "$parts/tree" && tar -xzf "$parts"/*.tgz -C "$parts/tree"
    ;;
  *) die "packages.txt: there is no registry $kind" ;;
  esac
  mv "$parts/tree" "$tree"
  rm -r "$parts"
}

mkdir -p "$trees"
folders=()
while read -r kind package; do
  case $kind in '#'* | '') continue ;; esac
  fetch "$kind" "$package" </dev/null
  folders+=("$trees/${package//\//-}")
done <"$here/packages.txt"
FORGE_CONTRACTS=$(IFS=:; echo "${folders[*]}") go test ./test/contracts -count 1 -v -run TestMeasure_NamedFolders
