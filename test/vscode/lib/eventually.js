// Waiting for what another process does. Everything here ends: with the value, or with an error that says what was
// waited for.
'use strict';

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// eventually(what, probe) returns the first truthy value of `probe`. Its limit is for what hangs: a machine that compiles something else needs
// minutes for what takes a second.
const patience = Number(process.env.FORGE_TEST_PATIENCE ?? 300) * 1000;

async function eventually(what, probe, { timeout = patience, every = 50 } = {}) {
  const end = Date.now() + timeout;
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited ${timeout / 1000} s for ${what}`);
    await pause(every);
  }
}

// settled(read) returns a value once two readings in a row are equal: a tree that unfolds, a list that fills.
async function settled(read, { every = 250, timeout = 60_000 } = {}) {
  let last = JSON.stringify(await read());
  return eventually(
    'something on the screen to come to rest',
    async () => {
      const value = await read();
      const text = JSON.stringify(value);
      const same = text === last;
      last = text;
      return same && value;
    },
    { every, timeout },
  );
}

module.exports = { eventually, patience, settled };
