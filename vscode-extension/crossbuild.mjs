// Builds the server for any platform: Go compiles Go, and zig compiles and links the C of the grammars, with the headers and libraries
// of each system that it brings along.
//
// Of macOS, zig brings the system's library, not the frameworks. A linker needs the names in them only, and Go's sources name each
// function that they import and the library that has it: stubs of the frameworks are made of these names.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { platforms } from './platforms.mjs';

const root = join(import.meta.dirname, '..');
const installed = join(root, '.cache/zig/zig'); // by scripts/install.sh zig

/** The path of zig: the variable ZIG, else what scripts/install.sh has put there, else the one on PATH; '' if none works. */
function zig() {
  return [process.env.ZIG, installed, 'zig'].find((path) => path && spawnSync(path, ['version']).status === 0) ?? '';
}

/** Builds forge of this version for a platform into a file. Throws with the reason if it cannot be built. */
export function build(platform, version, file) {
  const compiler = zig();
  if (!compiler) throw new Error('no zig to compile its grammars with: run scripts/install.sh zig, or set ZIG');
  const { os, arch, zig: target } = platforms[platform];
  const env = { ...process.env, GOOS: os, GOARCH: arch, CGO_ENABLED: '1' };
  const folders = os === 'darwin' ? writeStubs(env) : [];
  env.CC = [quoted(compiler), 'cc', '-target', target, ...folders.map(quoted)].join(' ');
  const flags = ['-trimpath', `-ldflags=-s -w -X main.version=${version}`];
  const { status, stderr } = spawnSync('go', ['build', ...flags, '-o', file, './cmd/forge'], {
    cwd: root,
    env,
    stdio: ['ignore', 'inherit', 'pipe'],
    encoding: 'utf8',
  });
  if (status !== 0 || !existsSync(file)) throw new Error(`go build failed:\n${stderr}`);
}

const quoted = (text) => (/[\s"']/.test(text) ? `'${text}'` : text);

// Writes a stub for each library of macOS that zig does not have, and returns the flags with which the linker finds them. Their folder is the same
// each time: Go compiles all C again for other flags.
function writeStubs(env) {
  const folder = join(root, '.cache/macos-stubs');
  rmSync(folder, { recursive: true, force: true });
  for (const [library, names] of imported(env)) {
    const framework = /\/(\w+\.framework)\//.exec(library)?.[1];
    const stub = framework
      ? join(folder, framework, `${basename(library)}.tbd`)
      : join(folder, `${basename(library).replace(/\..*/, '')}.tbd`); // libresolv.9.dylib is -lresolv
    mkdirSync(dirname(stub), { recursive: true });
    writeFileSync(stub, stubOf(library, names));
  }
  return ['-F', folder, '-L', folder];
}

const stubOf = (library, names) => `--- !tapi-tbd
tbd-version: 4
targets: [ arm64-macos ]
install-name: '${library}'
exports:
  - targets: [ arm64-macos ]
    symbols: [ ${names.map((name) => `_${name}`).join(', ')} ]
...
`;

// What the packages of forge import from libraries other than the system's own: by library, the names.
function imported(env) {
  const format = '{{range .GoFiles}}{{$.Dir}}/{{.}}\n{{end}}';
  const listed = execFileSync('go', ['list', '-deps', '-f', format, './cmd/forge'], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  const found = new Map();
  for (const file of listed.split('\n').filter(Boolean)) {
    for (const [, name, library] of readFileSync(file, 'utf8').matchAll(
      /^\/\/go:cgo_import_dynamic \w+ (\w+) "(\/[^"]+)"/gm,
    ))
      if (!library.endsWith('/libSystem.B.dylib')) found.set(library, [...(found.get(library) ?? []), name]);
  }
  return found;
}
