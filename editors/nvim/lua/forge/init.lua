-- The client side of Forge: starts the server and sends its commands. It contains no logic: the server
-- decides what a run does, what is shown and what is applied.
local M = {}

-- Additions to lsp/forge.lua. The capability `forge` announces that this client handles events
-- and answers questions with forge.answer; `textDocumentContent`, that it reads Forge's own documents from the server.
local richer = {
  capabilities = { experimental = { forge = true }, workspace = { textDocumentContent = { dynamicRegistration = false } } },
  handlers = {
    ['forge/event'] = function(_, event, ctx) require('forge.events').handle(event, ctx.client_id) end,
    ['forge/proposal'] = function(_, changed, ctx) require('forge.proposal').checked(changed.proposalId, ctx.client_id) end,
    -- The result of a code action's command.
    ['workspace/executeCommand'] = function(err, result, ctx) require('forge.proposal').outcome(err, result, ctx.client_id) end,
    -- A document that was read has another text now.
    ['workspace/textDocumentContent/refresh'] = function(_, changed, ctx)
      vim.schedule(function() require('forge.document').refresh(changed.uri, ctx.client_id) end)
      return vim.NIL
    end,
    ['window/showDocument'] = function(...) return require('forge.document').show(...) end,
  },
}

-- The configuration of lsp/forge.lua, for a Neovim that does not read it by itself.
local function stock()
  local file = vim.api.nvim_get_runtime_file('lsp/forge.lua', false)[1]
  return file and dofile(file) or error('forge: lsp/forge.lua is not on the runtimepath')
end

-- What the user has set, for Neovim before 0.11: vim.g.forge, then setup.
local own = {}

-- Changes the configuration of the server: cmd, cmd_env, settings, filetypes, root_markers, on_attach and all else that
-- vim.lsp.config takes. Only needed to change something; the plugin starts the server without it.
function M.setup(config)
  config = config or {}
  if vim.lsp.config then return vim.lsp.config('forge', config) end
  own = vim.tbl_deep_extend('force', own, config)
end

-- The configuration as it is in effect.
function M.config()
  if vim.lsp.config then return vim.lsp.config.forge end
  return vim.tbl_deep_extend('force', stock(), richer, vim.g.forge or {}, own)
end

-- Starts the server for a buffer, or attaches the one that serves its folder already (Neovim before 0.11).
local function start(buffer)
  local config = M.config()
  local path = vim.api.nvim_buf_get_name(buffer)
  if vim.bo[buffer].buftype ~= '' or path == '' or not vim.tbl_contains(config.filetypes, vim.bo[buffer].filetype) then return end
  config.name = 'forge'
  config.root_dir = vim.fs.root(buffer, config.root_markers) or vim.fs.dirname(path)
  config.capabilities = vim.tbl_deep_extend('force', vim.lsp.protocol.make_client_capabilities(), config.capabilities)
  return vim.lsp.start(config, { bufnr = buffer })
end

-- Starts the server with its file types, also for buffers that are open already. Neovim before 0.11 has no vim.lsp.enable, so an
-- autocommand does it.
function M.enable()
  if vim.lsp.config then
    vim.lsp.config('forge', richer)
    if vim.g.forge then vim.lsp.config('forge', vim.g.forge) end
    vim.lsp.enable('forge')
    return
  end
  vim.api.nvim_create_autocmd('FileType', {
    group = vim.api.nvim_create_augroup('forge', {}),
    callback = function(args) start(args.buf) end,
  })
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) then start(buffer) end
  end
end

-- The client whose text a buffer shows, else the one that serves its folder.
local function client_of(buffer)
  local shown = vim.b[buffer].forge_client
  return shown and vim.lsp.get_client_by_id(shown) or vim.lsp.get_clients({ name = 'forge', bufnr = buffer })[1]
end

-- The client with an id, if it still runs; else that of the current buffer, or of the one that the user came from; else any. Each folder
-- has a client of its own, and only that one knows the runs, proposals and documents of the folder.
function M.client(id)
  local known = id and vim.lsp.get_client_by_id(id)
  if known then return known end
  local before = vim.fn.bufnr('#')
  return client_of(vim.api.nvim_get_current_buf()) or before > 0 and client_of(before) or vim.lsp.get_clients({ name = 'forge' })[1]
