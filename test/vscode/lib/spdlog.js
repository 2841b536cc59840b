// Takes the place of the npm package @vscode/spdlog in the installation, whose native module is not built: without it VS Code keeps no
// logs. Writes each entry at once, as "2026-01-02 03:04:05.678 [error] text".
'use strict';
const fs = require('node:fs');
const path = require('node:path');

const levels = ['trace', 'debug', 'info', 'warning', 'error', 'critical', 'off'];

class Logger {
  #file;
  #level = levels.indexOf('info');
  #plain = false; // an output channel of an extension, which writes its own time and level

  constructor(file) {
    this.#file = file;
  }

  getLevel() {
    return this.#level;
  }

  setLevel(level) {
    this.#level = level;
  }

  setPattern() {}

  clearFormatters() {
    this.#plain = true;
  }

  flush() {}

  drop() {}

  write(level, text) {
    if (levels.indexOf(level) < this.#level) return;
    const time = new Date().toISOString().replace('T', ' ').slice(0, -1);
    fs.appendFileSync(this.#file, this.#plain ? text : `${time} [${level}] ${text}\n`);
  }
}

for (const level of levels.slice(0, -1)) {
  Logger.prototype[level === 'warning' ? 'warn' : level] = function (text) {
    this.write(level, text);
  };
}

async function createRotatingLogger(_name, file) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  return new Logger(file);
}

// One statement for each: VS Code imports them from an ES module, which finds no others.
exports.createRotatingLogger = createRotatingLogger;
exports.createAsyncRotatingLogger = createRotatingLogger;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.version = 0;
