-- A language server that plays Forge's part of the wire, for two purposes: to test the plugin alone, and to
-- prove that the drive fails when a server misbehaves (FAULT). Its edits are appended lines, its state is a
-- handful of variables. Run by: nvim -l fakeserver.lua
local fault = os.getenv('FAULT') or ''
local docs, pending, next_id, rich = {}, {}, 0, false
local run, answered -- the last arguments of forge.run and forge.answer
local proposal -- { id, hunks = { { uri, text, line, undo } } }

local function send(message)
  message.jsonrpc = '2.0'
  local body = vim.json.encode(message)
  io.stdout:write('Content-Length: ', #body, '\r\n\r\n', body)
  io.stdout:flush()
end

local function notify(method, params) send({ method = method, params = params }) end

local function call(method, params, done)
  next_id = next_id + 1
  pending[next_id] = done or function() end
  send({ id = next_id, method = method, params = params })
end

local seq = 0
local function event(type, data)
  seq = seq + 1
  if rich then notify('forge/event', { runId = 'r1', seq = seq, ts = '2026-01-02T03:04:05.000Z', type = type, data = data }) end
end

local function progress(value) notify('$/progress', { token = 'p1', value = value }) end

-- Appends a text to a file. Neovim 0.10 leaves an empty line behind an edit that begins after the last line,
-- so this one begins at the end of the last line.
local function append(hunk)
  local text = docs[hunk.uri]
  local last = vim.split(text, '\n', { trimempty = true })
  local at = { line = #last - 1, character = #last[#last] }
  return { range = { start = at, ['end'] = at }, newText = '\n' .. hunk.text:gsub('\n$', '') }
end

local function position(line) return { start = { line = line, character = 0 }, ['end'] = { line = line, character = 0 } } end

local function publish()
  local by_uri = {}
  for uri in pairs(docs) do by_uri[uri] = {} end
  for _, hunk in ipairs(proposal and proposal.hunks or {}) do
    by_uri[hunk.uri] = by_uri[hunk.uri] or {}
    table.insert(by_uri[hunk.uri], { range = position(math.max(hunk.line - 1, 0)), severity = 4, source = 'forge', message = 'adds lines' })
  end
  if fault == 'no hints' then by_uri = {} end
  for uri, list in pairs(by_uri) do notify('textDocument/publishDiagnostics', { uri = uri, diagnostics = list }) end
end

local function lines_of(uri)
  local text = docs[uri] or table.concat(vim.fn.readfile(vim.uri_to_fname(uri)), '\n') .. '\n'
  return select(2, text:gsub('\n', ''))
end

local function propose(id, hunks)
  proposal = { id = id, hunks = hunks }
  for _, hunk in ipairs(hunks) do hunk.line = hunk.line or lines_of(hunk.uri) end
  event('proposal', { proposalId = id, files = #hunks, hunks = #hunks })
  if not rich then publish() end
end

local function edit(hunk)
  if hunk.undo then
    return { range = { start = { line = hunk.line, character = 0 }, ['end'] = { line = hunk.line + hunk.undo, character = 0 } }, newText = '' }
  end
  return append(hunk)
end

local function apply(uri)
  for i, hunk in ipairs(proposal.hunks) do
    if hunk.uri == uri then
      table.remove(proposal.hunks, i)
      local change = edit(hunk)
      if fault == 'overwrites' then change.range.start = { line = 3, character = 0 } end
      call('workspace/applyEdit', { label = 'Forge', edit = { changes = { [uri] = { change } } } }, function()
        publish()
        if not rich then notify('window/showMessage', { type = 3, message = 'Forge: 1 of 1 files applied' }) end
      end)
      proposal.accepted = hunk
      return
    end
  end
end

local source, test

local function finish()
  event('gate.finished', {
    node = 'executor', attempt = 1,
    gate = { name = 'go test', verdict = 'fail', summary = '1 failed', executed = 1, passed = 0, elapsedMs = 5,
      findings = { { path = 'greet_test.go', line = 6, severity = 'error', message = 'Hello is wrong' } } },
  })
  progress({ kind = 'end', message = 'succeeded' })
  if fault == 'two ends' then progress({ kind = 'end' }) end
  propose('p1', {
    { uri = source, text = '\nfunc Shout(name string) string { return Hello(name) + "!" }\n' },
    { uri = test, text = '\nfunc TestShout(t *testing.T) {}\n' },
  })
  event('run.ended', { state = 'succeeded' })
end

local function ask()
  local yes, no = { id = 'yes', title = 'Implement' }, { id = 'no', title = 'Reject' }
  if fault == 'odd question' then yes.title, no.title = 'Perhaps', 'Perhaps not' end
  if rich then
    event('ask', { askId = 'a1', kind = 'approve', title = 'Is this right?', choices = { yes, no }, default = 'no' })
    return
  end
  local actions = { { title = yes.title }, { title = no.title } }
  call('window/showMessageRequest', { type = 3, message = 'Is this right?', actions = actions }, function(choice)
    if choice and choice.title == 'Implement' then finish() end
  end)
end

local commands = {}

commands['forge.run'] = function(args)
  if not args.task then return nil, { code = -32602, message = 'task: say what to do' } end
  run = args
  source, test = args.scope.uri, vim.fs.dirname(args.scope.uri) .. '/greet_test.go'
  event('run.started', { task = args.task, folder = vim.fs.dirname(args.scope.uri), base = 'b', model = 'fake' })
  call('window/workDoneProgress/create', { token = 'p1' })
  progress({ kind = 'begin', title = 'Forge: ' .. args.task })
  if fault == 'applies at once' then
    call('workspace/applyEdit', { edit = { changes = { [source] = { { range = position(0), newText = '// mine\n' } } } } })
  end
  ask()
  return { runId = 'r1', progressToken = 'p1', folder = vim.fs.dirname(args.scope.uri), state = 'running' }
end
commands['forge.answer'] = function(args)
  answered = args
  if args.choice == 'yes' then finish() end
  return { accepted = true }
end
commands['forge.cancel'] = function() return { runId = 'r1', state = 'cancelled' } end
commands['forge.search'] = function(args)
  local hits, symbols, uri = {}, {}, next(docs)
  local range = { start = { line = 2, character = 5 }, ['end'] = { line = 2, character = 10 } }
  if args.text ~= 'walrus' then
    local best = { line = 3, text = '  say hello' }
    hits[1] = { uri = uri, path = 'greet.go', score = 1, why = 'its text', range = range, signals = {}, lines = { { line = 2, text = 'say' }, best }, best = best }
    hits[2] = { uri = uri, path = 'greet.go', score = 1, why = 'its path', signals = {}, lines = {} }
    symbols[1] = { uri = uri, path = 'greet.go', name = 'Hello', kind = 'function', range = range, score = 1 }
  end
  return { folder = uri, complete = args.text ~= 'early', hits = hits, symbols = symbols }
end
commands['forge.proposal.apply'] = function(args)
  if fault == 'conflict' then
    return { proposalId = proposal.id, files = { { uri = source, state = 'conflict', message = 'you changed the same lines' } } }
  end
  apply(args.select.files[1])
  return { proposalId = proposal.id, files = { { uri = source, state = 'applied' } } }
end
commands['forge.proposal.reject'] = function(args)
  proposal.hunks = vim.tbl_filter(function(h) return h.uri ~= args.select.files[1] end, proposal.hunks)
  publish()
  return { proposalId = proposal.id, files = {} }
end
commands['forge.proposal.get'] = function()
  local diff = ''
  for _, hunk in ipairs(proposal.hunks) do diff = diff .. '@@\n' .. (hunk.text or ''):gsub('([^\n]*)\n', '+%1\n') end
  return { proposalId = proposal.id, runId = 'r1', title = 'add Shout', state = 'open', files = {}, diff = diff,
    gates = { { name = 'go test', verdict = 'pass', summary = '2 passed', findings = {} } } }
end
commands['forge.proposal.preview'] = function(args)
  if args.proposalId == proposal.id then publish() end
  return { proposalId = proposal.id, files = {} }
end
commands['forge.undo'] = function()
  if fault == 'undo does nothing' then return { proposalId = 'p2' } end
  local done = proposal.accepted
  proposal = { id = 'p2', hunks = { { uri = done.uri, line = done.line, undo = 2 } } }
  if not rich then publish() end
  return { proposalId = 'p2', runId = 'r1', title = 'undo', state = 'open', files = {}, gates = {}, diff = '' }
end
-- What the server knows, for the tests of the plugin.
commands['fake.state'] = function() return { answered = answered, run = run, rich = rich, text = source and docs[source] } end

local function actions(params)
  local uri, found = params.textDocument.uri, {}
  local function add(title, command, args)
    table.insert(found, { title = title, command = { title = title, command = command, arguments = { args } } })
  end
  for _, hunk in ipairs(proposal and proposal.hunks or {}) do
    if hunk.uri == uri then
      add('Forge: accept file', 'forge.proposal.apply', { select = { files = { uri } } })
      add('Forge: reject hunk', 'forge.proposal.reject', { select = { files = { uri } } })
    end
  end
  add('Forge: implement the selection', 'forge.run', { task = 'add Shout', scope = { uri = uri, range = params.range } })
  return found
end

local methods = {}

methods.initialize = function(params)
  rich = (params.capabilities.experimental or {}).forge == true
  return { capabilities = { textDocumentSync = 1, codeActionProvider = true, executeCommandProvider = { commands = vim.tbl_keys(commands) } } }
end
methods['textDocument/didOpen'] = function(params) docs[params.textDocument.uri] = params.textDocument.text end
methods['textDocument/didChange'] = function(params) docs[params.textDocument.uri] = params.contentChanges[1].text end
methods['textDocument/codeAction'] = actions
methods['workspace/executeCommand'] = function(params)
  local run = commands[params.command]
  if not run then return nil, { code = -32602, message = 'no command ' .. params.command } end
  return run((params.arguments or {})[1] or {})
end
methods.shutdown = function() return vim.NIL end
methods.exit = function() os.exit(0) end

local function read()
  local length
  for line in io.stdin:lines() do
    line = line:gsub('\r$', '')
    if line == '' then break end
    length = tonumber(line:match('^Content%-Length: (%d+)')) or length
  end
  return length and vim.json.decode(io.stdin:read(length), { luanil = { object = true, array = true } })
end

for message in read do
  if message.method then
    local method = methods[message.method]
    local result, err
    if method then result, err = method(message.params or {}) end
    if message.id then send({ id = message.id, result = not err and (result or vim.NIL) or nil, error = err }) end
  elseif pending[message.id] then
    pending[message.id](message.result)
  end
end