end

-- The buffer of one of Forge's own documents, which is read from a client from now on.
function M.own(uri, client)
  local buffer = vim.fn.bufadd(uri)
  vim.b[buffer].forge_client = client
  return buffer
end

function M.say(text, level) vim.notify('Forge: ' .. text, level or vim.log.levels.INFO) end

-- Calls a method of a client, whose functions are methods since Neovim 0.11.
local function call(client, name, ...)
  if vim.fn.has('nvim-0.11') == 1 then return client[name](client, ...) end
  return client[name](...)
end

-- The parameters of a command; no arguments are an empty object.
local function params(command, args)
  return { command = command, arguments = { next(args or {}) and args or vim.empty_dict() } }
end

-- Sends a command to a server, and returns whether one is running. done gets the result and the id of the client; an error is shown in
-- the server's words. id is the client of what the command is about; without it that is the folder of the current buffer.
function M.execute(command, args, done, id)
  local client = M.client(id)
  if not client then
    M.say('no server is running; open a source file first', vim.log.levels.WARN)
    return false
  end
  call(client, 'request', 'workspace/executeCommand', params(command, args), function(err, result)
    if err then
      M.say(require('forge.remedies').message(err), vim.log.levels.ERROR)
    elseif done then
      done(result, client.id)
    end
  end, 0)
  return true
end

-- Sends a request and waits for its result, for as many ms as patience says; nil and the reason without one. id as above.
function M.request(method, args, patience, id)
  local client = M.client(id)
  if not client then return nil, 'no server is running; open a source file first' end
  local answer, problem = call(client, 'request_sync', method, args, patience, 0)
  if not answer then return nil, problem end
  return answer.result, answer.err and answer.err.message
end

-- The same for a command.
function M.ask(command, args, patience, id) return M.request('workspace/executeCommand', params(command, args), patience, id) end

-- The selected lines as a range of the protocol, whole lines: the end is the start of the next line, or the
-- end of the last.
local function range(lines, encoding)
  local first, last = lines[1] - 1, lines[2]
  local finish = { line = last, character = 0 }
  if last >= vim.api.nvim_buf_line_count(0) then
    local text = vim.api.nvim_buf_get_lines(0, -2, -1, false)[1]
    finish = { line = last - 1, character = vim.lsp.util.character_offset(0, last - 1, #text, encoding) }
  end
  return { start = { line = first, character = 0 }, ['end'] = finish }
end

-- The current file, and the lines { first, last } of it, from 1, if there are some; nil where no file is shown.
function M.scope(lines)
  if vim.api.nvim_buf_get_name(0) == '' or vim.bo.buftype ~= '' then return nil end
  local client = M.client()
  return { uri = vim.uri_from_bufnr(0), range = lines and client and range(lines, client.offset_encoding) or nil }
end

local function run(args, client)
  M.execute('forge.run', args, function(result) M.say('run ' .. result.runId .. ' started') end, client)
end

-- Starts a run on the current file. Without a task the server uses the comment "// forge: …" in scope, or
-- reports how to add one. lines is { first, last }, from 1, or nil for the whole file.
-- With plan the server splits the task into parts, which the user approves.
function M.run(task, lines, plan) run({ task = task ~= '' and task or nil, scope = M.scope(lines), plan = plan }) end

-- Starts the run of a code action of a client. A run with `ask` first prompts the user, and is sent with the answer as its
-- task; without an answer it is not sent.
function M.act(args, client)
  if not args.ask or args.task then return run(args, client) end
  vim.ui.input({ prompt = 'Forge: ' .. args.ask .. ' ' }, function(task)
    if not task or vim.trim(task) == '' then return end
    args.task, args.ask = vim.trim(task), nil
    run(args, client)
  end)
end

-- The component of the status line: see lua/forge/status.lua.
function M.status() return require('forge.status').text() end

return M
