-- :Forge proposal against the real server: side by side, hunks are accepted and rejected with diff keys, lines with a range; the proposed
-- text is changed and written; what is typed in the file meanwhile moves its lines; after a restart of the server the rest is found again.
-- Settings as in drive.lua.
local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
package.path = here .. '/?.lua;' .. package.path
local person = require('person')
local wait, check = person.wait, person.check

local root = os.getenv('WORKSPACE')
local source, created = root .. '/greet.go', root .. '/loud/loud.go'

local function windows() return vim.api.nvim_tabpage_list_wins(0) end

local function side(i) return vim.api.nvim_win_get_buf(windows()[i]) end

-- Goes to a text of the proposed side.
local function go(text)
  vim.api.nvim_set_current_win(windows()[2])
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  check(text .. ' is proposed', vim.fn.search(text, 'cW') > 0)
end

-- Presses keys, and waits for the result to be said.
local function press(keys, said)
  person.told = {}
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, false, true), 'xt', false)
  person.hear(said)
end

local function titled(text)
  wait(text .. ' in the title', function()
    local right = windows()[2]
    return right and vim.wo[right].winbar:find(text, 1, true)
  end)
end

local function start()
  person.open(source)
  wait('the server', function() return person.client() and person.client().initialized end)
end

-- Types two lines at the beginning of the file.
local function type_above(buffer) vim.api.nvim_buf_set_lines(buffer, 0, 0, false, { '// typed', '' }) end

local function typed(text) return text:find('^// typed\n') ~= nil end

-- Returns a function that reports whether the plugin knows by now that both texts have changed since.
local function watch_refresh()
  local handlers, method, seen = person.client().handlers, 'workspace/textDocumentContent/refresh', 0
  local stock = handlers[method]
  handlers[method] = function(...)
    local result = stock(...)
    vim.schedule(function() seen = seen + 1 end)
    return result
  end
  return function() return seen >= 2 end
end

-- Lines of a text that has changed are not taken, and the new text is shown, in its tab page as soon as the user is there.
local function decide_too_late(buffer)
  go('takes leave')
  local line = vim.api.nvim_win_get_cursor(0)[1]
  type_above(buffer)
  person.told = {}
  vim.cmd(('%dForge accept'):format(line))
  person.hear('greet.go has changed since it was shown; look at it again')
  check('no line was taken', not person.text(buffer):find('Bye', 1, true))
  wait('the typed lines on both sides', function() return typed(person.text(side(1))) and typed(person.text(side(2))) end)
  vim.cmd.tabnext()
  local announced = watch_refresh()
  vim.api.nvim_buf_set_lines(buffer, 0, 2, false, {})
  wait('the news of it in another tab page', announced)
  vim.cmd.tabnext()
  wait('the text without them', function() return not typed(person.text(side(1))) and not typed(person.text(side(2))) end)
end

-- A version of a text that has changed is not taken, and what the user has typed is replaced by nothing but :e!.
local function write_too_late(buffer)
  go('takes leave')
  vim.cmd('substitute/takes leave/departs/')
  type_above(buffer)
  person.told = {}
  vim.cmd.write()
  person.hear('greet.go has changed since it was shown; look at it again')
  local function kept() return vim.bo[side(2)].modified and person.text(side(2)):find('departs', 1, true) and #vim.api.nvim_list_tabpages() == 2 end
  for _, keys in ipairs({ ']f', '[f', 'q' }) do
    person.told = {}
    vim.cmd.normal(keys)
    person.hear('you have changed the proposed text')
    check(keys .. ' leaves it alone', kept())
  end
  person.told = {}
  vim.cmd.Forge('proposal')
  person.hear('you have changed the proposed text')
  check('so does :Forge proposal', kept())
  vim.cmd('edit!')
  check(':e! shows the text as it is', typed(person.text(side(2))) and person.text(side(2)):find('takes leave', 1, true))
end

