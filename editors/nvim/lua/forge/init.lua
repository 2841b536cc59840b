-- The client side of Forge: starts the server and sends its commands. It contains no logic: the server
-- decides what a run does, what is shown and what is applied.
local M = {}

-- Additions to lsp/forge.lua. The capability `forge` announces that this client handles events
-- and answers questions with forge.answer; `textDocumentContent`, that it reads Forge's own documents from the server.
local richer = {
  capabilities = { experimental = { forge = true }, workspace = { textDocumentContent = { dynamicRegistration = false } } },
  handlers = {
    ['forge/event'] = function(_, event) require('forge.events').handle(event) end,
    -- The result of a code action's command.
    ['workspace/executeCommand'] = function(err, result) require('forge.proposal').outcome(err, result) end,
  },
}

-- The configuration of lsp/forge.lua, for a Neovim that does not read it by itself.
local function stock()
  local file = vim.api.nvim_get_runtime_file('lsp/forge.lua', false)[1]
  return file and dofile(file) or error('forge: lsp/forge.lua is not on the runtimepath')
end

-- Starts the server with its file types. Neovim before 0.11 has no vim.lsp.enable, so an
-- autocommand does it.
function M.enable()
  if vim.lsp.config then
    vim.lsp.config('forge', richer)
    vim.lsp.enable('forge')
    return
  end
  vim.api.nvim_create_autocmd('FileType', {
    group = vim.api.nvim_create_augroup('forge', {}),
    pattern = stock().filetypes,
    callback = function(args) M.start(args.buf) end,
  })
end

-- Starts the server for a buffer, or attaches the one that serves its folder already (Neovim before 0.11).
function M.start(buffer)
  local config = vim.tbl_extend('force', stock(), vim.g.forge or {})
  local path = vim.api.nvim_buf_get_name(buffer)
  if vim.bo[buffer].buftype ~= '' or path == '' then return end
  config.name = 'forge'
  config.root_dir = vim.fs.root(buffer, config.root_markers) or vim.fs.dirname(path)
  config.capabilities = vim.tbl_deep_extend('force', vim.lsp.protocol.make_client_capabilities(), richer.capabilities)
  config.handlers = richer.handlers
  return vim.lsp.start(config, { bufnr = buffer })
end

-- The client of the current buffer, else any: a scratch window has none of its own.
function M.client()
  return vim.lsp.get_clients({ name = 'forge', bufnr = 0 })[1] or vim.lsp.get_clients({ name = 'forge' })[1]
end

function M.say(text, level) vim.notify('Forge: ' .. text, level or vim.log.levels.INFO) end

-- Sends a command to the server, and returns whether a server is running. done gets the result; an error is shown in the
-- server's words.
function M.execute(command, args, done)
  local client = M.client()
  if not client then
    M.say('no server is running; open a source file first', vim.log.levels.WARN)
    return false
  end
  local params = { command = command, arguments = { vim.empty_dict() } }
  if next(args) then params.arguments = { args } end
  local function reply(err, result)
    if err then
      M.say(err.message, vim.log.levels.ERROR)
    elseif done then
      done(result)
    end
  end
  if vim.fn.has('nvim-0.11') == 1 then
    client:request('workspace/executeCommand', params, reply, 0)
  else
    client.request('workspace/executeCommand', params, reply, 0)
  end
  return true
end

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

local function run(args)
  M.execute('forge.run', args, function(result) M.say('run ' .. result.runId .. ' started') end)
end

-- Starts a run on the current file. Without a task the server uses the comment "// forge: …" in scope, or
-- reports how to add one. lines is { first, last }, from 1, or nil for the whole file.
-- With plan the server splits the task into parts, which the user approves.
function M.run(task, lines, plan) run({ task = task ~= '' and task or nil, scope = M.scope(lines), plan = plan }) end

-- Starts the run of a code action. A run with `ask` first prompts the user, and is sent with the answer as its
-- task; without an answer it is not sent.
function M.act(args)
  if not args.ask or args.task then return run(args) end
  vim.ui.input({ prompt = 'Forge: ' .. args.ask .. ' ' }, function(task)
    if not task or vim.trim(task) == '' then return end
    args.task, args.ask = vim.trim(task), nil
    run(args)
  end)
end

-- Shows the hunks of a proposal as hints in their files. Clients that handle events decide when.
function M.preview(id) M.execute('forge.proposal.preview', { proposalId = id }) end

-- Proposes to undo the last run.
function M.undo()
  M.execute('forge.undo', {}, function(proposal) M.preview(proposal.proposalId) end)
end

-- Cancels the last run.
function M.cancel()
  M.execute('forge.cancel', {}, function(result) M.say('run ' .. result.runId .. ' is ' .. result.state) end)
end

return M
