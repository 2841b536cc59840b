// Packages made by package.mjs of small files with the headers of real binaries.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { platformOf, platforms } from '../platforms.mjs';

const scratch = mkdtempSync(join(tmpdir(), 'forge-package-test-'));
after(() => {
  rmSync(scratch, { recursive: true, force: true });
});

// The beginning of an ELF file (64 bits, little-endian), of a PE file, and of a Mach-O file, for a machine.
const elf = (machine: number, system = 0) => {
  const bytes = Buffer.alloc(64);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, system]);
  bytes.writeUInt16LE(machine, 18);
  return bytes;
};
const pe = (machine: number) => {
  const bytes = Buffer.alloc(0x100);
  bytes.write('MZ');
  bytes.writeUInt32LE(0x80, 0x3c);
  bytes.write('PE\0\0', 0x80);
  bytes.writeUInt16LE(machine, 0x84);
  return bytes;
};
const macho = (machine: number, magic = 0xfeedfacf) => {
  const bytes = Buffer.alloc(64);
  bytes.writeUInt32LE(magic, 0);
  bytes.writeUInt32LE(machine, 4);
  return bytes;
};

const binaries: Record<string, Buffer> = {
  'linux-x64': elf(0x3e),
  'linux-arm64': elf(0xb7, 3),
  'darwin-arm64': macho(0x0100000c),
  'win32-x64': pe(0x8664),
};

test('the platform of a binary is read from its header', () => {
  for (const [platform, bytes] of Object.entries(binaries)) assert.equal(platformOf(bytes), platform);
  assert.equal(platformOf(macho(0x01000007)), 'darwin-x64');
  assert.equal(platformOf(pe(0xaa64)), 'win32-arm64');
  assert.match(platformOf(elf(0x08)), /unknown machine 8/);
  assert.match(platformOf(elf(0x3e, 9)), /for the system 9/, 'FreeBSD');
  assert.match(platformOf(macho(2, 0xbebafeca)), /several machines/);
  for (const bytes of ['', '#!/bin/sh\nexec forge\n', 'MZ', '\x7fELF'])
    assert.doesNotMatch(platformOf(Buffer.from(bytes, 'latin1')), /^(linux|darwin|win32)-(x64|arm64)$/, bytes);
});

// Runs package.mjs on a folder with these binaries, by target.
function packaged(given: Record<string, Buffer>, ...targets: string[]) {
  const folder = mkdtempSync(join(scratch, 'run-'));
  const out = join(folder, 'out');
  for (const [target, bytes] of Object.entries(given)) {
    const file = join(folder, 'binaries', target, target.startsWith('win32') ? 'forge.exe' : 'forge');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
  const args = ['package.mjs', '--binaries', join(folder, 'binaries'), '--out', out, ...targets];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, printed: stdout + stderr, file: (target: string) => join(out, `forge-${target}.vsix`) };
}

// The files of a zip archive, by name.
function unzipped(file: string): Map<string, Buffer> {
  const zip = readFileSync(file);
  const files = new Map<string, Buffer>();
  let at = zip.readUInt32LE(zip.lastIndexOf('PK\x05\x06', undefined, 'latin1') + 16);
  while (zip.readUInt32LE(at) === 0x02014b50) {
    const [method, name, extra, comment] = [10, 28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    const local = zip.readUInt32LE(at + 42);
    const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const bytes = zip.subarray(begin, begin + zip.readUInt32LE(at + 20));
    files.set(zip.toString('utf8', at + 46, at + 46 + (name ?? 0)), method === 8 ? inflateRawSync(bytes) : bytes);
    at += 46 + (name ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  return files;
}

const contents = [
  '[Content_Types].xml',
  'extension.vsixmanifest',
  'extension/LICENSE.txt',
  'extension/changelog.md',
  'extension/media/forge.svg',
  'extension/media/icon.png',
  ...['demo', 'key', 'local', 'provider', 'run'].map((name) => `extension/media/walkthrough/${name}.md`),
  'extension/out/extension.js',
  'extension/package.json',
  'extension/readme.md',
  'extension/schemas/plan.schema.json',
];

test('each package has the binary of its target, the files of the extension, and nothing else', () => {
  const { status, printed, file } = packaged(binaries);
  assert.equal(status, 0, printed);
  for (const [target, { binary }] of Object.entries(platforms)) {
    const files = unzipped(file(target));
    assert.deepEqual([...files.keys()].sort(), [...contents, `extension/bin/${binary}`].sort(), target);
    assert.deepEqual(files.get(`extension/bin/${binary}`), binaries[target], target);
    assert.match(String(files.get('extension.vsixmanifest')), new RegExp(`TargetPlatform="${target}"`));
    const { __metadata, main } = JSON.parse(String(files.get('extension/package.json'))) as Record<string, unknown>;
    assert.deepEqual([main, __metadata], ['./out/extension.js', undefined]);
    assert.doesNotMatch(String(files.get('extension/out/extension.js')), /sourceMappingURL/);
  }
});

test('a binary of another platform is in no package, and the others are packaged', () => {
  const { status, printed, file } = packaged({ 'linux-x64': elf(0x3e), 'win32-x64': elf(0x3e) });
  assert.equal(status, 1, printed);
  assert.match(printed, /^packaged: forge-linux-x64\.vsix/m);
  assert.match(printed, /^not packaged: win32-x64: its binary is for another platform: linux-x64$/m);
  assert.ok(!existsSync(file('win32-x64')));
});

test('a target without a binary is reported, and fails only if it was asked for or nothing is left', () => {
  const one = { 'linux-arm64': elf(0xb7) };
  const some = packaged(one);
  assert.equal(some.status, 0, some.printed);
  assert.match(some.printed, /^not packaged: darwin-arm64: there is no .*darwin-arm64.forge$/m);
  const asked = packaged(one, 'linux-arm64', 'darwin-arm64');
  assert.equal(asked.status, 1, asked.printed);
  assert.ok(existsSync(asked.file('linux-arm64')));
  assert.equal(packaged({}).status, 1);
  const { status, printed } = packaged(one, 'linux-riscv64');
  assert.equal(status, 1);
  assert.match(printed, /unknown target linux-riscv64/);
});
