-- Defines the commands and makes the client richer. The work is in lua/forge, loaded on first use.
if vim.g.loaded_forge then return end
vim.g.loaded_forge = true

local function command(name, doc, run, more)
  vim.api.nvim_create_user_command(name, run, vim.tbl_extend('force', { desc = doc }, more or {}))
end

command('Forge', 'Run a task; with a range, on those lines', function(args)
  require('forge').run(args.args, args.range > 0 and { args.line1, args.line2 } or nil)
end, { nargs = '*', range = true })
command('ForgePlan', 'Show a plan for a task, then run it part by part; with a range, on those lines', function(args)
  require('forge').run(args.args, args.range > 0 and { args.line1, args.line2 } or nil, true)
end, { nargs = '*', range = true })
command('ForgeAsk', 'Answer a question; with a range, about those lines', function(args)
  require('forge.reading').ask(args.args, args.range > 0 and { args.line1, args.line2 } or nil)
end, { nargs = '*', range = true })
command('ForgeReview', 'Review the file; with a range, those lines; with !, all uncommitted changes', function(args)
  require('forge.reading').review(args.range > 0 and { args.line1, args.line2 } or nil, args.bang)
end, { range = true, bang = true })
command('ForgeSpec', 'Show the specification; with a text or a range that says what must hold, update it', function(args)
  require('forge.reading').spec(args.args, args.range > 0 and { args.line1, args.line2 } or nil)
end, { nargs = '*', range = true })
command('ForgeSkills', 'List the skills that runs know, or those for a kind of work', function(args)
  require('forge.inside').skills(args.args)
end, { nargs = '?' })
command('ForgeExplore', 'Ask a provider, with key=value arguments, and show the answer that a model would get', function(args)
  require('forge.inside').explore(args.fargs)
end, { nargs = '+' })
command('ForgePrompt', 'Show the prompt of a node (first argument) for a request', function(args)
  require('forge.inside').prompt(args.fargs[1], table.concat(vim.list_slice(args.fargs, 2), ' '))
end, { nargs = '+' })
command('ForgeValidate', 'Run the compilers, linters and tests on the folder as it is', function()
  require('forge.inside').validate()
end)
command('ForgeTasks', 'List tasks, all or those that contain a text, and show, start, resume, fork, cancel or delete one', function(args)
  require('forge.tasks').list(args.args)
end, { nargs = '*' })
command('ForgeRuns', 'List the runs of the folder with state, recipe, mode and profile', function() require('forge.runs').list() end)
command('ForgeCancel', 'Cancel the last run', function() require('forge').cancel() end)
command('ForgeUndo', 'Propose to undo the last run', function() require('forge').undo() end)
command('ForgeProposal', 'Show the last proposal as a diff', function() require('forge.proposal').show() end)
command('ForgeSearch', 'Search for a text in plain words, and list the results in the quickfix list', function(args)
  require('forge.search').run(args.args)
end, { nargs = '+' })

-- The command of code actions: a run may have to prompt for its task before it is sent.
vim.lsp.commands['forge.run'] = function(command) require('forge').act(vim.deepcopy((command.arguments or {})[1] or {})) end

-- Forge's own documents, whose text comes from the server.
vim.api.nvim_create_autocmd('BufReadCmd', {
  group = vim.api.nvim_create_augroup('forge.document', {}),
  pattern = { 'forge://spec/*', 'forge://prompt/*' },
  callback = function(args) require('forge.document').read(args.buf, args.match) end,
})

require('forge').enable()
