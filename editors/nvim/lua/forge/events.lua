-- Handles forge/event: asks questions, puts the findings of failed gates into the quickfix list, and reports the end of
-- a run. Everything else is in the progress messages that Neovim shows by itself.
local forge = require('forge')

local M = {}

local runs = {} -- by run id: { root, quickfix = id of its list, items }

local function run(id)
  runs[id] = runs[id] or { items = {} }
  return runs[id]
end

local pages = {} -- by question: the window in which its details are read
local open = {} -- by question: the event of one that waits for its answer
local delayed = {} -- by question: the event of one that waits until the user pauses

-- The key of the question of an event: its id alone is one of each run.
local function key(event) return event.runId .. '/' .. event.data.askId end

-- Shows the details of a question in a window until it is answered: plans and specifications are too long for a prompt.
local function read(event)
  local detail = event.data.detail or ''
  if not detail:find('\n', 1, true) then return detail ~= '' and '\n' .. detail or '' end
  pages[key(event)] = require('forge.reading').show('question-' .. key(event), detail, event.client)
  vim.cmd.redraw()
  return ''
end

-- The first answer counts, so a later one does no harm.
local function answer(event, what)
  local args = vim.tbl_extend('error', { runId = event.runId, askId = event.data.askId }, what)
  forge.execute('forge.answer', args, function(result)
    if not result.accepted then forge.say('the question is already closed') end
  end, event.client)
end

-- The choices to write an answer instead, and to change what the question is about.
local own, edit = { title = 'Other answer…' }, { title = 'Edit the plan…' }

-- Prompts for a text. Without one it asks the question again.
local function write(event, again)
  vim.ui.input({ prompt = 'Forge: ' .. event.data.freeText .. ': ' }, function(text)
    if not text or vim.trim(text) == '' then return again(event) end
    answer(event, { text = vim.trim(text) })
  end)
end

-- Opens the file that a question is about. Writing it asks the question again.
local function edit_file(event, again)
  vim.cmd.split(vim.fn.fnameescape(event.data.file))
  vim.api.nvim_create_autocmd('BufWritePost', {
    group = vim.api.nvim_create_augroup('forge.' .. key(event), {}),
    buffer = 0,
    callback = vim.schedule_wrap(function()
      if open[key(event)] then again(event) end
    end),
  })
  forge.say('write the plan, or :Forge answer, to be asked again')
end

local ask_in_turn

-- A dismissed question sends nothing: the run keeps waiting, and the default is never taken for consent.
local function ask(event)
  local question = event.data
  delayed[key(event)] = nil
  local choices = vim.list_extend({}, question.choices)
  if question.freeText then table.insert(choices, own) end
  if question.file then table.insert(choices, edit) end
  vim.ui.select(choices, {
    prompt = 'Forge: ' .. question.title .. read(event),
    format_item = function(choice) return choice.title end,
    kind = 'forge.' .. question.kind,
  }, function(choice)
    if choice == own then return write(event, ask) end
    if choice == edit then return edit_file(event, ask_in_turn) end
    if choice then answer(event, { choice = choice.id }) end
  end)
end

local typed -- when the user last typed, in milliseconds; nil until a question had to wait

-- Whether the next key is not a part of something that the user types.
local function is_normal()
  local mode = vim.api.nvim_get_mode().mode
  return (mode == 'n' or mode == 'nt') and vim.fn.state('m') == '' -- no half of a mapping
end

-- Asks a question once the user has paused in normal mode for a second.
local function ask_later(event)
  vim.defer_fn(function()
    if delayed[key(event)] ~= event then return end
    if is_normal() and vim.uv.now() - typed > 1000 then return ask(event) end
    ask_later(event)
  end, 500)
end

-- Asks the question of an event. Keys that the user types for something else are no answer: in any other mode than normal, the question waits.
function ask_in_turn(event)
  open[key(event)] = event
  if is_normal() then return ask(event) end
  forge.say('a question waits; :Forge answer asks it')
  if not typed then vim.on_key(function() typed = vim.uv.now() end) end
  typed, delayed[key(event)] = vim.uv.now(), event
  ask_later(event)
end

-- Closes the details of an answered question.
local function answered(event)
  local id = key(event)
  local page = pages[id]
  pages[id], open[id], delayed[id] = nil, nil, nil
  if page and vim.api.nvim_win_is_valid(page) and #vim.api.nvim_list_wins() > 1 then vim.api.nvim_win_close(page, true) end
