-- :ForgeSearch against the real server: what is typed and not saved is found, and the list leads to its line.
-- Settings as in drive.lua.
local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
package.path = here .. '/?.lua;' .. package.path
local person = require('person')
local wait, check = person.wait, person.check

local source = os.getenv('WORKSPACE') .. '/greet.go'

-- Searches until the list is about this text and holds a file of that name, and returns the entry: the folder is
-- read behind.
local function found(text, name)
  return wait(name .. ' for ' .. text, function()
    vim.cmd.ForgeSearch(text)
    if vim.fn.getqflist({ title = 1 }).title ~= 'Forge search: ' .. text then return end
    return vim.iter(vim.fn.getqflist()):find(function(item) return vim.api.nvim_buf_get_name(item.bufnr):find(name, 1, true) end)
  end)
end

person.drive(function()
  vim.opt.runtimepath:append(os.getenv('RUNTIME'))
  vim.g.forge = { cmd = vim.json.decode(os.getenv('SERVER')) }
  vim.cmd.runtime('plugin/forge.lua')
  vim.cmd('filetype on')
  local buffer = person.open(source)
  wait('the server', function() return person.client() and person.client().initialized end)

  local item = found('greets one person', 'greet.go')
  check('it is at the line that says so', item.lnum == 4 and item.text:find('Hello greets one person', 1, true))
  vim.cmd.cclose()

  vim.api.nvim_buf_set_lines(buffer, 0, 0, false, { '// The walrus is not saved.' })
  item = found('walrus', 'greet.go')
  check('unsaved text is found', item.lnum == 1)
  vim.cmd('cc 1')
  check('the list leads there', vim.api.nvim_get_current_buf() == buffer and vim.api.nvim_win_get_cursor(0)[1] == 1)
  check('nothing was saved', vim.bo[buffer].modified)

  vim.cmd.ForgeSearch('zeppelin')
  person.hear('no results for zeppelin')
end)