person.drive(function()
  vim.opt.runtimepath:append(os.getenv('RUNTIME'))
  vim.g.forge = { cmd = vim.json.decode(os.getenv('SERVER')) }
  vim.cmd.runtime('plugin/forge.lua')
  vim.cmd('filetype on')
  start()
  local buffer = vim.api.nvim_get_current_buf()
  local before = person.text(buffer)
  person.answers = { 'Trust and run' }
  vim.cmd('Forge add a package that shouts')
  wait('hints', function()
    person.nothing_unknown()
    return #person.hints(source) == 2
  end)

  vim.cmd.Forge('proposal')
  titled('greet.go (1 of 3)')
  check('two windows show it', #windows() == 2 and vim.wo[windows()[1]].diff and vim.wo[windows()[2]].diff)
  check('on the left is the text as it is', person.text(side(1)) == before and not vim.bo[side(1)].modifiable)
  check('on the right is the proposed one', person.text(side(2)):find('func Bye(', 1, true) and person.text(side(2)):find('quietly', 1, true))
  check('in colours of its language', vim.bo[side(2)].filetype == 'go')
  check('for no language server', #vim.lsp.get_clients({ bufnr = side(2) }) == 0)
  check('nothing was applied', person.text(buffer) == before)

  decide_too_late(buffer)
  write_too_late(buffer)
  go('quietly')
  press('dp', '1 of 1 files applied')
  check('the hunk is in the file', person.text(buffer):find('quietly', 1, true) and not person.text(buffer):find('func Bye(', 1, true))
  wait('the left side', function() return person.text(side(1)):find('quietly', 1, true) end)

  person.told = {}
  vim.cmd.Forge('check')
  person.hear('pass: go test')
  check('the part was checked', not vim.wo[windows()[2]].winbar:find('not this part', 1, true))

  go('takes leave')
  person.told = {}
  vim.cmd('.Forge reject hunk the comment says nothing')
  person.hear('rejected')
  wait('the line to go', function() return not person.text(side(2)):find('takes leave', 1, true) end)
  check('and only that line', person.text(side(2)):find('func Bye(', 1, true))
  go('func Bye')
  press('do', 'rejected')
  wait('the rest of the hunk to go', function() return not person.text(side(2)):find('func Bye(', 1, true) end)

  vim.cmd.normal(']f')
  titled('loud/loud.go (2 of 3)')
  check('a created file has no text yet', person.text(side(1)) == '\n')
  go('func Shout')
  vim.api.nvim_buf_set_lines(0, 4, 5, false, { '// Shout is loud, as the user says.' })
  person.told = {}
  vim.cmd.normal('dp')
  person.hear('you have changed the proposed text; :w makes that the proposal')
  vim.cmd.write()
  check('it is written to the proposal', not vim.bo[side(2)].modified and person.text(side(2)):find('as the user says', 1, true))
  check('and to no file', vim.uv.fs_stat(created) == nil)

  person.client().stop()
  wait('the end of the server', function() return person.client() == nil end)
  vim.cmd.normal('q')
  check('q closes both', #vim.api.nvim_list_tabpages() == 1)
  vim.cmd.write()
  vim.cmd.edit()
  start()
  local stored = wait('the stored proposal', function() return vim.fn.getcompletion('Forge proposal ', 'cmdline')[1] end)
  vim.cmd.Forge('proposal ' .. stored)
  titled('greet.go (1 of 3)')
  vim.cmd.normal('[f')
  titled('loud/loud_test.go (3 of 3)')
  vim.cmd.normal('[f')
  titled('loud/loud.go (2 of 3)')
  check('the change of the user is kept', person.text(side(2)):find('as the user says', 1, true))
  person.told = {}
  vim.cmd.Forge('accept file')
  person.hear('1 of 1 files applied')
  check('it is accepted as changed', person.text(vim.fn.bufnr(created)):find('as the user says', 1, true))
  titled('loud/loud.go (2 of 3) proposed · accepted')
  vim.cmd.Forge('reject! all use a table')
  person.hear('rejected')
  wait('the run that does the task again', function()
    return vim.iter(person.told):find(function(text) return text:match('run r%-%w+ started') end)
  end)
  person.client().stop()
  wait('the end of the server', function() return person.client() == nil end)
end)
