-- The spec for lazy.nvim in docs/neovim.md, as it is written there: its function config is called as lazy.nvim does. Settings as in drive.lua.
local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
package.path = here .. '/?.lua;' .. package.path
local person = require('person')
local check = person.check

local root = vim.fs.dirname(vim.fs.dirname(os.getenv('RUNTIME')))

person.drive(function()
  local page = table.concat(vim.fn.readfile(root .. '/docs/neovim.md'), '\n')
  local spec = assert(loadstring('return ' .. assert(page:match('```lua\n(.-)\n```'), 'there is no spec')))()
  vim.g.forge = { cmd = vim.json.decode(os.getenv('SERVER')) }
  spec.config({ dir = root })
  check('the command is defined', vim.fn.exists(':Forge') == 2)
  check('the maps are defined', vim.fn.maparg('<Plug>(forge-accept-hunk)', 'n') == ':Forge accept hunk<CR>')
  vim.cmd('filetype on')
  person.open(os.getenv('WORKSPACE') .. '/greet.go')
  person.wait('the server', function() return person.client() and person.client().initialized end)
end)
