-- The editor is closed in the middle of a run, by the command that closes it, and another one resumes the run (PART=again): what was
-- answered is not asked again, and nothing was changed before. Settings as in chain.lua.
local here = debug.getinfo(1, 'S').source:match('^@(.*)/[^/]*$')
package.path = here .. '/?.lua;' .. package.path
local person = require('person')
local wait, check = person.wait, person.check

local root = os.getenv('WORKSPACE')
local source = root .. '/greet.go'
local lane, again = require('chain_' .. os.getenv('LANE')), os.getenv('PART') == 'again'

local function start()
  lane.start(root)
  local buffer = person.open(source)
  wait('the server', function() return lane.ready() end)
  return buffer
end

local function first()
  local buffer = start()
  local before = lane.run(buffer, 'add a package that shouts')
  wait('the work on the change', function()
    person.nothing_unknown()
    return person.working and person.working:find('executor', 1, true)
  end)
  check('trust and the specification were asked about', #person.questions >= 2)
  check('nothing was applied', person.text(buffer) == before)
  vim.cmd('silent wall')
  person.leave()
end

local function second()
  local buffer = start()
  local before = person.text(buffer)
  lane.resume_interrupted()
  wait('five hints', function()
    person.nothing_unknown()
    return #person.hints(source) == 5
  end)
  local asked = table.concat(person.questions, '\n')
  check('it was offered again', asked:find('a run was interrupted: "add a package that shouts"', 1, true))
  check('what was answered is not asked again', not asked:find('Do you trust', 1, true) and not asked:find('Implement this', 1, true))
  check('nothing was applied before consent', person.text(buffer) == before)
  lane.accept_all()
  person.hear('3 of 3 files applied')
  check('the change is complete', person.text(buffer):find('func Bow(', 1, true) and person.text(buffer):find('before bed', 1, true))
end

person.drive(again and second or first)
