-- :ForgeValidate against the real server: without a file there is nobody to ask, and without trust nothing is run; what the gates
-- find in unsaved text is in the quickfix list and in the file; a second call puts what is there then in the place of both.
-- Settings as in drive.lua.
local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
package.path = here .. '/?.lua;' .. package.path
local person = require('person')
local wait, check = person.wait, person.check

local workspace, server = os.getenv('WORKSPACE'), vim.json.decode(os.getenv('SERVER'))

person.drive(function()
  vim.opt.runtimepath:append(os.getenv('RUNTIME'))
  vim.g.forge = { cmd = server }
  vim.cmd.runtime('plugin/forge.lua')
  vim.cmd('filetype on')

  vim.cmd.ForgeValidate()
  person.hear('no server is running; open a source file first')
  check('nothing is said to run', #person.told == 1)

  local buffer = person.open(workspace .. '/greet.go')
  wait('the server', function() return person.client() and person.client().initialized end)
  vim.cmd.ForgeValidate()
  person.hear('If you trust it: forge validate --trust')
  person.hear('What helps: run the task again and trust the folder')
  check('there is no list', #vim.fn.getqflist() == 0)
  vim.fn.system({ server[1], 'validate', '--trust', '--dir', workspace })
  check('the folder passes as it is on disk', vim.v.shell_error == 0)

  local right = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  vim.api.nvim_buf_set_lines(buffer, 5, 6, false, { '\treturn "Bye, " + name' })

  vim.cmd.ForgeValidate()
  local function failing()
    return vim.iter(vim.fn.getqflist()):find(function(item) return item.lnum > 0 and item.text:find('Hello = "Bye, Ada"', 1, true) end)
  end
  local found = wait('the test that fails', failing)
  person.hear('not passed: go test')
  check('the list is of the gates', vim.fn.getqflist({ title = 0 }).title == 'Forge validate')
  check('it leads to the test', vim.api.nvim_buf_get_name(found.bufnr) == workspace .. '/greet_test.go' and found.lnum == 7)
  check('and is shown', vim.bo.buftype == 'quickfix')
  vim.cmd.cclose()
  local tests = person.open(workspace .. '/greet_test.go')
  local function shown()
    return vim.iter(vim.diagnostic.get(tests)):find(function(d) return d.source == 'forge/go test' end)
  end
  check('as it is in the file', wait('its diagnostic', shown).lnum == 6)

  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, right)
  vim.cmd.ForgeValidate()
  person.hear('all gates passed')
  check('a second call empties the list', not failing())
  wait('no diagnostic', function() return not shown() end)
  check('nothing was written', vim.fn.readfile(workspace .. '/greet.go')[6] == right[6])
end)
