-- A proposal side by side, one file at a time in a tab page: the text as it is now, and the proposed one in diff mode. The right side can
-- be edited, and :w makes that the proposal. Native keys decide about the hunk under the cursor: dp and do of the right side put
-- the hunk into the file, or obtain the text that the file has.
local forge = require('forge')

local M = {}

local patience = 30000 -- ms

-- What is shown: { proposal, client, index = of its file, tab, base = window, proposed = window, rendering, stale = its texts have changed }.
local view

local function is_open() return view and vim.api.nvim_win_is_valid(view.base) and vim.api.nvim_win_is_valid(view.proposed) end

local function file() return view.proposal.files[view.index] end

-- The buffer of the right side.
local function proposed() return vim.api.nvim_win_get_buf(view.proposed) end

-- Reports whether the user has changed the right side and not written it, and says what to do then: nothing that they typed is lost.
local function unwritten()
  if not is_open() or not vim.bo[proposed()].modified then return false end
  forge.say('you have changed the proposed text; :w makes that the proposal, :e! restores it', vim.log.levels.WARN)
  return true
end

-- ---- the documents ---------------------------------------------------------------------------------------

-- Fills a buffer of forge://proposal/… with its document; that of the proposed text can be written. The digest of the text goes with
-- what the user decides about its lines, and the hunks are read with it, because their lines are those of this text.
function M.read(buffer, uri)
  local client = vim.b[buffer].forge_client
  local result, problem = forge.request('workspace/textDocumentContent', { uri = uri }, patience, client)
  if not result then return forge.say(problem or 'the server does not support documents', vim.log.levels.ERROR) end
  if is_open() and uri == file().proposed then
    view.proposal = forge.ask('forge.proposal.get', { proposalId = view.proposal.proposalId }, patience, client) or view.proposal
  end
  vim.b[buffer].forge_digest = vim.fn.sha256(result.text)
  local editable = uri:find('/proposed/', 1, true) ~= nil
  local options = vim.bo[buffer]
  options.buftype, options.bufhidden, options.swapfile, options.undolevels = editable and 'acwrite' or 'nofile', 'wipe', false, -1
  options.modifiable = true
  local lines = vim.split(result.text, '\n')
  if lines[#lines] == '' then table.remove(lines) end
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  options.modifiable, options.modified, options.undolevels = editable, false, vim.go.undolevels
  options.filetype = vim.filetype.match({ filename = vim.uri_to_fname(uri:gsub('^%w+://', 'file:///')) }) or ''
end

local refresh, catch_up

-- Makes the text of a buffer of forge://proposal/…/proposed/… the proposal.
function M.write(buffer)
  if not is_open() or proposed() ~= buffer then return forge.say('open the proposal with :Forge proposal', vim.log.levels.ERROR) end
  local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n') .. '\n'
  local args = { proposalId = view.proposal.proposalId, path = file().path, text = text, digest = vim.b[buffer].forge_digest }
  local proposal, problem = forge.ask('forge.proposal.amend', args, patience, view.client)
  if not proposal then return forge.say(problem, vim.log.levels.ERROR) end
  vim.bo[buffer].modified = false
  refresh(proposal)
end

-- ---- the windows -----------------------------------------------------------------------------------------

local function title(side)
  local shown = file()
  local text = ('%s (%d of %d) %s · %s'):format(shown.path, view.index, #view.proposal.files, side, shown.state)
  local checks = view.proposal.checks
  local note = checks.state == 'checking' and 'checking…' or checks.note
  return (text .. (side == 'proposed' and note and ' · ' .. note or '')):gsub('%%', '%%%%')
end

local function map(buffer, keys, run, desc) vim.keymap.set('n', keys, run, { buffer = buffer, desc = 'Forge: ' .. desc, nowait = true }) end

local function maps(buffer, put, obtain)
  map(buffer, 'dp', put.run, put.desc)
  map(buffer, 'do', obtain.run, obtain.desc)
  map(buffer, ']f', function() M.step(1) end, 'next file')
  map(buffer, '[f', function() M.step(-1) end, 'previous file')
  map(buffer, 'q', M.close, 'close the proposal')
end

-- Reloads a document and shows it in a window.
local function show(window, uri, side)
  vim.api.nvim_set_current_win(window)
  vim.cmd.diffoff()
  forge.own(uri, view.client)
  vim.cmd.edit({ args = { vim.fn.fnameescape(uri) }, bang = true })
  local accept = { run = function() M.decide('apply', 'hunk') end, desc = 'accept the hunk' }
  local reject = { run = function() M.decide('reject', 'hunk') end, desc = 'reject the hunk' }
  if side == 'proposed' then maps(0, accept, reject) else maps(0, reject, accept) end
end

-- Fills both sides with the current file, with the cursor where it was.
local function fill()
  local before, cursor = vim.api.nvim_get_current_win(), vim.api.nvim_win_get_cursor(view.proposed)
  show(view.base, file().base, 'now')
  show(view.proposed, file().proposed, 'proposed')
  for side, window in pairs({ now = view.base, proposed = view.proposed }) do
    vim.wo[window][0].winbar = title(side)
    vim.api.nvim_win_call(window, vim.cmd.diffthis)
  end
  cursor[1] = math.min(cursor[1], vim.api.nvim_buf_line_count(0))
  vim.api.nvim_win_set_cursor(view.proposed, cursor)
  vim.api.nvim_set_current_win(before)
end

-- Shows the current file. What comes while this waits for its texts is shown afterwards.
local function render()
  view.stale = view.rendering
  if view.rendering then return end
  view.rendering = true
  local ok, problem = pcall(fill)
  view.rendering = false
  if not ok then error(problem, 0) end
  catch_up()
end

-- Shows the proposal as it is after a decision.
function refresh(proposal)
  view.proposal = proposal
  view.index = math.min(view.index, #proposal.files)
  render()
end

-- Opens a proposal, the last one without an id.
function M.open(id)
  forge.execute('forge.proposal.get', { proposalId = id }, function(proposal, client)
    if unwritten() then return vim.api.nvim_set_current_tabpage(view.tab) end
    require('forge.proposal').current[client] = proposal.proposalId
    if not is_open() then
      vim.cmd('tab split')
      local base = vim.api.nvim_get_current_win()
      vim.cmd('rightbelow vsplit')
      view = { tab = vim.api.nvim_get_current_tabpage(), base = base, proposed = vim.api.nvim_get_current_win() }
    end
    vim.api.nvim_set_current_tabpage(view.tab)
    view.client, view.index = client, 1
    refresh(proposal)
    vim.api.nvim_set_current_win(view.proposed)
    vim.api.nvim_win_set_cursor(view.proposed, { 1, 0 })
  end)
end

-- Goes to another file of the proposal.
function M.step(by)
  if not is_open() or unwritten() then return end
  view.index = (view.index - 1 + by) % #view.proposal.files + 1
  render()
end

function M.close()
  if unwritten() or not view or not vim.api.nvim_tabpage_is_valid(view.tab) then return end
  vim.cmd('tabclose! ' .. vim.api.nvim_tabpage_get_number(view.tab))
end

-- ---- what has changed elsewhere --------------------------------------------------------------------------

-- Shows the texts as they are now, where that takes nothing from the user: not over what they have typed, not under a selection or a
-- command that they are about to finish, and not in a tab page in which they are not. Later events call it again.
function catch_up()
  local free = is_open() and view.stale and M.is_current() and vim.api.nvim_get_mode().mode == 'n'
  if free and not vim.bo[proposed()].modified then render() end
end

vim.api.nvim_create_autocmd({ 'TabEnter', 'ModeChanged' }, {
  group = vim.api.nvim_create_augroup('forge.look', {}),
  callback = vim.schedule_wrap(function() catch_up() end),
})

-- Takes that a document of a proposal has another text now.
function M.changed(uri)
  if not is_open() or (uri ~= file().base and uri ~= file().proposed) then return end
  view.stale = true
  catch_up()
end

-- Takes the proposal as it is now, if it is the one that is open here.
function M.update(proposal)
  if not is_open() or view.proposal.proposalId ~= proposal.proposalId then return end
  view.stale = true
  catch_up()
end

-- ---- decisions -------------------------------------------------------------------------------------------

-- Reports whether the current window shows a proposal.
function M.is_current() return is_open() and vim.api.nvim_get_current_tabpage() == view.tab end

-- The hunk of the line of the right side, from 0. A hunk that only deletes is at the lines around it.
local function hunk_at(line)
  local near
  for _, hunk in ipairs(file().hunks) do
    local lines = hunk.lines
    if lines and line >= lines.start and line < lines['end'] then return hunk end
    if lines and lines.start == lines['end'] and (line == lines.start or line == lines.start - 1) then near = near or hunk end
  end
  return near
end

-- What is selected: the hunk under the cursor, the file, lines { first, last } from 1 of the right side, or all.
local function selection(what, lines)
  if lines then
    local digest = vim.b[proposed()].forge_digest
    return { lines = { { path = file().path, start = lines[1] - 1, ['end'] = lines[2], digest = digest } } }
  end
  if what == 'file' then return { files = { file().path } } end
  if what == 'all' then return nil end
  local hunk = hunk_at(vim.api.nvim_win_get_cursor(view.proposed)[1] - 1)
  return hunk and { hunks = { hunk.id } }, not hunk and 'there is no open hunk under the cursor' or nil
end

-- Accepts (apply) or rejects what is selected, and shows what is left. more are further arguments of the command.
function M.decide(verb, what, lines, more)
  if unwritten() then return end
  local select, problem = selection(what, lines)
  if problem then return forge.say(problem, vim.log.levels.WARN) end
  local args = { proposalId = view.proposal.proposalId, select = select }
  require('forge.proposal').decide(verb, vim.tbl_extend('error', args, more or {}), view.client)
end

return M
