-- The init.lua of a user who has the spec for lazy.nvim in docs/neovim.md, as it is written there, with this repository as its folder. With
-- BY_LAZY, a clone of lazy.nvim, that loads it; without, its function config is called as lazy.nvim does. Further settings as in drive.lua.
local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
package.path = here .. '/?.lua;' .. package.path
local person = require('person')
local check = person.check

local root, lazy = vim.fs.dirname(vim.fs.dirname(os.getenv('RUNTIME'))), os.getenv('BY_LAZY')
local page = table.concat(vim.fn.readfile(root .. '/docs/neovim.md'), '\n')
local spec = assert(loadstring('return ' .. assert(page:match('```lua\n(.-)\n```'), 'there is no spec')))()
spec.dir = root
vim.g.forge = { cmd = vim.json.decode(os.getenv('SERVER')) }
if lazy then
  vim.opt.runtimepath:prepend(lazy)
  require('lazy').setup({ spec = { spec }, change_detection = { enabled = false } })
else
  spec.config({ dir = root })
end

local function scenario()
  if lazy then
    local plugin = require('lazy.core.config').plugins.forge
    check('lazy.nvim has loaded the plugin from ' .. tostring(plugin and plugin.dir), plugin and plugin.dir == root and plugin._.loaded)
  end
  check('the command is defined', vim.fn.exists(':Forge') == 2)
  check('and loads the rest', vim.tbl_contains(vim.fn.getcompletion('Forge acc', 'cmdline'), 'accept'))
  check('the maps are defined', vim.fn.maparg('<Plug>(forge-accept-hunk)', 'n') == ':Forge accept hunk<CR>')
  check('the help is found', #vim.api.nvim_get_runtime_file('doc/forge.txt', false) == 1)
  person.open(os.getenv('WORKSPACE') .. '/greet.go')
  person.wait('the server', function() return person.client() and person.client().initialized end)
end

vim.api.nvim_create_autocmd('VimEnter', { callback = vim.schedule_wrap(function() person.drive(scenario) end) })
