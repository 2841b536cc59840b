// Loaded before tests for Forge: what compares and runs them stays what it is. What code under test adds to it is its own affair.
'use strict';
const assert = require('node:assert');
const judges = [assert, assert.strict, assert.AssertionError.prototype];
try {
  judges.push(require('node:test'));
} catch {
  // Node.js before 18 has none.
}
for (const judge of judges)
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(judge)))
    if (typeof value === 'function') Object.defineProperty(judge, name, { writable: false, configurable: false });
