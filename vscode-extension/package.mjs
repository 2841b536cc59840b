// package.mjs [--binaries FOLDER] [--out FOLDER] [TARGET...]: makes forge-TARGET.vsix for each target, or for all: the extension with
// the server's binary of that platform in it, and no other. A warning of vsce is an error.
//
//   --binaries  where the binaries are, as FOLDER/TARGET/forge or forge.exe; without it they are built (crossbuild.mjs)
//   --out       where the packages go (default: here)
//
// A target without a binary is reported as not packaged, and the others are packaged. That fails if the target was asked for by name, if
// nothing was packaged, and always if a binary is for another platform, as its header says.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './crossbuild.mjs';
import { platformOf, platforms } from './platforms.mjs';

const root = import.meta.dirname;
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const vsce = createRequire(import.meta.url).resolve('@vscode/vsce/vsce');

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { binaries: { type: 'string' }, out: { type: 'string', default: root } },
});
const unknown = wanted.filter((target) => !(target in platforms));
if (unknown.length > 0)
  throw new Error(`unknown target ${unknown.join(', ')}; the targets are ${Object.keys(platforms).join(', ')}`);

/** What is packaged lies in a folder of its own, so that nothing else can get in and nothing is left here. */
const stage = mkdtempSync(join(tmpdir(), 'forge-package-'));
process.on('exit', () => rmSync(stage, { recursive: true, force: true }));

function setStage() {
  if (existsSync(join(stage, 'package.json'))) return;
  const bundle = join(stage, 'out/extension.js');
  execFileSync(process.execPath, ['build.mjs', '--production', bundle], { cwd: root, stdio: 'inherit' });
  for (const name of ['package.json', 'README.md', '.vscodeignore', 'media', 'schemas'])
    cpSync(join(root, name), join(stage, name), { recursive: true });
  for (const name of ['LICENSE', 'CHANGELOG.md']) copyFileSync(join(root, '..', name), join(stage, name));
}

class WrongPlatformError extends Error {}

/** Puts the binary of a target on the stage, alone. */
function putBinary(target) {
  const folder = join(stage, 'bin');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const { binary } = platforms[target];
  const placed = join(folder, binary);
  if (options.binaries) {
    const given = join(options.binaries, target, binary);
    if (!existsSync(given)) throw new Error(`there is no ${given}`);
    copyFileSync(given, placed);
  } else {
    build(target, version, placed);
  }
  const found = platformOf(readFileSync(placed));
  if (found !== target) throw new WrongPlatformError(`its binary is for another platform: ${found}`);
}

function pack(target) {
  setStage();
  const file = resolve(options.out, `forge-${target}.vsix`);
  const args = [vsce, 'package', '--no-dependencies', '--target', target, '--out', file];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: stage, encoding: 'utf8' });
  const printed = stdout + stderr;
  if (status !== 0 || /WARN|ERROR/.test(printed)) throw new Error(`vsce package --target ${target}:\n${printed}`);
  console.log(`packaged: forge-${target}.vsix, ${(statSync(file).size / 1e6).toFixed(1)} MB`);
}

const missing = [];
let wrong = false;
mkdirSync(options.out, { recursive: true });
for (const target of wanted.length > 0 ? wanted : Object.keys(platforms)) {
  rmSync(resolve(options.out, `forge-${target}.vsix`), { force: true }); // an older one would pass for this one
  try {
    putBinary(target);
  } catch (error) {
    console.error(`not packaged: ${target}: ${error.message}`);
    missing.push(target);
    wrong ||= error instanceof WrongPlatformError;
    continue;
  }
  pack(target);
}
const all = wanted.length > 0 ? wanted.length : Object.keys(platforms).length;
if (wrong || missing.length === all || (wanted.length > 0 && missing.length > 0)) process.exitCode = 1;