end

-- Asks the questions again that wait for an answer, with what is unsaved in their files; returns how many.
function M.ask_again()
  local waiting = vim.tbl_values(open)
  for _, event in ipairs(waiting) do
    local buffer = event.data.file and vim.fn.bufnr(event.data.file) or -1
    if buffer ~= -1 and vim.bo[buffer].modified then
      vim.api.nvim_buf_call(buffer, function() vim.cmd('silent noautocmd write') end)
    end
    ask(event)
  end
  return #waiting
end

local severity = { error = 'E', warning = 'W', info = 'I' }

-- Findings are of the run's own tree; its paths are the same in the workspace, its lines may not be.
-- Findings of gates that passed are left out, unless passed is set. The name of a gate in a part of a plan includes the part.
local function findings(event, gate, passed)
  local this, part = run(event.runId), event.data.node:match('^[^/]*/') or ''
  if gate.verdict == 'pass' and not (passed and #gate.findings > 0) then return end
  for _, finding in ipairs(gate.findings or {}) do
    table.insert(this.items, {
      filename = finding.path and this.root and this.root .. '/' .. finding.path or nil,
      lnum = finding.line,
      col = finding.column,
      type = severity[finding.severity],
      text = ('%s, attempt %d: %s'):format(part .. gate.name, event.data.attempt, finding.message),
    })
  end
  if #gate.findings == 0 then table.insert(this.items, { text = part .. gate.name .. ': ' .. gate.verdict .. ' ' .. gate.summary }) end
  local what = { title = 'Forge ' .. event.runId, items = this.items }
  if this.quickfix and vim.fn.getqflist({ id = this.quickfix }).id == this.quickfix then
    vim.fn.setqflist({}, 'r', vim.tbl_extend('force', what, { id = this.quickfix }))
  else
    vim.fn.setqflist({}, ' ', what)
    this.quickfix = vim.fn.getqflist({ id = 0 }).id
  end
end

-- The findings of a review: of a request to review, or of a run's own change.
local function reviewed(event)
  local review, this = event.data.review, run(event.runId)
  findings(event, review, true)
  if this.only and #review.findings > 0 then vim.cmd.copen() end
end

local function count(number, what) return ('%d %s%s'):format(number, what, number == 1 and '' or 's') end

local handlers = {
  ['run.started'] = function(event) run(event.runId).root = vim.uri_to_fname(event.data.folder) end,
  ask = ask_in_turn,
  answered = answered,
  ['gate.finished'] = function(event) findings(event, event.data.gate) end,
  review = reviewed,
  answer = function(event) require('forge.reading').show('answer-' .. event.runId, event.data.text, event.client) end,
  spec = function(event)
    forge.say(('specification version %d: %s; :Forge spec shows it'):format(event.data.version, event.data.changelog))
  end,
  graph = function(event)
    for _, node in ipairs(event.data.nodes) do
      run(event.runId).only = run(event.runId).only or vim.startswith(node.kind, 'only ')
    end
  end,
  proposal = function(event)
    require('forge.proposal').preview(event.data.proposalId, event.client)
    local size = ('%s in %s'):format(count(event.data.hunks, 'hunk'), count(event.data.files, 'file'))
    local ready = event.data.unverified and 'the best change of the run is not verified: ' or 'a proposal is ready: '
    forge.say(ready .. size .. '; :Forge proposal shows it, :Forge accept and :Forge reject decide')
  end,
  ['run.ended'] = function(event)
    for id, question in pairs(open) do
      if question.runId == event.runId then
        open[id], delayed[id] = nil, nil
      end
    end
    local good = event.data.state == 'succeeded'
    local reason = event.data.reason and ': ' .. event.data.reason or ''
    local ended = 'run ' .. event.runId .. ' ' .. event.data.state .. reason
    forge.say(require('forge.remedies').after(ended, event.data.remedy), good and vim.log.levels.INFO or vim.log.levels.WARN)
    runs[event.runId] = { root = run(event.runId).root, items = {} } -- tests may be run in the background yet
  end,
}

-- Handles one event of a client. Unknown types are for other clients, or newer than this plugin.
function M.handle(event, client)
  event.client = client
  require('forge.status').see(event)
  local handler = handlers[event.type]
  if handler then handler(event) end
end

return M
