-- The main job in a real Neovim, from unsaved text to undo. Settings from the environment:
--   LANE        plugin: editors/nvim is loaded; plain: nothing but Neovim's own client
--   SERVER      the server's command line, as a JSON list
--   WORKSPACE   folder with greet.go and greet_test.go
--   RUNTIME     the folder editors/nvim
local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
package.path = here .. '/?.lua;' .. package.path
local person = require('person')
local wait, check = person.wait, person.check

local lane, workspace = os.getenv('LANE'), os.getenv('WORKSPACE')
local server = vim.json.decode(os.getenv('SERVER'))
local source, test = workspace .. '/greet.go', workspace .. '/greet_test.go'

-- The words of the server that the scenario relies on.
local words = {
  run = 'Forge: implement the selection',
  accept_file = 'Forge: accept file',
  reject_hunk = 'Forge: reject hunk',
  task = 'add Shout',
  verified = '1 of 1 files applied',
  result = 'func Shout(', -- what the run adds to greet.go
}
-- Trust the folder, approve the specification, and look at the proposal instead of applying all of it.
person.answers = { 'Trust and run', 'Implement', 'Show' }

local typed = '// typed and not saved; forge: ' .. words.task

local function start()
  if lane == 'plugin' then
    vim.opt.runtimepath:append(os.getenv('RUNTIME'))
    vim.g.forge = { cmd = server }
    vim.cmd.runtime('plugin/forge.lua')
    vim.cmd('filetype on')
  else
    vim.api.nvim_create_autocmd('BufRead', {
      pattern = '*.go',
      callback = function() vim.lsp.start({ name = 'forge', cmd = server, root_dir = workspace }) end,
    })
  end
end

local function begin_run(lines)
  if lane == 'plugin' then
    vim.cmd(('%d,%dForge %s'):format(lines[1], lines[2], words.task))
  else
    person.act(words.run, lines)
  end
end

local function undo()
  if lane == 'plugin' then
    vim.cmd.ForgeUndo()
  else
    vim.lsp.buf_request(0, 'workspace/executeCommand', { command = 'forge.undo' }, function(err)
      if err then error(err.message) end
    end)
  end
end

local function disk(path) return table.concat(vim.fn.readfile(path), '\n') .. '\n' end

-- Rejects hunk by hunk until the file has no hint left.
local function reject(path)
  local left = #person.hints(path)
  while left > 0 do
    person.act_on_hint(path, words.reject_hunk)
    left = wait('a hint less in ' .. path, function()
      local now = #person.hints(path)
      return now < left and now or nil
    end)
  end
end

person.drive(function()
  start()
  local buffer = person.open(source)
  wait('the server', function() return person.client() and person.client().initialized end)
  local saved, saved_test = disk(source), disk(test)

  vim.api.nvim_buf_set_lines(buffer, 3, 3, false, { typed, '' })
  local before = person.text(buffer)
  check('the buffer is not saved', vim.bo[buffer].modified and disk(source) == saved)

  begin_run({ 4, 8 })
  wait('progress', function() return next(person.progress) end)
  wait('a question', function() return person.questions[1] end)
  wait('hints in both files', function()
    person.nothing_unknown()
    return person.hints(source)[1] and person.hints(test)[1]
  end)
  check('nothing was applied before consent', person.text(buffer) == before and disk(source) == saved)
  if lane == 'plugin' then
    vim.cmd.ForgeProposal()
    wait('the diff', function() return vim.bo.filetype == 'diff' and person.text(0):find('+' .. words.result, 1, true) end)
    vim.cmd.close()
  end

  person.act_on_hint(source, words.accept_file)
  wait('the accepted text', function() return person.text(buffer):find(words.result, 1, true) end)
  check('the unsaved line is still there, once', select(2, person.text(buffer):gsub(vim.pesc(typed), '')) == 1)
  person.hear(words.verified)
  wait('no hints in the accepted file', function() return #person.hints(source) == 0 end)
  check('applied is not saved', disk(source) == saved)

  reject(test)
  local test_buffer = person.open(test)
  check('the rejected file is as it was', person.text(test_buffer) == saved_test and disk(test) == saved_test)

  undo()
  person.act_on_hint(source, words.accept_file)
  wait('the text before the run', function() return person.text(buffer) == before end)
  check('the rejected file is still as it was', person.text(test_buffer) == saved_test and disk(test) == saved_test)
  check('nothing was saved', disk(source) == saved)

  for _, kinds in pairs(person.progress) do
    wait('the end of a progress', function() return vim.tbl_contains(kinds, 'end') end)
    check('a progress ends once', #vim.tbl_filter(function(kind) return kind == 'end' end, kinds) == 1)
  end

  person.client().stop()
  wait('the end of the server', function() return person.client() == nil end)
end)
