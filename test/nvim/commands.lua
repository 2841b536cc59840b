-- :Forge and its subcommands against the real server: a proposal of three files, two of them new, is looked at, reloaded under, accepted
-- and undone; completion, status line, health checks and help. Settings as in drive.lua.
local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
package.path = here .. '/?.lua;' .. package.path
local person = require('person')
local wait, check = person.wait, person.check

local root = os.getenv('WORKSPACE')
local source, created = root .. '/greet.go', root .. '/loud/loud.go'

local function complete(line) return vim.fn.getcompletion(line, 'cmdline') end

local function lines() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') end

-- What :checkhealth forge says.
local function health()
  vim.cmd.checkhealth('forge')
  local text = lines()
  vim.cmd.bwipeout()
  return text
end

local function on_disk(path) return vim.uv.fs_stat(path) ~= nil end

-- Waits until the server says how many files were applied.
local function applied(what)
  person.told = {}
  vim.cmd.Forge(what)
  person.hear('files applied')
end

person.drive(function()
  vim.opt.runtimepath:append(os.getenv('RUNTIME'))
  vim.cmd.runtime('plugin/forge.lua')
  local forge, proposal = require('forge'), require('forge.proposal')
  local server = vim.json.decode(os.getenv('SERVER'))
  forge.setup({ cmd = { '/does/not/exist' } })
  check('a missing program is reported with what to do', health():find('/does/not/exist is not a program', 1, true))
  forge.setup({ cmd = server })
  check('without a server the program is asked', health():find('git: git version', 1, true))
  check('the status line is empty without a server', forge.status() == '')
  vim.cmd('filetype on')
  vim.cmd.cd(root)
  local buffer = person.open(source)
  wait('the server', function() return person.client() and person.client().initialized end)
  check('the server running is reported with its model', health():find('model: scripted', 1, true))
  wait('the model in the status line', function() return forge.status():find('Forge: scripted', 1, true) == 1 end)

  check('commands are completed', vim.deep_equal(complete('Forge re'), { 'redo', 'reject', 'resume', 'review' }))
  check('and what they take', vim.deep_equal(complete('Forge accept '), { 'all', 'file', 'hunk' }))
  check('also with a range', vim.deep_equal(complete('1,2Forge re'), { 'redo', 'reject', 'resume', 'review' }))
  check('providers are completed', vim.deep_equal(complete('Forge explore read'), { 'read_file' }))
  check('and their arguments', vim.deep_equal(complete('Forge explore read_file pa'), { 'path=', 'paths=', 'pattern=' }))
  check('and nodes', vim.deep_equal(complete('Forge prompt ex'), { 'explorer', 'executor' }))
  check('a task is not', #complete('Forge add a l') == 0)
  local api = table.concat(vim.fn.readfile(os.getenv('RUNTIME') .. '/../../docs/commands.md'), '\n'):match('### ExploreArgs\n(.-)###')
  local providers = vim.tbl_map(function(name) return '`' .. name .. '`' end, require('forge.command').providers)
  check('providers are those of the server', api:find('| ' .. table.concat(providers, ', ') .. ' |', 1, true))
  for _, name in ipairs(require('forge.command').arguments) do
    check(name .. ' is an argument of the server', api:find('| `' .. name .. '`? |', 1, true))
  end
  local known = table.concat(vim.fn.readfile(os.getenv('RUNTIME') .. '/../../docs/commands.md'), '\n'):match('### ErrorData\n.-| `remedy` | ([^|]*) |')
  local _, count = known:gsub('`%w+`', '')
  for _, name in ipairs(require('forge.remedies').names()) do check(name .. ' is a remedy of the server', known:find('`' .. name .. '`', 1, true)) end
  check('and there are no others', count == #require('forge.remedies').names())
  vim.cmd('Forge validate the input')
  person.hear('validate takes no words; :Forge run validate the input runs them as a task')

  person.answers = { 'Trust and run' }
  vim.cmd('Forge add a package that shouts')
  wait('the run in the status line', function() return forge.status():match('^Forge: .* · %d+ s') end)
  local run = wait('the id of the run', function() return complete('Forge cancel ')[1] end)
  wait('hints', function()
    person.nothing_unknown()
    return #person.hints(source) == 2
  end)
  wait('the end of the run', function() return forge.status() == 'Forge: 4 hunks proposed' end)
  local said = vim.lsp.status()
  check('vim.lsp.status() has one message of the run: ' .. said, said:find('Forge: ', 1, true) and not said:find('Forge: .*Forge: '))
  wait('runs to be completed', function() return complete('Forge undo ')[1] == run end) -- completion gives up after a second
  check('and only those that can be cancelled', #complete('Forge cancel ') == 0)
  local id = wait('proposals to be completed', function() return complete('Forge diff ')[1] end)
  vim.cmd.Forge('diff ' .. id)
  wait('the diff', function() return vim.bo.filetype == 'diff' and lines():find('+++ b/loud/loud.go', 1, true) end)
  vim.cmd.close()

  local before = person.text(buffer)
  vim.cmd.edit()
  wait('the hints after :edit', function() return #person.hints(source) == 2 end)

  vim.cmd('normal! G')
  vim.cmd.Forge('next')
  check('the next hunk is in the next file', vim.api.nvim_buf_get_name(0) == created)
  vim.cmd.Forge('previous')
  check('the previous one in the file before', vim.api.nvim_buf_get_name(0) == source)
  vim.cmd.Forge('previous')
  check('and above', vim.api.nvim_win_get_cursor(0)[1] == 1)
  applied('reject hunk') -- or its message is taken for that of the next command
  wait('one hint less', function() return #person.hints(source) == 1 end)

  applied('accept file')
  check('the file is applied without the rejected hunk', person.text(buffer):find('func Bye(', 1, true) and not person.text(buffer):find('quietly', 1, true))
  wait('the hunks that are left', function() return forge.status() == 'Forge: 2 hunks proposed' end)
  applied('accept')
  check('the created file is a text of the editor', person.text(vim.fn.bufnr(created)):find('func Shout(', 1, true))
  check('and not saved', not on_disk(created))
  wait('no hunk left', function() return forge.status():find('Forge: scripted', 1, true) == 1 end)
  vim.cmd.wall()
  check('it can be saved', on_disk(created) and on_disk(root .. '/loud/loud_test.go'))

  -- Hints may come before the answer of the command that makes a proposal; until then commands are about the one before.
  local function proposed(command, what)
    local function last() return proposal.current[person.client().id] end
    local before = last()
    vim.cmd.Forge(command)
    wait(what, function() return last() ~= before and #person.hints(source) > 0 end)
  end
  proposed('undo ' .. run, 'the undo as hints')
  applied('accept')
  check('the text is as it was', person.text(buffer) == before)
  wait('the created file to go', function() return not on_disk(created) end)

  proposed('redo', 'the redo as hints')
  vim.cmd.Forge('reject all not now')
  person.hear('rejected')
  wait('no hints', function() return #person.hints(source) == 0 end)
  check('nothing is changed', person.text(buffer) == before)

  local copy = vim.fn.stdpath('data') .. '/help'
  vim.fn.mkdir(copy .. '/doc', 'p')
  check('the help is copied', vim.uv.fs_copyfile(os.getenv('RUNTIME') .. '/doc/forge.txt', copy .. '/doc/forge.txt'))
  vim.opt.runtimepath:append(copy)
  vim.cmd.helptags(copy .. '/doc')
  vim.cmd.help('forge')
  check('there is a help', lines():find(':Forge accept', 1, true))
  for _, name in ipairs(require('forge.command').names()) do
    check('with ' .. name, lines():find(('*:Forge-%s*'):format(name), 1, true))
  end
  vim.cmd.close()
end)
