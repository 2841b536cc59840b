// build.mjs [--production] [FILE]: bundles the extension into FILE, or out/extension.js: the one file VS Code loads.
// build.mjs --tests: bundles each unit test into out/test/, for `node --test`.
import { build } from 'esbuild';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { internal, lean } from './lean.mjs';

const common = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20', // what the oldest supported VS Code runs extensions on
  charset: 'utf8',
  logLevel: 'warning',
};

if (process.argv.includes('--tests')) {
  rmSync('out/test', { recursive: true, force: true });
  const tests = readdirSync('test').filter((name) => name.endsWith('.test.ts'));
  await build({ ...common, entryPoints: tests.map((name) => `test/${name}`), outdir: 'out/test', sourcemap: 'inline' });
} else {
  const production = process.argv.includes('--production');
  const outfile = process.argv.slice(2).find((one) => !one.startsWith('--')) ?? 'out/extension.js';
  await build({
    ...common,
    entryPoints: ['src/extension.ts'],
    outfile,
    external: ['vscode'],
    minify: production,
    ...(production ? { plugins: [lean], mangleProps: internal } : {}),
    sourcemap: production ? false : 'inline',
  });
  const { size } = statSync(outfile);
  if (production && size > 300_000) throw new Error(`the bundle has ${size} bytes; 300 000 are the limit (ADR 142)`);
}
