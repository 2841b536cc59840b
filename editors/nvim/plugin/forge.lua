-- Defines the commands and maps, and starts the server. The work is in lua/forge, loaded on first use.
if vim.g.loaded_forge then return end
vim.g.loaded_forge = true

local function command(name, doc, run, more)
  vim.api.nvim_create_user_command(name, run, vim.tbl_extend('force', { desc = doc, nargs = '*', range = true, bang = true }, more or {}))
end

command('Forge', 'Run a task, or one of the commands that completion lists', function(args) require('forge.command').forge(args) end, {
  complete = function(...) return require('forge.command').complete(...) end,
})

-- The commands of earlier versions.
local old = {
  Plan = 'plan', Ask = 'ask', Review = 'review', Spec = 'spec', Skills = 'skills', Explore = 'explore', Prompt = 'prompt', Validate = 'validate',
  Tasks = 'tasks', Runs = 'runs', Cancel = 'cancel', Undo = 'undo', Proposal = 'diff', Search = 'search',
}
for name, now in pairs(old) do
  command('Forge' .. name, 'The same as :Forge ' .. now, function(args) require('forge.command').call(now, args) end)
end

-- <Plug>(forge-…): each runs one command; in visual mode, on the selected lines. Those that end with … prompt for words.
local maps = {
  run = 'run …', ask = 'ask …', review = 'review', cancel = 'cancel', proposal = 'proposal', undo = 'undo', next = 'next', previous = 'previous',
  accept = 'accept', ['accept-file'] = 'accept file', ['accept-hunk'] = 'accept hunk',
  reject = 'reject', ['reject-file'] = 'reject file', ['reject-hunk'] = 'reject hunk',
}
for name, words in pairs(maps) do
  local prompted = words:match('^(.*)…$')
  local keys = prompted and ':Forge ' .. prompted or ':Forge ' .. words .. '<CR>'
  vim.keymap.set('n', '<Plug>(forge-' .. name .. ')', keys, { desc = 'Forge: ' .. words })
  vim.keymap.set('x', '<Plug>(forge-' .. name .. ')', keys, { desc = 'Forge: ' .. words })
end

-- The command of code actions: a run may have to prompt for its task before it is sent.
vim.lsp.commands['forge.run'] = function(action, ctx)
  require('forge').act(vim.deepcopy((action.arguments or {})[1] or {}), ctx and ctx.client_id)
end

-- Forge's own documents, whose text comes from the server.
local group = vim.api.nvim_create_augroup('forge.document', {})
local function document(event, pattern, run)
  vim.api.nvim_create_autocmd(event, { group = group, pattern = pattern, callback = run, nested = true }) -- a write reads again
end

document('BufReadCmd', { 'forge://spec/*', 'forge://prompt/*', 'forge://run/*' }, function(args) require('forge.document').read(args.buf, args.match) end)
document('BufReadCmd', 'forge://proposal/*', function(args) require('forge.look').read(args.buf, args.match) end)
document('BufWriteCmd', 'forge://proposal/*', function(args) require('forge.look').write(args.buf) end)

vim.api.nvim_create_autocmd('LspProgress', {
  group = vim.api.nvim_create_augroup('forge.progress', {}),
  callback = function(args) require('forge.status').progress(vim.lsp.get_client_by_id(args.data.client_id), args.data.params) end,
})

-- A plugin manager that loads this later calls setup right after it; the server starts with what that sets.
local function enable() require('forge').enable() end
if vim.v.vim_did_enter == 1 then vim.schedule(enable) else enable() end
