#!/usr/bin/env bash
# Builds and ships.
set -euo pipefail

source ./lib/common.sh
. "$HOME/.config/tool.sh"

readonly VERSION="1.2.3"
export TARGET=linux
OUT=build
declare -a FILES=(a b)
alias ll='ls -l'

# Says something.
log() {
  local level="$1"
  echo "[$level] ${2:-} }"
}

function die {
  log error "$*" >&2
  exit "${1#x}"
}

function build() {
  if [ $# -gt 0 ]; then
    for f in "$@"; do
      case "$f" in
        *.c) cc "$f" ;;
      esac
    done
  fi
  cat <<EOT
fake() {
EOT
  awk '{ print $1 }' file
}

clean() { rm -rf "$OUT"; }

main()
{
  NAME=inner
  build "$@"
}

main "$@"
