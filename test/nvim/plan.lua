-- :ForgePlan against the real server: the plan is read before it is approved, each part has gates of its own, and what they come
-- to together is previewed and accepted. Settings as in drive.lua.
local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
package.path = here .. '/?.lua;' .. package.path
local person = require('person')
local wait, check = person.wait, person.check

local source = os.getenv('WORKSPACE') .. '/greet.go'

-- What stands in the window while a question is open, by the question.
local read = {}
local select = vim.ui.select
vim.ui.select = function(items, opts, done)
  if (opts.prompt or ''):find('2 parts in 1 tier', 1, true) then person.answers = { 'Carry it out' } end
  if opts.prompt then read[opts.prompt] = { text = person.text(0), filetype = vim.bo.filetype } end
  return select(items, opts, done)
end

person.drive(function()
  vim.opt.runtimepath:append(os.getenv('RUNTIME'))
  vim.g.forge = { cmd = vim.json.decode(os.getenv('SERVER')) }
  vim.cmd.runtime('plugin/forge.lua')
  vim.cmd('filetype on')
  local buffer = person.open(source)
  wait('the server', function() return person.client() and person.client().initialized end)
  local before = person.text(buffer)

  -- The plan whose question says something.
  local function asked(size)
    person.nothing_unknown()
    return vim.iter(person.questions):find(function(question) return question:find('Carry out this plan? ' .. size, 1, true) end)
  end

  -- The first plan is answered in words of the person's own, at the second try; the prompt that is closed leads back to the question.
  person.answers = { 'Trust and run', 'Other answer…' }
  person.typed = { false, 'Bye waits for nobody' }
  vim.cmd('ForgePlan add Shout and Bye')
  wait('the first plan', function() return asked('2 parts in 2 tiers') end)
  local question = wait('the second plan', function() return asked('2 parts in 1 tier') end)
  check('the text is asked for with what it is about', vim.deep_equal(person.prompts, {
    'Forge: what should be different: ',
    'Forge: what should be different: ',
  }))
  local plans = vim.tbl_filter(function(asked_for) return asked_for:find('Carry out this plan?', 1, true) end, person.questions)
  check('the first is asked again, and the second once', #plans == 3 and plans[1] == plans[2] and plans[3] == question)
  check('the question is one line', not question:find('\n', 1, true))
  local page = read[question]
  check('the plan can be read while it is open', page.filetype == 'markdown' and page.text:find('| 1 | shout | add Shout | greet.go, greet_test.go |', 1, true))
  check('with what each part is for', page.text:find('Done when: Bye is there', 1, true))

  wait('hints', function()
    person.nothing_unknown()
    return person.hints(source)[1]
  end)
  check('the plan is put away', #vim.api.nvim_list_wins() == 1)
  check('nothing was applied before consent', person.text(buffer) == before)
  local red = vim.fn.getqflist()[1]
  check('what was red in a part is told with its name', red and red.text:find('shout/go test, attempt 1', 1, true))
  vim.cmd.ForgeProposal()
  wait('the diff', function() return vim.bo.filetype == 'diff' end)
  check('it has both parts', person.text(0):find('+func Shout(', 1, true) and person.text(0):find('+func Bye(', 1, true))
  check('and they were judged together', person.text(0):find('# pass: integration shout, bye hold together', 1, true))
  vim.cmd.close()

  person.act_on_hint(source, 'Forge: accept file')
  wait('the accepted text', function() return person.text(buffer):find('func Shout(', 1, true) end)
  person.hear('1 of 1 files applied')
end)
