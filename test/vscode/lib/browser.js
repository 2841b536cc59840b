// Headless Chromium that can reach this machine and nothing else.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { patience } = require('./eventually');

// open(home) starts the browser with playwright-core of that installation. newPage() opens a page of 1400 × 900; all pages are of one user.
async function open(home) {
  const { chromium } = require(path.join(home, 'node_modules', 'playwright-core'));
  const args = ['--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update'];
  if (process.getuid?.() === 0) args.push('--no-sandbox'); // Chromium refuses its sandbox to root
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args,
    handleSIGINT: false, // the runner ends everything, in its own order
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']); // as a user would, when asked
  await context.route('**/*', (route) => (isLocal(route.request().url()) ? route.continue() : route.abort()));
  context.setDefaultTimeout(patience); // the machine may be busy with compilers
  return { newPage: () => context.newPage(), close: () => browser.close() };
}

function isLocal(address) {
  const { protocol, hostname } = new URL(address);
  return protocol === 'data:' || protocol === 'blob:' || hostname === '127.0.0.1' || hostname === 'localhost';
}

function findChromium() {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const found = [process.env.CHROMIUM, ...folders.map((folder) => path.join(folder, 'chromium'))].find(
    (file) => file && fs.existsSync(file),
  );
  if (!found) throw new Error('there is no chromium on PATH; install the Debian package chromium, or set CHROMIUM');
  return found;
}

module.exports = { open };
