-- Shows proposals and sends what the user decides about them. The server keeps the hunks, with their states.
local forge = require('forge')
local scratch = require('forge.scratch')

local M = {}

-- By client: the proposal that was shown last, which commands without an id mean; nil is the server's last one.
M.current = {}

-- The client of the current buffer, and its proposal that was shown last.
local function here()
  local client = forge.client()
  if client then return client.id, M.current[client.id] end
end

-- The verdict of each gate, as lines that a diff reader skips.
local function gates(proposal)
  return vim.tbl_map(function(gate) return '# ' .. gate.verdict .. ': ' .. gate.name .. ' ' .. gate.summary end, proposal.gates or {})
end

-- Shows the proposal as a unified diff with its gates.
function M.diff(id)
  local at, last = here()
  forge.execute('forge.proposal.get', { proposalId = id or last }, function(proposal, client)
    M.current[client] = proposal.proposalId
    local lines = { '# ' .. proposal.title }
    for _, line in ipairs(vim.split(proposal.explanation or '', '\n', { trimempty = true })) do
      table.insert(lines, '# the model says: ' .. line)
    end
    vim.list_extend(lines, gates(proposal))
    for _, line in ipairs(vim.split(proposal.unverified or '', '\n', { trimempty = true })) do
      table.insert(lines, '# not verified: ' .. line)
    end
    vim.list_extend(lines, vim.split(proposal.diff, '\n', { trimempty = true }))
    local flat = vim.tbl_map(function(line) return (line:gsub('\n', ' ')) end, lines)
    scratch.show('forge://' .. proposal.proposalId .. '.diff', 'diff', flat, client)
  end, at)
end

-- Shows the hunks of a proposal of a client as hints in their files. Clients that handle events decide when.
function M.preview(id, client)
  M.current[client] = id
  forge.execute('forge.proposal.preview', { proposalId = id }, nil, client)
end

-- Reads a proposal after a decision, and shows in the status line how many hunks are left.
local function reread(id, client)
  forge.execute('forge.proposal.get', { proposalId = id }, function(proposal)
    local left = 0
    for _, file in ipairs(proposal.files) do
      for _, hunk in ipairs(file.hunks) do
        if hunk.state == 'pending' or hunk.state == 'conflict' then left = left + 1 end
      end
    end
    require('forge.status').proposed(left)
    require('forge.look').update(proposal)
  end, client)
end

-- Reports the result of an accept as the server has verified it: fewer files may be applied than requested.
function M.report(result)
  local files = type(result) == 'table' and result.files
  if not files or not files[1] or not files[1].state then return end
  local applied, lines = 0, {}
  for _, file in ipairs(files) do
    if file.state == 'applied' then applied = applied + 1 end
    if file.message then table.insert(lines, ('%s: %s, %s'):format(vim.fs.basename(file.uri), file.state, file.message)) end
  end
  table.insert(lines, 1, ('%d of %d files applied'):format(applied, #files))
  if result.message then table.insert(lines, result.message) end
  forge.say(table.concat(lines, '\n'), applied == #files and vim.log.levels.INFO or vim.log.levels.WARN)
end

-- Reports the result of a code action of a client.
function M.outcome(err, result, client)
  if err then return forge.say(err.message, vim.log.levels.ERROR) end
  M.report(result)
  if type(result) == 'table' and result.proposalId then reread(result.proposalId, client) end
end

-- Takes the code action of the hunk under the cursor: apply or reject.
local function at_cursor(verb)
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(action)
      local command = type(action.command) == 'table' and action.command or action
      local args = (command.arguments or {})[1] or {}
      return command.command == 'forge.proposal.' .. verb and (args.select or {}).hunks ~= nil
    end,
  })
end

-- Reports the result of a reject.
local function rejected(result)
  forge.say('rejected' .. (result.message and '. ' .. result.message or ''))
  if result.run then forge.say('run ' .. result.run.runId .. ' started') end
end

-- Sends a decision, apply or reject, to a client, and reports its result.
function M.decide(verb, args, client)
  forge.execute('forge.proposal.' .. verb, args, function(result, id)
    local report = verb == 'apply' and M.report or rejected
    report(result)
    reread(result.proposalId, id)
  end, client)
end

-- Decides about all of the proposal, or about the file or the hunk under the cursor; in the windows of :Forge proposal also about
-- lines { first, last }. more are further arguments of the command.
local function decide(verb, what, lines, more)
  local look = require('forge.look')
  if look.is_current() then return look.decide(verb, what, lines, more) end
  if what == 'hunk' and not next(more) then return at_cursor(verb) end
  if what == 'hunk' then return forge.say('a note on one hunk is given in :Forge proposal', vim.log.levels.WARN) end
  local select = what == 'file' and { files = { vim.uri_from_bufnr(0) } } or nil
  local client, last = here()
  M.decide(verb, vim.tbl_extend('error', { proposalId = last, select = select }, more), client)
end

function M.accept(what, lines) decide('apply', what, lines, {}) end

-- A note says why; with retry the task is run again with all notes.
function M.reject(what, lines, note, retry) decide('reject', what, lines, { note = note, retry = retry or nil }) end

-- What was checked.
local checked = { whole = 'all of the proposal is checked', part = 'the part that you accepted is checked', amended = 'your version is checked' }

-- Reports what gates said of a proposal.
local function verdicts(proposal)
  local lines = vim.tbl_map(function(gate) return ('%s: %s %s'):format(gate.verdict, gate.name, gate.summary) end, proposal.checks.gates)
  forge.say(table.concat(vim.list_extend({ proposal.checks.note or checked[proposal.checks.of] }, lines), '\n'))
  require('forge.look').update(proposal)
end

-- Reports a check that the server of a client began by itself after the user had changed the proposed text.
function M.checked(id, client)
  forge.execute('forge.proposal.get', { proposalId = id }, function(proposal)
    if proposal.checks.state == 'checked' then return verdicts(proposal) end
    require('forge.look').update(proposal)
  end, client)
end

-- Runs the gates on what was accepted of the proposal; if nothing was, or a text has been changed, on all that is left.
function M.check()
  local client, last = here()
  local sent = forge.execute('forge.proposal.check', { proposalId = last }, verdicts, client)
  if sent then forge.say('running compilers, linters and tests') end
end

-- The hunks that are shown in files, by file and line.
local function hints()
  local all = vim.tbl_filter(function(d) return d.source == 'forge' end, vim.diagnostic.get(nil))
  local function place(d) return ('%s\n%09d'):format(vim.api.nvim_buf_get_name(d.bufnr), d.lnum) end
  table.sort(all, function(a, b) return place(a) < place(b) end)
  return all, place
end

-- Goes to the next hunk, of this file or the next one; with step -1 to the previous one.
function M.jump(step)
  local all, place = hints()
  if #all == 0 then return forge.say('no hunks are shown') end
  local here = place({ bufnr = vim.api.nvim_get_current_buf(), lnum = vim.api.nvim_win_get_cursor(0)[1] - 1 })
  local target = step > 0 and all[1] or all[#all]
  for i = step > 0 and 1 or #all, step > 0 and #all or 1, step do
    if (step > 0 and place(all[i]) > here) or (step < 0 and place(all[i]) < here) then
      target = all[i]
      break
    end
  end
  vim.cmd.buffer({ args = { tostring(target.bufnr) } })
  vim.api.nvim_win_set_cursor(0, { math.min(target.lnum + 1, vim.api.nvim_buf_line_count(0)), 0 })
end

return M
