-- Forge's own documents: forge://spec/3, forge://run/…, forge://prompt/… They are not on disk: the server has their text.
local forge = require('forge')

local M = {}

local patience = 30000 -- ms: a prompt is composed anew

local function filetype(uri)
  if uri:find('^forge://prompt/') then return 'text' end
  return uri:find('..', 1, true) and 'diff' or 'markdown'
end

-- Requests the text and waits for it: the user who opened the buffer wants to see it.
local function content(uri, client)
  local result, problem = forge.request('workspace/textDocumentContent', { uri = uri }, patience, client)
  if not result then return nil, problem or 'the server does not support documents' end
  return result.text
end

-- Fills a buffer with the document of its name and makes it read-only. Attaches the server, so that it can show
-- the state of a specification (vim.lsp.codelens).
function M.read(buffer, uri)
  vim.bo[buffer].buftype, vim.bo[buffer].bufhidden, vim.bo[buffer].swapfile = 'nofile', 'wipe', false
  local client = forge.client(vim.b[buffer].forge_client)
  if not client then return forge.say('no server is running; open a source file first', vim.log.levels.WARN) end
  local text, problem = content(uri, client.id)
  if not text then return forge.say(problem, vim.log.levels.ERROR) end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, '\n', { trimempty = true }))
  vim.bo[buffer].modifiable, vim.bo[buffer].modified = false, false
  vim.bo[buffer].filetype = filetype(uri)
  vim.b[buffer].forge_client = client.id
  for _, other in ipairs(vim.lsp.get_clients({ name = 'forge', bufnr = buffer })) do
    if other.id ~= client.id then vim.lsp.buf_detach_client(buffer, other.id) end
  end
  vim.lsp.buf_attach_client(buffer, client.id)
end

-- Reads a document of a client again, whose text has changed, if it is shown.
function M.refresh(uri, client)
  if vim.startswith(uri, 'forge://proposal/') then return require('forge.look').changed(uri) end
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local shown = vim.api.nvim_buf_is_loaded(buffer) and vim.api.nvim_buf_get_name(buffer) == uri
    if shown and vim.b[buffer].forge_client == client then M.read(buffer, uri) end
  end
end

-- Shows a document as its server wants, and reads it from there, also in place of another server's.
function M.show(err, params, ctx, config)
  local buffer = vim.startswith(params.uri, 'forge://') and vim.fn.bufadd(params.uri)
  local others = buffer and vim.api.nvim_buf_is_loaded(buffer) and vim.b[buffer].forge_client ~= ctx.client_id
  if buffer then forge.own(params.uri, ctx.client_id) end
  if others then M.read(buffer, params.uri) end
  return vim.lsp.handlers['window/showDocument'](err, params, ctx, config)
end

-- Opens a document of a client in a window of its own, or reloads it in the one that has it.
function M.open(uri, client)
  local window = vim.fn.bufwinid(forge.own(uri, client))
  if window == -1 then return vim.cmd.split({ args = { vim.fn.fnameescape(uri) } }) end
  vim.api.nvim_set_current_win(window)
  vim.cmd.edit()
end

return M
