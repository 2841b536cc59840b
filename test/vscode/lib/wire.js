// What went over the wire between editor and server, read from the tap's log.
'use strict';
const fs = require('node:fs');
const { fileURLToPath, pathToFileURL } = require('node:url');
const { eventually } = require('./eventually');

class Wire {
  #owners;

  constructor(log, owners = { of: new Map(), next: undefined }) {
    this.log = log;
    this.#owners = owners;
    owners.next ??= this;
  }

  // All messages so far, oldest first. A line that is still being written is left for later.
  all() {
    if (!fs.existsSync(this.log)) return [];
    const lines = fs.readFileSync(this.log, 'utf8').split('\n');
    const { of, next } = this.#owners;
    return lines
      .slice(0, -1)
      .map((line) => JSON.parse(line))
      .filter(({ by }) => {
        if (!of.has(by)) of.set(by, next);
        return of.get(by) === this;
      });
  }

  // The wire of another window: of the servers that start from now on.
  other() {
    const wire = new Wire(this.log, this.#owners);
    wire.expect();
    return wire;
  }

  // The servers that start from now on are of this window.
  expect() {
    this.all(); // those that have started are of whoever expected them
    this.#owners.next = this;
  }

  // The number of messages so far: pass it as `after` to see only what follows.
  get length() {
    return this.all().length;
  }

  // The events of runs, in the order they were sent.
  events(type) {
    return eventsIn(this.all()).filter((event) => type === undefined || event.type === type);
  }

  // Waits for the first event of that type which `matches` accepts. Once every run has ended, and nothing has begun for a while, nothing
  // more can come: then it fails, and says how the last one ended.
  event(type, matches = () => true, { timeout, idle = 30_000 } = {}) {
    let heard = { messages: -1, at: 0 };
    const probe = () => {
      const messages = this.all(); // read once: what is found and what has ended are of the same moment
      if (messages.length !== heard.messages) heard = { messages: messages.length, at: Date.now() };
      const sent = eventsIn(messages);
      const of = (kind) => sent.filter((event) => event.type === kind);
      const found = of(type).find(matches);
      const ended = of('run.ended');
      const over = ended.length > 0 && ended.length === of('run.started').length && Date.now() - heard.at > idle;
      if (!found && type !== 'run.started' && over) {
        const { state, reason } = ended.at(-1).data;
        throw new Error(
          `the run ended (${state}: ${reason ?? 'no reason'}) without the event ${type} that was waited for`,
        );
      }
      return found;
    };
    return eventually(`event ${type}`, probe, { timeout });
  }

  // Waits for a work-done progress of that kind (begin, report, end) and returns its value.
  async progress(kind, { timeout } = {}) {
    const values = () => this.all().filter(({ message }) => message.method === '$/progress');
    const found = () => values().find(({ message }) => message.params.value.kind === kind);
    return (await eventually(`progress to ${kind}`, found, { timeout })).message.params.value;
  }

  // Kills the server with the client's answer to its next request of that method, or, with `sent: false`, before the client sees it.
  killAt(method, { sent = true } = {}) {
    fs.writeFileSync(`${this.log}.kill`, `${sent ? '' : '-'}${method}`);
  }

  // Waits for the notification or request with that method.
  request(to, method, { after = 0, timeout } = {}) {
    const found = () =>
      this.all()
        .slice(after)
        .find((entry) => entry.to === to && entry.message.method === method);
    return eventually(`${method} to the ${to}`, found, { timeout }).then((entry) => entry.message);
  }

  // Waits for the answer to one of the server's commands that the editor sends after message number `after`.
  async command(name, { after = 0, timeout } = {}) {
    const sent = ({ to, message }) =>
      to === 'server' && message.method === 'workspace/executeCommand' && message.params.command === name;
    const request = () => this.all().findIndex((entry, index) => index >= after && sent(entry));
    const at = await eventually(`${name} to be sent`, () => request() + 1, { timeout });
    const reply = await this.reply('client', this.all()[at - 1].message.id, { after: at, timeout });
    if (reply.error) throw new Error(`${name}: ${reply.error.message}`);
    return reply.result;
  }

  // Waits for the answer to the request with that id, after message number `after`: a server that is started again counts anew.
  async reply(to, id, { after = 0, timeout } = {}) {
    const answers = ({ to: side, message }) => side === to && message.id === id && message.method === undefined;
    const entry = await eventually(`the answer to request ${id}`, () => this.all().slice(after).find(answers), {
      timeout,
    });
    return entry.message;
  }

  // The text of a file as the server sees it: the open document, replayed from the messages, else the disk.
  text(file) {
    const uri = pathToFileURL(file).href;
    let text;
    for (const { to, message } of this.all()) {
      if (to !== 'server' || !message.params?.textDocument || decode(message.params.textDocument.uri) !== decode(uri))
        continue;
      if (message.method === 'textDocument/didOpen') text = message.params.textDocument.text;
      if (message.method === 'textDocument/didClose') text = undefined;
      if (message.method === 'textDocument/didChange') text = changed(text, message.params.contentChanges);
    }
    return text ?? (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined);
  }
}

const eventsIn = (messages) =>
  messages.filter(({ message }) => message.method === 'forge/event').map(({ message }) => message.params);

const decode = (uri) => fileURLToPath(uri);

function changed(text, changes) {
  return changes.reduce((now, { range, text: inserted }) => {
    if (!range) return inserted;
    return now.slice(0, offset(now, range.start)) + inserted + now.slice(offset(now, range.end));
  }, text);
}

// Offsets are UTF-16, in JavaScript as in the positions VS Code sends.
function offset(text, { line, character }) {
  let start = 0;
  for (let passed = 0; passed < line; passed++) start = text.indexOf('\n', start) + 1;
  return start + character;
}

module.exports = { Wire };
