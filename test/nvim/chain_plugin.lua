-- The chain by :Forge, side by side where a proposal is looked at.
local person = require('person')
local wait, check = person.wait, person.check

local M = {}

local function right() return vim.api.nvim_tabpage_list_wins(0)[2] end
local function shown() return person.text(vim.api.nvim_win_get_buf(right())) end

local function titled(text)
  wait(text .. ' in the title', function() return right() and vim.wo[right()].winbar:find(text, 1, true) end)
end

-- Goes to a file of the proposal, and to a text of its proposed side.
local function go(path, text)
  vim.api.nvim_set_current_win(right())
  for _ = 1, 3 do
    if vim.wo[right()].winbar:find(path .. ' (', 1, true) then break end
    vim.cmd.normal(']f')
  end
  titled(path .. ' (')
  vim.api.nvim_set_current_win(right())
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  if text then check(text .. ' is proposed', vim.fn.search(text, 'cW') > 0) end
end

function M.start()
  vim.opt.runtimepath:append(os.getenv('RUNTIME'))
  vim.g.forge = { cmd = vim.json.decode(os.getenv('SERVER')) }
  vim.cmd.runtime('plugin/forge.lua')
  vim.cmd('filetype on')
end

function M.ready() return person.client() and person.client().initialized end

function M.run(buffer, task)
  person.answers = { 'Trust and run', 'Implement' }
  vim.cmd('Forge ' .. task)
  return person.text(buffer)
end

function M.look(path, text)
  vim.cmd.Forge('proposal')
  titled(path .. ' (1 of 3)')
  go(path, text)
end

function M.verified() person.hear('1 of 1 files applied') end

function M.accept_file(path)
  go(path)
  vim.cmd.Forge('accept file')
end

local by_command -- the first hunk is accepted side by side, those after it in the file

-- In the file the cursor is on the hint.
local function accept_in_file(path, text)
  vim.cmd.tabfirst()
  person.open(os.getenv('WORKSPACE') .. '/' .. path)
  local hint = wait('the hint with ' .. text, function()
    return vim.tbl_filter(function(d) return d.message:find(text, 1, true) end, person.hints(vim.api.nvim_buf_get_name(0)))[1]
  end)
  vim.api.nvim_win_set_cursor(0, { hint.lnum + 1, 0 })
  vim.cmd.Forge('accept hunk')
  vim.cmd.tablast()
end

function M.accept_hunk(path, text)
  if by_command then return accept_in_file(path, text) end
  by_command = true
  go(path, text)
  vim.api.nvim_feedkeys('dp', 'xt', false)
end

-- The line with a text and those around it.
function M.accept_lines(path, text)
  go(path, text)
  vim.cmd('.-1,.+1Forge accept')
end

local function passes(what)
  person.hear(what)
  person.hear('pass: gofmt')
  person.hear('pass: go test')
end

function M.check_part()
  person.told = {}
  vim.cmd.Forge('check')
  passes('the part that you accepted is checked')
end

function M.amend(path, from, to)
  go(path, from)
  vim.cmd(('substitute/%s/%s/'):format(from, to))
  person.told = {}
  vim.cmd.write()
  check('it is being checked', vim.wo[right()].winbar:find('checking…', 1, true))
  check('it is the proposal now', shown():find(to, 1, true))
end

-- By itself.
function M.check_amended() passes('your version is checked') end

function M.close() vim.cmd.normal('q') end

function M.undo()
  local function last() return require('forge.proposal').current[person.client().id] end
  local before = last()
  vim.cmd.Forge('undo')
  wait('the undo as hints', function() return last() ~= before and #person.hints(os.getenv('WORKSPACE') .. '/greet.go') > 0 end)
  M.verified = function() person.hear('files applied') end
end

function M.accept_all() vim.cmd.Forge('accept') end

-- After the editor was closed in the middle of the run: the server asks, and the user takes the command.
function M.resume_interrupted()
  person.answers = { 'Not now' }
  local run = wait('the run', function() return vim.fn.getcompletion('Forge resume ', 'cmdline')[1] end)
  vim.cmd.Forge('runs')
  wait('the run in the list', function()
    return vim.bo.filetype == 'markdown' and person.text(0):find(run .. ' | interrupted', 1, true)
  end)
  vim.cmd.close()
  wait('the offer to resume it', function() return person.questions[1] end)
  vim.cmd.Forge('resume')
  person.hear('run ' .. run .. ' continues')
end

-- After the editor was started again.
function M.again(source)
  local run = wait('the run', function() return vim.fn.getcompletion('Forge resume ', 'cmdline')[1] end)
  local stored = wait('its proposal', function() return vim.fn.getcompletion('Forge proposal ', 'cmdline')[1] end)
  vim.cmd.Forge('runs')
  wait('the run in the list', function()
    return vim.bo.filetype == 'markdown' and person.text(0):find(run .. ' | succeeded', 1, true)
  end)
  vim.cmd.close()
  vim.cmd.Forge('proposal ' .. stored)
  titled('greet.go (1 of 3)')
  vim.cmd.normal('q')
  person.told = {}
  vim.cmd.Forge('resume ' .. run)
  person.hear('run ' .. run .. ' continues')
  person.hear('a proposal is ready')
  for _, text in ipairs({ 'at any time', 'before midnight' }) do
    wait('the hunk with ' .. text, function()
      return vim.tbl_filter(function(d) return d.message:find(text, 1, true) end, person.hints(source))[1]
    end)
  end
end

return M
