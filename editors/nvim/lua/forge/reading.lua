-- What changes nothing: questions, reviews, the specification. Answers and specifications are Markdown in a scratch window;
-- what a review finds is diagnostics of the server, with quick fixes, and in the quickfix list.
local forge = require('forge')

local M = {}

local function scratch(name)
  local buffer = vim.fn.bufnr(name)
  if buffer == -1 then
    buffer = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(buffer, name)
    vim.bo[buffer].filetype = 'markdown'
    vim.keymap.set('n', 'q', '<cmd>close<cr>', { buffer = buffer, desc = 'Close the text' })
  end
  return buffer
end

-- Shows a text as Markdown; the same name shows in the same window.
function M.show(name, text)
  local buffer = scratch('forge://' .. name .. '.md')
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, '\n', { trimempty = true }))
  vim.bo[buffer].modifiable = false
  local open = vim.fn.bufwinid(buffer)
  if open ~= -1 then return vim.api.nvim_set_current_win(open) end
  vim.cmd.split()
  vim.api.nvim_win_set_buf(0, buffer)
end

local function started(result) forge.say('run ' .. result.runId .. ' has started') end

-- Answers a question about the current file, or the lines { first, last } of it. Without one the code is explained.
function M.ask(question, lines)
  forge.execute('forge.ask', { question = question ~= '' and question or nil, scope = forge.scope(lines) }, started)
end

-- Has the current file reviewed, or the lines { first, last } of it; or, with changes, what is not committed yet.
function M.review(lines, changes)
  forge.execute('forge.review', { scope = not changes and forge.scope(lines) or nil }, started)
end

-- Shows the specification of the folder; with a text that says what must hold, it is written or brought up to date.
function M.spec(prompt, lines)
  if prompt == '' and not lines then
    return forge.execute('forge.spec.get', {}, function(spec) M.show('spec-' .. spec.version, spec.text) end)
  end
  forge.execute('forge.spec.generate', { prompt = prompt ~= '' and prompt or nil, scope = lines and forge.scope(lines) }, started)
end

return M
