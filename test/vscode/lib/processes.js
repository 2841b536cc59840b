// Child processes that never outlive a test run: each is the leader of a group, and the whole group is killed, on a
// normal end, on a failure and on Ctrl-C.
'use strict';
const { spawn } = require('node:child_process');
const fs = require('node:fs');

const groups = new Set();

function killGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
    // the group is gone already
  }
}

// The last resort, also for process.exit in a signal handler: it may not wait.
process.on('exit', () => groups.forEach((pid) => killGroup(pid, 'SIGKILL')));

// start(command, args, {cwd, env, log}) starts a process whose output goes to the file `log`; stop() ends it and all it
// started, and returns its exit code or signal. `died` resolves to the same when it ends by itself or otherwise.
function start(command, args, { cwd, env, log }) {
  const output = fs.openSync(log, 'a');
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', output, output], detached: true });
  fs.closeSync(output);
  const died = new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? code));
    child.once('error', (error) => resolve(error.message));
  });
  if (child.pid !== undefined) groups.add(child.pid);
  const stop = async () => {
    if (child.pid === undefined) return died;
    killGroup(child.pid, 'SIGTERM');
    const late = setTimeout(() => killGroup(child.pid, 'SIGKILL'), 60_000);
    await died;
    clearTimeout(late);
    killGroup(child.pid, 'SIGKILL'); // what the leader left behind
    groups.delete(child.pid);
    return died;
  };
  return { pid: child.pid, died, stop };
}

// leftovers(mark) lists the processes whose command line or working folder mentions `mark`: the run's own folder.
function leftovers(mark) {
  const found = [];
  for (const pid of fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (Number(pid) === process.pid) continue;
    try {
      const line = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      const folder = fs.readlinkSync(`/proc/${pid}/cwd`);
      if (line.includes(mark) || folder.startsWith(mark)) found.push(`${pid} ${line}`);
    } catch {
      // it ended while we looked, or is not ours to look at
    }
  }
  return found;
}

module.exports = { start, leftovers };
