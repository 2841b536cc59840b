-- The plugin alone, against a server that plays Forge: what it sends, and what it makes of the events.
-- Settings as in drive.lua.
local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
package.path = here .. '/?.lua;' .. package.path
local person = require('person')
local wait, check = person.wait, person.check

local source = os.getenv('WORKSPACE') .. '/greet.go'

-- What the server has received, through a command that only the fake one has.
local function state()
  local result
  require('forge').execute('fake.state', {}, function(answer) result = answer end)
  return wait('the state of the server', function() return result end)
end

person.drive(function()
  vim.opt.runtimepath:append(os.getenv('RUNTIME'))
  vim.g.forge = { cmd = vim.json.decode(os.getenv('SERVER')) }
  vim.cmd.runtime('plugin/forge.lua')

  vim.cmd.ForgeCancel()
  person.hear('no server is running')

  vim.cmd('filetype on')
  local buffer = person.open(source)
  wait('the server', function() return person.client() and person.client().initialized end)
  check('the capability is announced', state().rich)

  vim.cmd.Forge()
  person.hear('task: say what to do')

  person.answers = {}
  vim.api.nvim_buf_set_lines(buffer, 0, 0, false, { '// typed' })
  vim.cmd('%Forge add Shout')
  person.hear('run r1 started')
  wait('the question', function() return person.questions[1] == 'Forge: Is this right?' end)
  local got = state()
  check('a dismissed question is not answered', got.answered == nil or got.answered == vim.NIL)
  local last = vim.api.nvim_buf_line_count(buffer)
  check('the range is the whole file', vim.deep_equal(got.run.scope.range, {
    start = { line = 0, character = 0 },
    ['end'] = { line = last - 1, character = 1 },
  }))
  check('the server has the unsaved line', got.text:find('// typed', 1, true) == 1)
  person.forgive()

  person.answers = { 'Implement' }
  vim.cmd('1,2Forge add Shout')
  person.hear('run r1 succeeded')
  got = state()
  check('the answer names its question', got.answered.askId == 'a1' and got.answered.runId == 'r1')
  check('the range ends where the next line begins', vim.deep_equal(got.run.scope.range['end'], { line = 2, character = 0 }))

  -- Keys that the user types into a text are no answer: the question waits until they pause.
  local mode, looks, asked, before = vim.api.nvim_get_mode, 0, #person.questions, #person.told
  vim.api.nvim_get_mode = function()
    looks = looks + 1
    return { mode = 'i', blocking = false }
  end
  vim.cmd('1,2Forge add Shout')
  wait('the message', function()
    return #vim.tbl_filter(function(text) return text:find('a question waits', 1, true) end, person.told) == 1
  end)
  wait('the plugin to look again', function() return looks >= 3 end)
  check('nothing is asked while the user types', #person.questions == asked)
  vim.api.nvim_get_mode = mode
  wait('the question', function() return #person.questions == asked + 1 end)
  wait('the end', function() return person.told[#person.told]:find('run r1 succeeded', 1, true) and #person.told > before end)

  local list = vim.fn.getqflist({ title = 1, items = 1 })
  check('the red gate is in the quickfix list', list.title == 'Forge r1' and #list.items == 1)
  local item = list.items[1]
  check('at its place', vim.api.nvim_buf_get_name(item.bufnr):find('greet_test.go', 1, true) and item.lnum == 6 and item.type == 'E')
  check('with its gate', item.text == 'go test, attempt 1: Hello is wrong')

  vim.cmd.ForgeProposal()
  wait('the diff', function() return vim.bo.filetype == 'diff' end)
  check('the diff shows gates and lines', person.text(0):find('# pass: go test 2 passed', 1, true) and person.text(0):find('+func Shout(', 1, true))
  check('the diff cannot be edited', not vim.bo.modifiable)
  vim.cmd.ForgeProposal()
  check('there is one diff window', #vim.api.nvim_list_wins() == 2)
  vim.cmd.close()

  person.act_on_hint(source, 'Forge: accept file')
  person.hear('0 of 1 files applied\ngreet.go: conflict, you changed the same lines')

  vim.cmd.ForgeSearch('say hello')
  wait('the hits', function() return vim.fn.getqflist({ title = 1 }).title == 'Forge search: say hello' end)
  local hits = vim.fn.getqflist()
  check('the list is open', vim.bo.buftype == 'quickfix')
  check('a hit is at its best line, with the reason', hits[1].lnum == 4 and hits[1].text == 'say hello (its text)')
  check('in its file', vim.api.nvim_buf_get_name(hits[1].bufnr):find('greet.go', 1, true))
  check('a hit without lines is at the first', hits[2].lnum == 1 and hits[2].text == ' (its path)')
  check('definitions come after files', #hits == 3 and hits[3].lnum == 3 and vim.trim(hits[3].text) == 'function Hello')
  vim.cmd.cclose()
  vim.cmd.ForgeSearch('walrus')
  person.hear('no results for walrus')
  check('the list stays', vim.fn.getqflist({ title = 1 }).title == 'Forge search: say hello')
  vim.cmd.ForgeSearch('early')
  person.hear('still indexing the folder')
  vim.cmd.cclose()

  vim.cmd.ForgeCancel()
  person.hear('run r1 is cancelled')
end)
