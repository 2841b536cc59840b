// package.mjs [TARGET...]: builds forge-TARGET.vsix for each target, or for all: the extension with the server's binary of that
// platform inside. A warning of vsce is an error.
//
// Only linux-x64 is built with cgo, and only on Linux x86_64 with a C compiler. The others are built without: their binaries have
// no tree-sitter, so that they outline the six languages of codeintel's own parsers instead of all (docs/vscode.md).
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const targets = {
  'linux-x64': { GOOS: 'linux', GOARCH: 'amd64', CGO_ENABLED: '1' },
  'linux-arm64': { GOOS: 'linux', GOARCH: 'arm64', CGO_ENABLED: '0' },
  'darwin-arm64': { GOOS: 'darwin', GOARCH: 'arm64', CGO_ENABLED: '0' },
  'win32-x64': { GOOS: 'windows', GOARCH: 'amd64', CGO_ENABLED: '0' },
};

const root = import.meta.dirname;
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const binaries = join(root, 'bin');

function build(target) {
  rmSync(binaries, { recursive: true, force: true });
  mkdirSync(binaries);
  const binary = join(binaries, target.startsWith('win32') ? 'forge.exe' : 'forge');
  const flags = ['-trimpath', `-ldflags=-s -w -X main.version=${version}`];
  const env = { ...process.env, ...targets[target] };
  execFileSync('go', ['build', ...flags, '-o', binary, './cmd/forge'], {
    cwd: join(root, '..'),
    env,
    stdio: 'inherit',
  });
}

function pack(target) {
  const file = `forge-${target}.vsix`;
  const args = ['--no-install', 'vsce', 'package', '--no-dependencies', '--target', target, '--out', file];
  const { status, stdout, stderr } = spawnSync('npx', args, { cwd: root, encoding: 'utf8' });
  const printed = stdout + stderr;
  if (status !== 0 || /WARN|ERROR/.test(printed)) throw new Error(`vsce package --target ${target}:\n${printed}`);
  console.log(`${file}: ${(statSync(join(root, file)).size / 1e6).toFixed(1)} MB, no warnings`);
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((target) => !(target in targets));
if (unknown.length > 0)
  throw new Error(`unknown target ${unknown.join(', ')}; the targets are ${Object.keys(targets).join(', ')}`);

execFileSync(process.execPath, ['build.mjs', '--production'], { cwd: root, stdio: 'inherit' });
for (const file of ['LICENSE', 'CHANGELOG.md']) copyFileSync(join(root, '..', file), join(root, file));
for (const target of wanted.length > 0 ? wanted : Object.keys(targets)) {
  build(target);
  pack(target);
}
rmSync(binaries, { recursive: true, force: true }); // the development copy takes the binary of PATH or of the setting
