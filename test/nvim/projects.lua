-- Two projects, each with a server of its own, against the real server: questions, proposals and documents are those of their project,
-- wherever the cursor is. Settings as in drive.lua, and OTHER, a folder like WORKSPACE.
local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
package.path = here .. '/?.lua;' .. package.path
local person = require('person')
local wait, check = person.wait, person.check

local one, other = os.getenv('WORKSPACE'), os.getenv('OTHER')

local function source(root) return root .. '/greet.go' end

local function clients(ready)
  return #vim.tbl_filter(function(client) return client.initialized or not ready end, vim.lsp.get_clients({ name = 'forge' }))
end

local function right() return vim.api.nvim_win_get_buf(vim.api.nvim_tabpage_list_wins(0)[2]) end

person.drive(function()
  vim.opt.runtimepath:append(os.getenv('RUNTIME'))
  vim.g.forge = { cmd = vim.json.decode(os.getenv('SERVER')) }
  vim.cmd.runtime('plugin/forge.lua')
  vim.cmd('filetype on')
  local first = person.open(source(one))
  wait('the first server', function() return clients(true) == 1 end)
  local second = person.open(source(other))
  wait('the second server', function() return clients(true) == 2 end)
  local before = person.text(first)

  -- Both runs ask the same question, with the same id.
  for count, root in ipairs({ one, other }) do
    person.open(source(root))
    vim.cmd('Forge add a package that shouts')
    wait('the question of ' .. root, function() return #person.questions == count end)
  end
  person.forgive()
  person.answers = { 'Trust and run' }
  vim.cmd.Forge('answer')
  check('both are asked again', #person.questions == 4)
  wait('hints in both projects', function()
    person.nothing_unknown()
    return #person.hints(source(one)) == 2 and #person.hints(source(other)) == 2
  end)

  vim.cmd.Forge('proposal')
  wait('the proposed text', function() return #vim.api.nvim_list_tabpages() == 2 and person.text(right()):find('quietly', 1, true) end)
  vim.cmd('edit!')
  check('it is read again', person.text(right()):find('quietly', 1, true))
  vim.cmd.normal(']f')
  check('the next file is of the same project', person.text(right()):find('func Shout', 1, true))
  vim.cmd.normal('[f')
  vim.fn.search('quietly', 'cw')
  person.told = {}
  vim.cmd('.Forge accept')
  person.hear('1 of 1 files applied')
  check('it is in the file of its project', person.text(second):find('quietly', 1, true) and person.text(first) == before)
  vim.cmd.normal('q')

  vim.cmd.Forge('diff')
  wait('the diff', function() return vim.bo.filetype == 'diff' end)
  local diff = vim.api.nvim_get_current_buf()
  vim.cmd.close()
  person.open(source(one))
  vim.cmd.sbuffer(tostring(diff))
  person.told = {}
  vim.cmd.Forge('reject')
  person.hear('rejected')
  wait('no hints in the project', function() return #person.hints(source(other)) == 0 end)
  check('and the other as it was', #person.hints(source(one)) == 2)
  vim.cmd.close()
  person.open(source(other))

  vim.cmd('Forge prompt executor add a walrus')
  wait('the prompt', function() return person.text(0):find('add a walrus', 1, true) end)
  vim.cmd.close()
  for _, root in ipairs({ other, one }) do
    person.open(source(root))
    person.told = {}
    vim.cmd.Forge('spec')
    person.hear(root .. ' has no specification yet')
    vim.cmd.close()
  end

  vim.cmd.Forge('accept')
  person.hear('3 of 3 files applied')
  check('the last proposal of the other project is its own', person.text(first):find('quietly', 1, true))
end)
