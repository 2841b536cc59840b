-- The whole chain against the real server: run, progress, question, look, accept one of three files (a new one), two of five hunks and
-- three lines, check, amend, check again, undo; then the editor is started again (PART=again), finds the run and its proposal, and resumes it.
-- LANE=plugin drives editors/nvim; LANE=plain has nothing but Neovim's own client, 0.7.2 included. Further settings as in drive.lua.
local here = debug.getinfo(1, 'S').source:match('^@(.*)/[^/]*$')
package.path = here .. '/?.lua;' .. package.path
local person = require('person')
local wait, check = person.wait, person.check

local root = os.getenv('WORKSPACE')
local source, created = root .. '/greet.go', root .. '/loud/loud.go'
local lane, again = require('chain_' .. os.getenv('LANE')), os.getenv('PART') == 'again'

local function exists(path) return vim.fn.filereadable(path) == 1 end

local function start()
  lane.start(root)
  local buffer = person.open(source)
  wait('the server', function() return lane.ready() end)
  return buffer
end

local function has(buffer, text) return person.text(buffer):find(text, 1, true) ~= nil end

local function applied(decide)
  person.told = {}
  decide()
  lane.verified()
end

local function decisions(buffer, before)
  applied(function() lane.accept_file('loud/loud.go') end)
  check('one new file of three is a text of the editor', has(vim.fn.bufnr(created), 'func Shout(') and not exists(created))
  check('it ends with its last line', not has(vim.fn.bufnr(created), '\n\n\n') and not person.text(vim.fn.bufnr(created)):find('\n\n$'))
  check('and the other files are as they were', person.text(buffer) == before)
  applied(function() lane.accept_hunk('greet.go', 'quietly') end)
  applied(function() lane.accept_hunk('greet.go', 'before noon') end)
  check('two hunks of five are accepted', has(buffer, 'quietly') and has(buffer, 'before noon') and not has(buffer, 'at any time') and not has(buffer, 'before bed'))
  applied(function() lane.accept_lines('greet.go', 'takes leave') end)
  check('three lines of a hunk are accepted', has(buffer, 'func Bye(') and has(buffer, 'takes leave') and not has(buffer, 'func Bow('))
end

person.drive(function()
  local buffer = start()
  if again then return lane.again(source) end
  local before = lane.run(buffer, 'add a package that shouts')
  wait('progress', function() return next(person.progress) end)
  wait('five hints', function()
    person.nothing_unknown()
    return #person.hints(source) == 5
  end)
  check('trust and the specification were asked about', #person.questions >= 2)
  check('nothing was applied before consent', person.text(buffer) == before and not exists(created))
  lane.look('greet.go', 'func Bow(')

  decisions(buffer, before)
  lane.check_part()
  lane.amend('greet.go', 'before bed', 'before midnight')
  check('the own version is in no file yet', not has(buffer, 'midnight'))
  lane.check_amended()
  applied(function() lane.accept_file('greet.go') end)
  check('the own version is applied', has(buffer, 'before midnight') and has(buffer, 'func Bow('))
  lane.close()
  vim.cmd('silent wall')

  lane.undo()
  applied(function() lane.accept_all() end)
  check('the undo restores the text', person.text(buffer) == before)
  wait('the created file to go', function() return not exists(created) end)
  vim.cmd('silent! wall')
end)
