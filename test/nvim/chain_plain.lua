-- The chain with Neovim's own client, 0.7.2 and newer: code actions on hints, and the server's commands for what has no hint.
local person = require('person')
local wait, check = person.wait, person.check

local M = {}

-- Asks the server directly, and not through the buffer in sight: that is one of no client while the server shows a document of its own.
local function request(method, params)
  local client = person.client()
  local reply, problem
  if vim.fn.has('nvim-0.11') == 1 then
    reply, problem = client:request_sync(method, params, 300000, 0)
  else
    reply, problem = client.request_sync(method, params, 300000, 0)
  end
  check(method .. ' is answered, not: ' .. (problem or vim.inspect(reply and reply.err)), reply and reply.result)
  return reply.result
end

local function execute(command, args)
  return request('workspace/executeCommand', { command = command, arguments = { args and next(args) and args or vim.empty_dict() } })
end

local root

-- Starts the server as docs/neovim.md says for plain clients.
function M.start(folder)
  root = folder
  local id
  vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, { pattern = '*.go', callback = function(args)
    id = id or vim.lsp.start_client({
      name = 'forge', cmd = vim.json.decode(os.getenv('SERVER')), root_dir = root, flags = { debounce_text_changes = 0 },
      before_init = function(params)
        local edit = params.capabilities.workspace.workspaceEdit
        edit.documentChanges, edit.changeAnnotationSupport = true, nil
      end,
    })
    vim.lsp.buf_attach_client(args.buf, id)
  end })
end

function M.ready()
  local client = person.client()
  return client and client.initialized ~= false and vim.lsp.buf_is_attached(0, client.id)
end

function M.run(buffer, task)
  person.answers = { 'Trust and run', 'Implement', 'Show' }
  vim.api.nvim_buf_set_lines(buffer, 3, 3, false, { '// forge: ' .. task, '' })
  person.act('Forge: implement the selection', { 4, 8 })
  return person.text(buffer)
end

local function proposal() return execute('forge.proposal.get') end

local function file(path)
  return vim.tbl_filter(function(f) return f.path == path end, proposal().files)[1]
end

function M.look(path, text)
  check('the diff has ' .. text, proposal().diff:find('+' .. text, 1, true) or proposal().diff:find(text, 1, true))
  check(path .. ' has five hunks', #file(path).hunks == 5)
end

function M.verified()
  wait('the verified result', function()
    return #vim.tbl_filter(function(text) return text:find('files applied', 1, true) end, person.told) > 0
  end)
end

-- Takes an action on the hint of a file that shows a text.
local function on_hint(path, text, action)
  person.open(root .. '/' .. path)
  local hint = wait('the hint with ' .. text, function()
    return vim.tbl_filter(function(d) return d.message:find(text, 1, true) end, person.hints(root .. '/' .. path))[1]
  end)
  vim.api.nvim_win_set_cursor(0, { math.min(hint.lnum + 1, vim.api.nvim_buf_line_count(0)), 0 })
  person.act(action)
end

function M.accept_file(path) on_hint(path, '', 'Forge: accept file') end

function M.accept_hunk(path, text) on_hint(path, text, 'Forge: accept hunk') end

-- The lines of the proposed text, and the number of the one with a text, from 0.
local function proposed(path, wanted)
  local lines = vim.split(request('workspace/textDocumentContent', { uri = file(path).proposed }).text, '\n')
  for i, line in ipairs(lines) do
    if line:find(wanted, 1, true) then return lines, i - 1 end
  end
  error(wanted .. ' is not proposed', 0)
end

-- The line with a text and those around it.
function M.accept_lines(path, text)
  person.open(root .. '/greet.go')
  local _, line = proposed(path, text)
  execute('forge.proposal.apply', { select = { lines = { { path = path, start = line - 1, ['end'] = line + 2 } } } })
end

local function passes(of)
  local checks = execute('forge.proposal.check').checks
  check('gates ran on ' .. of, checks.of == of and checks.state == 'checked' and #checks.gates > 0)
  for _, gate in ipairs(checks.gates) do check(gate.name .. ' passes: ' .. gate.summary, gate.verdict == 'pass') end
end

function M.check_part() passes('part') end

function M.amend(path, from, to)
  local lines = proposed(path, from)
  local text = table.concat(lines, '\n'):gsub(vim.pesc(from), to)
  person.told = {}
  execute('forge.proposal.amend', { path = path, text = text })
end

-- By itself.
function M.check_amended() person.hear('your version is checked: ') end

-- The folder of a new file is made before it is saved.
function M.close()
  person.open(root .. '/greet.go')
  vim.fn.mkdir(root .. '/loud', 'p')
end

function M.undo()
  execute('forge.undo')
  wait('the undo as hints', function() return #person.hints(root .. '/greet.go') > 0 end)
end

function M.accept_all() execute('forge.proposal.apply') end

-- After the editor was closed in the middle of the run: the server asks.
function M.resume_interrupted() person.answers = { 'Resume', 'Show' } end

-- After the editor was started again.
function M.again(source)
  person.answers = { 'Show' }
  local run = execute('forge.runs', { all = true }).runs[1]
  check('the run is found', run.state == 'succeeded')
  check('its proposal is found', #execute('forge.proposal.get', { proposalId = run.proposalId }).files == 3)
  execute('forge.resume', { runId = run.runId })
  wait('its five hunks', function() return #person.hints(source) == 5 end)
end

return M
