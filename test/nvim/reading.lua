-- :ForgeReview and :ForgeAsk against the real server: what is found is in the file and in the quickfix list, an answer is
-- Markdown in a window, and a change of behaviour is asked for before it is sent. Settings as in drive.lua.
local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
package.path = here .. '/?.lua;' .. package.path
local person = require('person')
local wait, check = person.wait, person.check

local source = os.getenv('WORKSPACE') .. '/greet.go'

person.drive(function()
  vim.opt.runtimepath:append(os.getenv('RUNTIME'))
  vim.g.forge = { cmd = vim.json.decode(os.getenv('SERVER')) }
  vim.cmd.runtime('plugin/forge.lua')
  vim.cmd('filetype on')
  local buffer = person.open(source)
  wait('the server', function() return person.client() and person.client().initialized end)
  local before = person.text(buffer)

  person.answers = { 'Yes, it may read them', 'Trust' }
  vim.cmd('3,5ForgeReview')
  wait('what the reviewer found', function() return #vim.fn.getqflist() > 0 end)
  local found = vim.fn.getqflist()[1]
  check('it is in the quickfix list', found.lnum == 5 and found.type == 'W' and found.text:find('An empty name is greeted.', 1, true))
  check('in its file', vim.api.nvim_buf_get_name(found.bufnr) == source)
  vim.cmd.cclose()
  local function shown()
    return vim.iter(vim.diagnostic.get(buffer)):find(function(d) return d.source == 'forge/review' end)
  end
  check('and in the text', wait('its diagnostic', shown).lnum == 4)

  person.open(source)
  vim.cmd('3,5ForgeAsk who is greeted?')
  wait('the answer', function() return vim.bo.filetype == 'markdown' end)
  check('it is the whole answer', person.text(0) == '# Greeting\n\nWhoever **name** names.\n')
  check('it cannot be edited', not vim.bo.modifiable)
  vim.cmd.close()

  local asked
  vim.ui.input = function(opts, done)
    asked = opts.prompt
    done(nil)
  end
  vim.lsp.commands['forge.run']({ arguments = { { ask = 'What should it do?', recipe = 'implement' } } })
  check('what to do is asked', asked == 'Forge: What should it do? ')
  check('and nothing is sent without an answer', not vim.iter(person.told):any(function(text) return text:find('task', 1, true) end))

  vim.cmd('ForgeExplore read_file path=go.mod')
  wait('what the provider says', function() return person.text(0):find('module example.com/greet', 1, true) end)
  vim.cmd.close()
  vim.cmd('ForgePrompt executor add a walrus')
  wait('the prompt', function() return person.text(0):find('add a walrus', 1, true) and person.text(0):find('message 1, from the system', 1, true) end)
  vim.cmd.close()
  vim.cmd.ForgeSkills()
  person.hear('no skills found')

  local function both()
    return person.text(0):find('| succeeded | ask · balanced | who is greeted? |', 1, true)
      and person.text(0):find('| succeeded | review · balanced |', 1, true)
  end
  for _ = 1, 100 do -- a run ends a moment after its answer
    vim.cmd.ForgeRuns()
    wait('the runs', function() return person.text(0):find('| run | state | work | task |', 1, true) end)
    if both() then break end
    vim.cmd.close()
  end
  check('each with how it works', both())
  vim.cmd.close()

  person.answers = { 'Trust', 'who is greeted?', 'Fork' }
  vim.cmd('ForgeTasks greeted')
  person.hear('is a new draft: who is greeted?')
  person.answers = { 'Trust', 'draft', 'Cancel' }
  vim.cmd.ForgeTasks()
  person.hear('is cancelled: who is greeted?')
  person.answers = { 'Trust', 'cancelled', 'Resume' }
  vim.cmd.ForgeTasks()
  person.hear('is a draft again: who is greeted?')
  person.answers = { 'Trust', 'draft', 'Show' }
  vim.cmd.ForgeTasks()
  wait('all of it', function() return person.text(0):find(': cancelled, was draft, by user', 1, true) end)
  vim.cmd.close()
  person.answers = { 'Trust', 'draft', 'Delete' }
  vim.cmd.ForgeTasks()
  person.hear('is deleted: who is greeted?')
  vim.cmd('ForgeTasks of nobody')
  person.hear('no tasks found')

  check('nothing was changed', person.text(buffer) == before and not vim.bo[buffer].modified)
end)
