-- A plan is changed in its file before it is approved, against the real server: with an error in it the person is asked again, with the
-- right one it is carried out, is revised after its first part, and comes to one proposal. Settings as in drive.lua.
local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
package.path = here .. '/?.lua;' .. package.path
local person = require('person')
local wait, check = person.wait, person.check

local folder = os.getenv('WORKSPACE')

-- The person edits at each question about the plan but the last, and closes one to think.
local edits = { 'Edit the plan…', 'Carry it out', 'Edit the plan…', false, 'Carry it out', 'Carry it out' }
local pages = {} -- what can be read while a question is open, by their order
local select = vim.ui.select
vim.ui.select = function(items, opts, done)
  if not (opts.prompt or ''):find('plan', 1, true) then return select(items, opts, done) end
  table.insert(pages, { question = opts.prompt, text = person.text(0) })
  local choice = table.remove(edits, 1)
  person.saw('question', { prompt = opts.prompt, answer = choice })
  local item = choice and vim.iter(items):find(function(item) return item.title == choice end)
  done(item)
end

local function asked(number)
  return wait('question ' .. number, function() return pages[number] end)
end

person.drive(function()
  vim.opt.runtimepath:append(os.getenv('RUNTIME'))
  vim.g.forge = { cmd = vim.json.decode(os.getenv('SERVER')) }
  vim.cmd.runtime('plugin/forge.lua')
  vim.cmd('filetype on')
  person.open(folder .. '/greet.go')
  wait('the server', function() return person.client() and person.client().initialized end)

  -- Waits until the file of the plan is in front, and returns its text.
  local function plan_in_front()
    wait('the file of the plan', function() return vim.api.nvim_buf_get_name(0):find('%.plan%-1%.json$') end)
    return person.text(0)
  end
  local function retype(text) vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(text, '\n', { trimempty = true })) end

  person.answers = { 'Trust and run' }
  vim.cmd('Forge plan add Bye and Cheers')
  check('the plan is asked about', asked(1).question:find('3 parts in 2 tiers', 1, true))
  local whole = plan_in_front()
  check('all of it is in its file', whole:find('"id": "never"', 1, true))
  retype(whole:sub(1, whole:find('"id": "never"', 1, true) - 1))
  vim.cmd.write()
  check('writing asks again', asked(2).question == pages[1].question)

  check('half a plan is not carried out', asked(3).question:find('Your plan has an error and cannot be carried out', 1, true))
  check('its line is named', (pages[3].question .. pages[3].text):find('%.plan%-1%.json:%d+:%d+: error: the file ends here'))
  plan_in_front()
  local plan = vim.json.decode(whole)
  plan.parts = vim.tbl_filter(function(part) return part.id ~= 'never' end, plan.parts)
  for _, part in ipairs(plan.parts) do
    part.doneWhen = part.doneWhen:gsub('there', 'documented')
    if #part.dependsOn == 0 then part.dependsOn = vim.empty_dict() end
  end
  retype((vim.json.encode(plan):gsub('"dependsOn":{}', '"dependsOn":[]')))
  vim.cmd.write()
  asked(4) -- which is closed: the run waits
  vim.cmd.Forge('answer')

  check('a revised plan is asked about', asked(6).question:find('Carry on with this revised plan? 1 part in place of 1 part', 1, true))
  check('with its reason', pages[6].text:find('Later is what they mean', 1, true))
  wait('hints', function() return person.hints(folder .. '/later.go')[1] end)
  person.hear('4 hunks in 4 files')
  vim.cmd.Forge('accept all')
  wait('the accepted text', function() return person.text(vim.fn.bufadd(folder .. '/later.go')):find('func Later(', 1, true) end)
  person.hear('4 of 4 files applied')
  check('the dropped and the replaced part are not there', vim.fn.bufexists(folder .. '/never.go') == 0 and vim.fn.bufexists(folder .. '/cheers.go') == 0)
  vim.cmd.Forge('answer')
  person.hear('no question waits for an answer')
end)
