// The platforms that the extension is packaged for, and which platform a binary is for, as its header says.

/** By the name that VS Code has for it: Go's names, zig's name, and the name of the binary. */
export const platforms = {
  // VS Code itself needs glibc 2.28.
  'linux-x64': { os: 'linux', arch: 'amd64', zig: 'x86_64-linux-gnu.2.28', binary: 'forge' },
  'linux-arm64': { os: 'linux', arch: 'arm64', zig: 'aarch64-linux-gnu.2.28', binary: 'forge' },
  'darwin-arm64': { os: 'darwin', arch: 'arm64', zig: 'aarch64-macos.12.0', binary: 'forge' },
  'win32-x64': { os: 'windows', arch: 'amd64', zig: 'x86_64-windows-gnu', binary: 'forge.exe' },
};

const machines = {
  elf: { 0x3e: 'x64', 0xb7: 'arm64' },
  pe: { 0x8664: 'x64', 0xaa64: 'arm64' },
  macho: { 0x01000007: 'x64', 0x0100000c: 'arm64' },
};

/** Describes the platform of a program from the first bytes of its file: 'linux-x64' and the like, else what the file is. */
export function platformOf(bytes) {
  const word = (at) => (at + 4 <= bytes.length ? bytes.readUInt32LE(at) : -1);
  const half = (at) => (at + 2 <= bytes.length ? bytes.readUInt16LE(at) : -1);
  const named = (os, format, machine) => `${os}-${machines[format][machine] ?? `unknown machine ${machine}`}`;
  if (word(0) === 0x464c457f) {
    if (bytes[4] !== 2 || bytes[5] !== 1) return 'a 32-bit or big-endian ELF file';
    if (bytes[7] !== 0 && bytes[7] !== 3) return `an ELF file for the system ${bytes[7]}`; // 0: any Unix, 3: Linux
    return named('linux', 'elf', half(18));
  }
  if (half(0) === 0x5a4d) {
    const header = word(0x3c);
    return word(header) === 0x4550 ? named('win32', 'pe', half(header + 4)) : 'a program for DOS';
  }
  if (word(0) === 0xfeedfacf) return named('darwin', 'macho', word(4));
  if (word(0) === 0xbebafeca) return 'a Mach-O file for several machines';
  return 'no program';
}
