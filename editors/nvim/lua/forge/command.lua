-- :Forge and its subcommands, with their completion. The work is in the other modules, loaded on first use.
local forge = require('forge')

local M = {}

-- A command: what it does; takes = 'text', 'words' or nothing; complete(words) lists what may come after these words.
-- run gets { text, words, lines = { first, last } or nil, bang }.
local commands = {}

-- ---- what completion offers -----------------------------------------------------------------------------

local patience = 1000 -- ms that completion waits for the server

local scopes = { 'all', 'file', 'hunk' }

local function first(list)
  return function(words) return #words == 0 and (type(list) == 'function' and list() or list) or {} end
end

-- The ids of runs, newest first: those in a state, or all.
local function runs(...)
  local wanted = { ... }
  return first(function()
    local result = forge.ask('forge.runs', { all = true, limit = 50 }, patience) or { runs = {} }
    local ids = {}
    for _, run in ipairs(result.runs) do
      if #wanted == 0 or vim.tbl_contains(wanted, run.state) then table.insert(ids, run.runId) end
    end
    return ids
  end)
end

-- The ids of proposals: those that are open, then those of runs that were decided about or undone.
local function proposals()
  local open = forge.ask('forge.proposal.list', { all = true }, patience) or { proposals = {} }
  local ids = vim.tbl_map(function(proposal) return proposal.proposalId end, open.proposals)
  local result = forge.ask('forge.runs', { all = true, limit = 50 }, patience) or { runs = {} }
  for _, run in ipairs(result.runs) do
    if run.proposalId and not vim.tbl_contains(ids, run.proposalId) then table.insert(ids, run.proposalId) end
  end
  return ids
end

-- The names that the server's commands take; test/nvim compares them with its API.
M.providers = {
  'read_file', 'search_code', 'symbol_list', 'import_graph', 'run_tests', 'lint_check', 'git_log', 'git_diff', 'repo_map',
  'discover_context', 'past_runs', 'playbooks',
}
M.arguments = { 'path', 'paths', 'start', 'end', 'pattern', 'literal', 'glob', 'query', 'depth', 'limit', 'base', 'tags' }
M.kinds = { 'implement', 'fix', 'tdd', 'refactor', 'test', 'document', 'explain', 'review' }
local nodes = { 'orchestrator', 'spec', 'planner', 'explorer', 'executor', 'review', 'answer' }

local function explore(words)
  if #words == 0 then return M.providers end
  return vim.tbl_map(function(name) return name .. '=' end, M.arguments)
end

-- ---- the commands ----------------------------------------------------------------------------------------

-- The id of a run, if the first word is one, and the words after it.
local function id_first(a)
  local id = a.words[1]
  if not id or not id:find('^r%-%w+$') then return nil, a.text end
  return id, table.concat(vim.list_slice(a.words, 2), ' ')
end

commands.run = {
  doc = 'run a task; with a range, on those lines',
  takes = 'text',
  run = function(a) forge.run(a.text, a.lines) end,
}
commands.plan = {
  doc = 'show a plan for a task, then run it part by part',
  takes = 'text',
  run = function(a) forge.run(a.text, a.lines, true) end,
}
commands.answer = {
  doc = 'ask the questions of runs again that you closed',
  run = function()
    if require('forge.events').ask_again() == 0 then forge.say('no question waits for an answer') end
  end,
}
commands.ask = {
  doc = 'answer a question, with a range about those lines',
  takes = 'text',
  run = function(a) require('forge.reading').ask(a.text, a.lines) end,
}
commands.review = {
  doc = 'review the file or the range; review! reviews all uncommitted changes',
  run = function(a) require('forge.reading').review(a.lines, a.bang) end,
}
commands.spec = {
  doc = 'show the specification; with words or a range that say what must hold, update it',
  takes = 'text',
  run = function(a) require('forge.reading').spec(a.text, a.lines) end,
}
commands.cancel = {
  doc = 'cancel a run, the last one without an id',
  takes = 'words',
  complete = runs('running', 'waiting'),
  run = function(a)
    forge.execute('forge.cancel', { runId = a.words[1] }, function(result) forge.say('run ' .. result.runId .. ' is ' .. result.state) end)
  end,
}
commands.resume = {
  doc = 'resume a run, the last interrupted one without an id; words after the id answer its question',
  takes = 'words',
  complete = runs('interrupted', 'blocked', 'failed', 'succeeded'),
  run = function(a)
    local id, answer = id_first(a)
    forge.execute('forge.resume', { runId = id, answer = answer ~= '' and answer or nil }, function(result)
      forge.say('run ' .. result.runId .. ' continues')
    end)
  end,
}

local function derive(command)
  return function(a)
    forge.execute(command, { runId = a.words[1] }, function(proposal, client)
      require('forge.proposal').preview(proposal.proposalId, client)
    end)
  end
end

commands.undo = { doc = 'propose to undo a run, the last one without an id', takes = 'words', complete = runs(), run = derive('forge.undo') }
commands.redo = { doc = 'propose to undo the last undo', takes = 'words', complete = runs(), run = derive('forge.redo') }

