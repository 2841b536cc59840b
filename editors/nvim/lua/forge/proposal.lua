-- Shows a proposal as a unified diff in a scratch window. The hunks themselves are hints in the files, and
-- code actions accept or reject them there.
local forge = require('forge')
local scratch = require('forge.scratch')

local M = {}

-- The verdict of each gate, as lines that a diff reader skips.
local function gates(proposal)
  return vim.tbl_map(function(gate) return '# ' .. gate.verdict .. ': ' .. gate.name .. ' ' .. gate.summary end, proposal.gates or {})
end

-- Opens the last proposal, or updates its window.
function M.show()
  forge.execute('forge.proposal.get', {}, function(proposal)
    local lines = vim.list_extend({ '# ' .. proposal.title }, gates(proposal))
    for _, line in ipairs(vim.split(proposal.unverified or '', '\n', { trimempty = true })) do
      table.insert(lines, '# not verified: ' .. line)
    end
    vim.list_extend(lines, vim.split(proposal.diff, '\n', { trimempty = true }))
    local flat = vim.tbl_map(function(line) return (line:gsub('\n', ' ')) end, lines)
    scratch.show('forge://' .. proposal.proposalId .. '.diff', 'diff', flat)
  end)
end

-- Reports the result of an accept as the server has verified it: fewer files may be applied than requested.
function M.outcome(err, result)
  if err then return forge.say(err.message, vim.log.levels.ERROR) end
  local files = type(result) == 'table' and result.files
  if not files or not files[1] or not files[1].state then return end
  local applied, lines = 0, {}
  for _, file in ipairs(files) do
    if file.state == 'applied' then applied = applied + 1 end
    if file.message then table.insert(lines, ('%s: %s, %s'):format(vim.fs.basename(file.uri), file.state, file.message)) end
  end
  table.insert(lines, 1, ('%d of %d files applied'):format(applied, #files))
  forge.say(table.concat(lines, '\n'), applied == #files and vim.log.levels.INFO or vim.log.levels.WARN)
end

return M
