-- Shows a proposal as a unified diff in a scratch window. The hunks themselves are hints in the files, and
-- code actions accept or reject them there.
local forge = require('forge')

local M = {}

local function scratch(name)
  local buffer = vim.fn.bufnr(name)
  if buffer == -1 then
    buffer = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(buffer, name)
    vim.bo[buffer].filetype = 'diff'
    vim.keymap.set('n', 'q', '<cmd>close<cr>', { buffer = buffer, desc = 'Close the proposal' })
  end
  return buffer
end

local function window(buffer)
  local open = vim.fn.bufwinid(buffer)
  if open ~= -1 then return vim.api.nvim_set_current_win(open) end
  vim.cmd.split()
  vim.api.nvim_win_set_buf(0, buffer)
end

-- How each gate stood, as lines that a diff reader skips.
local function gates(proposal)
  return vim.tbl_map(function(gate) return '# ' .. gate.verdict .. ': ' .. gate.name .. ' ' .. gate.summary end, proposal.gates or {})
end

-- Opens the last proposal, or brings its window up to date.
function M.show()
  forge.execute('forge.proposal.get', {}, function(proposal)
    local lines = vim.list_extend({ '# ' .. proposal.title }, gates(proposal))
    vim.list_extend(lines, vim.split(proposal.diff, '\n', { trimempty = true }))
    local buffer = scratch('forge://' .. proposal.proposalId .. '.diff')
    vim.bo[buffer].modifiable = true
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.tbl_map(function(line) return (line:gsub('\n', ' ')) end, lines))
    vim.bo[buffer].modifiable = false
    window(buffer)
  end)
end

return M