commands.proposal = {
  doc = 'show a proposal side by side, to accept, reject and edit it',
  takes = 'words',
  complete = first(proposals),
  run = function(a) require('forge.look').open(a.words[1]) end,
}
commands.diff = {
  doc = 'show a proposal as a unified diff with its gates',
  takes = 'words',
  complete = first(proposals),
  run = function(a) require('forge.proposal').diff(a.words[1]) end,
}
commands.accept = {
  doc = 'accept all of the proposal, or the file or the hunk under the cursor; side by side, with a range these lines',
  takes = 'words',
  complete = first(scopes),
  run = function(a)
    local what = a.words[1] or 'all'
    if not vim.tbl_contains(scopes, what) or a.words[2] then return forge.say('accept takes all, file or hunk', vim.log.levels.ERROR) end
    require('forge.proposal').accept(what, a.lines)
  end,
}
commands.reject = {
  doc = 'reject all of the proposal, or the file or the hunk under the cursor; further words are a note that says why; reject! runs the task again with the notes',
  takes = 'words',
  complete = first(scopes),
  run = function(a)
    local named = vim.tbl_contains(scopes, a.words[1])
    local note = named and vim.trim(a.text:sub(#a.words[1] + 1)) or a.text
    require('forge.proposal').reject(named and a.words[1] or 'all', a.lines, note ~= '' and note or nil, a.bang)
  end,
}
commands.check = {
  doc = 'run compilers, linters and tests on what was accepted of the proposal, or on all of it',
  run = function() require('forge.proposal').check() end,
}
commands.next = { doc = 'go to the next hunk, of this file or the next one', run = function() require('forge.proposal').jump(1) end }
commands.previous = { doc = 'go to the previous hunk', run = function() require('forge.proposal').jump(-1) end }

commands.runs = { doc = 'list the runs of the folder', run = function() require('forge.runs').list() end }
commands.tasks = {
  doc = 'list tasks, all or those that contain a text, to show, start, resume, fork, cancel or delete one',
  takes = 'text',
  run = function(a) require('forge.tasks').list(a.text) end,
}
commands.validate = {
  doc = 'run compilers, linters and tests on a scratch copy of the folder',
  run = function() require('forge.inside').validate() end,
}
commands.search = {
  doc = 'search in plain words, into the quickfix list',
  takes = 'text',
  needs = 'what to search for',
  run = function(a) require('forge.search').run(a.text) end,
}
commands.explore = {
  doc = 'ask a provider, with key=value arguments, and show the answer that a model would get',
  takes = 'words',
  needs = 'a provider',
  complete = explore,
  run = function(a) require('forge.inside').explore(a.words) end,
}
commands.skills = {
  doc = 'list the skills that runs know, or those for a kind of work',
  takes = 'words',
  complete = first(M.kinds),
  run = function(a) require('forge.inside').skills(a.text) end,
}
commands.prompt = {
  doc = 'show the prompt of a node for a request',
  takes = 'words',
  needs = 'a node',
  complete = first(nodes),
  run = function(a) require('forge.inside').prompt(a.words[1], table.concat(vim.list_slice(a.words, 2), ' ')) end,
}

-- The names of the commands, sorted.
function M.names()
  local names = vim.tbl_keys(commands)
  table.sort(names)
  return names
end

-- The doc of a command.
function M.doc(name) return commands[name].doc end

-- ---- :Forge ----------------------------------------------------------------------------------------------

-- Runs a command by its name, with the arguments of nvim_create_user_command.
function M.call(name, args)
  local command = commands[name]
  local a = { text = args.text or args.args, bang = args.bang, lines = args.range > 0 and { args.line1, args.line2 } or nil }
  a.words = vim.split(a.text, '%s+', { trimempty = true })
  if a.text ~= '' and not command.takes then
    return forge.say(('%s takes no words; :Forge run %s %s runs them as a task'):format(name, name, a.text), vim.log.levels.ERROR)
  end
  if a.text == '' and command.needs then return forge.say(name .. ': give ' .. command.needs, vim.log.levels.ERROR) end
  command.run(a)
end

-- Carries out :Forge. Words that do not begin with a command are a task.
function M.forge(args)
  local word, text = args.args:match('^(%S+)%s*(.*)$')
  local name = (word or ''):gsub('!$', '')
  if not commands[name] then return M.call('run', args) end
  M.call(name, vim.tbl_extend('force', args, { text = text, bang = args.bang or name ~= word }))
end

-- Completes the command line of :Forge.
function M.complete(lead, line, position)
  local before = line:sub(1, position - #lead):match('Forge!?%s+(.*)$') or ''
  local words = vim.split(before, '%s+', { trimempty = true })
  local list = #words == 0 and M.names() or {}
  local command = commands[(words[1] or ''):gsub('!$', '')]
  if command and command.complete then list = command.complete(vim.list_slice(words, 2)) end
  return vim.tbl_filter(function(entry) return vim.startswith(entry, lead) end, list)
end

return M
