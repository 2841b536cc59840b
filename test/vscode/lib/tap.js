#!/usr/bin/env node
// tap.js LOG PROGRAM ARGS...: runs PROGRAM in between, and writes every message of both directions to LOG, one JSON
// object a line: {to: "server" | "client", by, message}; `by` is the process of the tap. Bytes pass through as they are.
//
// Tests assert on this log: it is exact where a screen is not.
//
// A file LOG.kill with the name of a request of the server kills PROGRAM with the client's answer to the next one, which PROGRAM does
// not see any more. With a "-" before the name, it dies before the client sees the request.
'use strict';
const { spawn } = require('node:child_process');
const fs = require('node:fs');

const [log, program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });

// recorder(to) returns a function that takes the bytes of one direction as they come, and returns those that may pass.
function recorder(to) {
  let held = Buffer.alloc(0);
  return (chunk) => {
    held = Buffer.concat([held, chunk]);
    for (;;) {
      const head = held.indexOf('\r\n\r\n');
      if (head < 0) return chunk;
      const length = Number(/^content-length: *(\d+)/im.exec(held.toString('latin1', 0, head))?.[1] ?? 0);
      const end = head + 4 + length;
      if (held.length < end) return chunk;
      const message = JSON.parse(held.toString('utf8', head + 4, end));
      if (kills(to, message)) return Buffer.alloc(0);
      fs.appendFileSync(log, `${JSON.stringify({ to, by: process.pid, message })}\n`);
      held = held.subarray(end);
    }
  };
}

let fatal; // the id of the request whose answer kills the program
let killed = false;

// Whether this message kills the program, or comes after the one that did.
function kills(to, message) {
  const asked = fs.existsSync(`${log}.kill`) ? fs.readFileSync(`${log}.kill`, 'utf8') : '';
  if (to === 'client' && message.id !== undefined && message.method === asked.replace('-', '')) {
    fs.rmSync(`${log}.kill`);
    if (!asked.startsWith('-')) fatal = message.id;
    else killed = child.kill('SIGKILL');
  }
  if (to === 'server' && fatal !== undefined && message.id === fatal && message.method === undefined)
    killed = child.kill('SIGKILL');
  return killed;
}

function pass(from, into, record) {
  from.on('data', (chunk) => into.write(record(chunk)));
  from.on('end', () => into.end());
}

pass(process.stdin, child.stdin, recorder('server'));
pass(child.stdout, process.stdout, recorder('client'));
child.stdin.on('error', () => {}); // the server went first: its exit code says it all
child.on('error', (error) => {
  console.error(`tap: cannot run ${program}: ${error.message}`);
  process.exit(127);
});
child.on('exit', (code, signal) => process.exit(signal ? 1 : code));
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal));
