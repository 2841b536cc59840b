-- Shows proposals and sends what the user decides about them. The server keeps the hunks, with their states.
local forge = require('forge')
local scratch = require('forge.scratch')

local M = {}

-- The proposal that was shown last, which commands without an id mean; nil is the server's last one.
M.current = nil

-- The verdict of each gate, as lines that a diff reader skips.
local function gates(proposal)
  return vim.tbl_map(function(gate) return '# ' .. gate.verdict .. ': ' .. gate.name .. ' ' .. gate.summary end, proposal.gates or {})
end

-- Shows the proposal as a unified diff with its gates.
function M.diff(id)
  forge.execute('forge.proposal.get', { proposalId = id or M.current }, function(proposal)
    M.current = proposal.proposalId
    local lines = vim.list_extend({ '# ' .. proposal.title }, gates(proposal))
    for _, line in ipairs(vim.split(proposal.unverified or '', '\n', { trimempty = true })) do
      table.insert(lines, '# not verified: ' .. line)
    end
    vim.list_extend(lines, vim.split(proposal.diff, '\n', { trimempty = true }))
    local flat = vim.tbl_map(function(line) return (line:gsub('\n', ' ')) end, lines)
    scratch.show('forge://' .. proposal.proposalId .. '.diff', 'diff', flat)
  end)
end

-- Shows the hunks of a proposal as hints in their files. Clients that handle events decide when.
function M.preview(id)
  M.current = id
  forge.execute('forge.proposal.preview', { proposalId = id })
end

-- Shows in the status line how many hunks are left.
local function count()
  forge.execute('forge.proposal.get', { proposalId = M.current }, function(proposal)
    local left = 0
    for _, file in ipairs(proposal.files) do
      for _, hunk in ipairs(file.hunks) do
        if hunk.state == 'pending' or hunk.state == 'conflict' then left = left + 1 end
      end
    end
    require('forge.status').proposed(left)
  end)
end

-- Reports the result of an accept as the server has verified it: fewer files may be applied than requested.
function M.outcome(err, result)
  if err then return forge.say(err.message, vim.log.levels.ERROR) end
  local files = type(result) == 'table' and result.files
  if not files or not files[1] or not files[1].state then return end
  count()
  local applied, lines = 0, {}
  for _, file in ipairs(files) do
    if file.state == 'applied' then applied = applied + 1 end
    if file.message then table.insert(lines, ('%s: %s, %s'):format(vim.fs.basename(file.uri), file.state, file.message)) end
  end
  table.insert(lines, 1, ('%d of %d files applied'):format(applied, #files))
  forge.say(table.concat(lines, '\n'), applied == #files and vim.log.levels.INFO or vim.log.levels.WARN)
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

-- What a command selects: all of the proposal, or the file of the current buffer.
local function selection(what)
  if what ~= 'file' then return nil end
  return { files = { vim.uri_from_bufnr(0) } }
end

-- Accepts all of the proposal, or the file or the hunk under the cursor.
function M.accept(what)
  if what == 'hunk' then return at_cursor('apply') end
  forge.execute('forge.proposal.apply', { proposalId = M.current, select = selection(what) }, function(result) M.outcome(nil, result) end)
end

-- Rejects all of the proposal, or the file or the hunk under the cursor, with a note that says why.
function M.reject(what, note)
  if what == 'hunk' then return at_cursor('reject') end
  local args = { proposalId = M.current, select = selection(what), note = note }
  forge.execute('forge.proposal.reject', args, function()
    forge.say('rejected')
    count()
  end)
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
