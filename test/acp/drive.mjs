// Drives an agent with the protocol's own TypeScript library, as the JSON in the first argument says, and prints what happened as JSON:
//
//   {command, env, cwd, load, stable, buffers: {path: text}, turns: [{prompt, links, answers: [[title, option]], cancelAt}]}
//
// The library checks each message against the schema of the protocol, with `stable` against that without unstable features; what does not
// fit is in faults.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';

const job = JSON.parse(process.argv[2]);
const { client, methods, ndJsonStream, PROTOCOL_VERSION } = await import(`@agentclientprotocol/sdk${job.stable ? '' : '/unstable'}`);
const buffers = new Map(Object.entries(job.buffers ?? {}));
const faults = [];
console.error = (...said) => faults.push(said.map(String).join(' '));

const agent = spawn(job.command[0], job.command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...job.env } });
let turn = { updates: [], asked: [], text: '' };
let sessionId;

const app = client({ name: 'forge-test' })
  .onNotification(methods.client.session.update, ({ params: { update } }) => {
    turn.updates.push(update);
    if (update.sessionUpdate === 'agent_message_chunk') turn.text += update.content.text;
    if (turn.cancelAt === update.sessionUpdate) {
      turn.cancelAt = undefined;
      return peer.notify(methods.agent.session.cancel, { sessionId });
    }
  })
  .onRequest(methods.client.session.requestPermission, ({ params: { toolCall, options } }) => {
    turn.asked.push({ title: toolCall.title, options: options.map((o) => o.optionId), onDisk: readFileSync(job.watch, 'utf8') });
    const [, option] = turn.answers?.find(([title]) => toolCall.title.startsWith(title)) ?? [];
    return { outcome: option ? { outcome: 'selected', optionId: option } : { outcome: 'cancelled' } };
  })
  .onRequest(methods.client.fs.readTextFile, ({ params: { path } }) => ({ content: buffers.get(path) ?? readFileSync(path, 'utf8') }))
  .onRequest(methods.client.fs.writeTextFile, ({ params: { path, content } }) => {
    buffers.set(path, content);
    writeFileSync(path, content);
    turn.updates.push({ sessionUpdate: 'written', path });
    return {};
  });

const connection = app.connect(ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout)));
const peer = connection.agent;
const initialize = await peer.request(methods.agent.initialize, {
  protocolVersion: PROTOCOL_VERSION,
  clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } },
});
let session;
if (job.load) {
  sessionId = job.load;
  session = await peer.request(methods.agent.session.load, { sessionId, cwd: job.cwd, mcpServers: [] });
} else {
  session = await peer.request(methods.agent.session.new, { cwd: job.cwd, mcpServers: [] });
  sessionId = session.sessionId;
}
const loaded = turn;
const turns = [];
for (const wanted of job.turns) {
  turn = { updates: [], asked: [], text: '', answers: wanted.answers, cancelAt: wanted.cancelAt };
  const links = (wanted.links ?? []).map((uri) => ({ type: 'resource_link', name: uri, uri }));
  const { stopReason, usage } = await peer.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text: wanted.prompt }, ...links] });
  turns.push({ ...turn, stopReason, usage });
}
agent.stdin.end();
const code = await new Promise((resolve) => agent.on('exit', resolve));
console.log(JSON.stringify({ initialize, session, sessionId, loaded, turns, faults, code }));
