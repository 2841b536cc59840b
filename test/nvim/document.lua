-- Forge's own documents against the real server: forge://spec/1 opens like a file, :ForgeSpec shows the latest, and above it stands its
-- version. Settings as in drive.lua.
local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
package.path = here .. '/?.lua;' .. package.path
local person = require('person')
local wait, check = person.wait, person.check

local source = os.getenv('WORKSPACE') .. '/greet.go'

-- Has a version written, and waits until it is the latest.
local function specify(what, version)
  person.open(source)
  vim.cmd('ForgeSpec ' .. what)
  person.hear('version ' .. version .. ' of the specification')
end

-- What stands above a document, as Neovim asks for it.
local function lenses(buffer)
  local client = person.client()
  local function ask(method, params)
    local answer = assert(client.request_sync(method, params, 30000, buffer))
    return answer.result or error(answer.err.message)
  end
  return vim.tbl_map(function(lens)
    return (lens.command and lens or ask('codeLens/resolve', lens)).command.title
  end, ask('textDocument/codeLens', { textDocument = { uri = vim.uri_from_bufnr(buffer) } }))
end

person.drive(function()
  vim.opt.runtimepath:append(os.getenv('RUNTIME'))
  vim.g.forge = { cmd = vim.json.decode(os.getenv('SERVER')) }
  vim.cmd.runtime('plugin/forge.lua')
  vim.cmd('filetype on')
  vim.cmd.edit('forge://spec/1')
  person.hear('no server is running')
  person.open(source)
  wait('the server', function() return person.client() and person.client().initialized end)
  vim.cmd.edit('forge://spec/1')
  person.hear('has no specification yet')

  person.answers = { 'Yes, it may read them', 'Trust', 'Keep', 'Append' }
  specify('everybody is greeted', 1)
  vim.cmd.ForgeSpec()
  local latest = vim.api.nvim_get_current_buf()
  vim.cmd.wincmd('p')
  specify('politely', 2)
  wait('the new version where the latest is shown', function() return person.text(latest):find('politely', 1, true) end)

  vim.cmd.edit('forge://spec/1')
  check('it is the first version', person.text(0) == '# Greeting\n\nEverybody is greeted.\n')
  check('it is Markdown, and cannot be edited', vim.bo.filetype == 'markdown' and not vim.bo.modifiable and not vim.bo.modified)
  check('above it stands its version', vim.deep_equal(lenses(0), { 'v1' }))
  vim.cmd.edit('forge://spec/1..2')
  check('what has changed is a diff', vim.bo.filetype == 'diff' and person.text(0):find('+Everybody is greeted politely.', 1, true))
  vim.cmd.edit('forge://spec/9')
  person.hear('has no such version. The latest is 2')

  vim.cmd.ForgeSpec()
  check('the latest version is shown', person.text(0) == '# Greeting\n\nEverybody is greeted politely.\n')
  check('with what leads to the one before', vim.deep_equal(lenses(0), { 'v2', 'changes since v1' }))
  local windows = #vim.api.nvim_list_wins()
  vim.cmd.ForgeSpec()
  check('in one window', #vim.api.nvim_list_wins() == windows)
  check('with its text', person.text(0):find('politely', 1, true))
  person.client().request_sync('workspace/executeCommand', { command = 'forge.document.show', arguments = { { uri = 'forge://spec/1' } } }, 30000)
  wait('what the server shows', function() return vim.api.nvim_buf_get_name(0) == 'forge://spec/1' end)
  check('it is read from the server', person.text(0) == '# Greeting\n\nEverybody is greeted.\n')

  local run
  require('forge').execute('forge.runs', {}, function(result) run = result.runs[1].runId end)
  wait('the last run', function() return run end)
  vim.cmd.edit('forge://prompt/' .. run .. '/spec/1')
  check('what a run has sent is shown', person.text(0):find('politely', 1, true) and person.text(0):find('message 1, from the system', 1, true))
  vim.cmd.edit('forge://run/' .. run)
  check('and the report of a run', vim.bo.filetype == 'markdown' and person.text(0):find('politely', 1, true))
end)
