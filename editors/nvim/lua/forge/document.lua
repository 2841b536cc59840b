-- Forge's own documents: forge://spec/3, forge://prompt/… They are not on disk: the server has their text.
local forge = require('forge')

local M = {}

local patience = 30000 -- ms: a prompt is composed anew

local function filetype(uri)
  if not uri:find('^forge://spec/') then return 'text' end
  return uri:find('..', 1, true) and 'diff' or 'markdown'
end

-- Requests the text and waits for it: the user who opened the buffer wants to see it.
local function content(uri)
  local result, problem = forge.request('workspace/textDocumentContent', { uri = uri }, patience)
  if not result then return nil, problem or 'the server does not support documents' end
  return result.text
end

-- Fills a buffer with the document of its name and makes it read-only. Attaches the server, so that it can show
-- the state of a specification (vim.lsp.codelens).
function M.read(buffer, uri)
  vim.bo[buffer].buftype, vim.bo[buffer].bufhidden, vim.bo[buffer].swapfile = 'nofile', 'wipe', false
  local client = forge.client()
  if not client then return forge.say('no server is running; open a source file first', vim.log.levels.WARN) end
  local text, problem = content(uri)
  if not text then return forge.say(problem, vim.log.levels.ERROR) end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, '\n', { trimempty = true }))
  vim.bo[buffer].modifiable, vim.bo[buffer].modified = false, false
  vim.bo[buffer].filetype = filetype(uri)
  vim.lsp.buf_attach_client(buffer, client.id)
end

-- Opens a document in a window of its own, or reloads it in the one that has it.
function M.open(uri)
  local window = vim.fn.bufwinid(vim.fn.bufadd(uri))
  if window == -1 then return vim.cmd.split({ args = { vim.fn.fnameescape(uri) } }) end
  vim.api.nvim_set_current_win(window)
  vim.cmd.edit()
end

return M
