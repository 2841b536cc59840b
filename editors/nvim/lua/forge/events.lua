-- What the plugin does with forge/event: questions are asked, red gates go to the quickfix list, the end of
-- a run is told. Everything else is in the progress messages that Neovim shows by itself.
local forge = require('forge')

local M = {}

local runs = {} -- by run id: { root, quickfix = id of its list, items }

local function run(id)
  runs[id] = runs[id] or { items = {} }
  return runs[id]
end

-- The first answer counts, so an answer given elsewhere makes this one void without harm. A dismissed
-- question sends nothing: the run goes on waiting, and the default is never taken for consent.
local function ask(event)
  local question = event.data
  vim.ui.select(question.choices, {
    prompt = 'Forge: ' .. question.title .. (question.detail and '\n' .. question.detail or ''),
    format_item = function(choice) return choice.title end,
    kind = 'forge.' .. question.kind,
  }, function(choice)
    if choice then
      forge.execute('forge.answer', { runId = event.runId, askId = question.askId, choice = choice.id })
    end
  end)
end

local severity = { error = 'E', warning = 'W', info = 'I' }

-- Findings are of the run's own tree; its paths are the same in the workspace, its lines may not be.
-- Those of what passed are left out, unless they are wanted too.
local function findings(event, gate, passed)
  local this = run(event.runId)
  if gate.verdict == 'pass' and not (passed and #gate.findings > 0) then return end
  for _, finding in ipairs(gate.findings or {}) do
    table.insert(this.items, {
      filename = finding.path and this.root and this.root .. '/' .. finding.path or nil,
      lnum = finding.line,
      col = finding.column,
      type = severity[finding.severity],
      text = ('%s, try %d: %s'):format(gate.name, event.data.attempt, finding.message),
    })
  end
  if #gate.findings == 0 then table.insert(this.items, { text = gate.name .. ': ' .. gate.verdict .. ' ' .. gate.summary }) end
  local what = { title = 'Forge ' .. event.runId, items = this.items }
  if this.quickfix and vim.fn.getqflist({ id = this.quickfix }).id == this.quickfix then
    vim.fn.setqflist({}, 'r', vim.tbl_extend('force', what, { id = this.quickfix }))
  else
    vim.fn.setqflist({}, ' ', what)
    this.quickfix = vim.fn.getqflist({ id = 0 }).id
  end
end

-- What a reviewer says: of code it was asked about, or of what a run has written.
local function reviewed(event)
  local review, this = event.data.review, run(event.runId)
  findings(event, review, true)
  if this.only and #review.findings > 0 then vim.cmd.copen() end
end

local handlers = {
  ['run.started'] = function(event) run(event.runId).root = vim.uri_to_fname(event.data.folder) end,
  ask = ask,
  ['gate.finished'] = function(event) findings(event, event.data.gate) end,
  review = reviewed,
  answer = function(event) require('forge.reading').show('answer-' .. event.runId, event.data.text) end,
  spec = function(event)
    forge.say(('version %d of the specification: %s; :ForgeSpec shows it'):format(event.data.version, event.data.changelog))
  end,
  graph = function(event)
    for _, node in ipairs(event.data.nodes) do
      run(event.runId).only = run(event.runId).only or vim.startswith(node.kind, 'only ')
    end
  end,
  proposal = function(event)
    forge.preview(event.data.proposalId)
    forge.say(('%d hunks in %d files; :ForgeProposal shows them, code actions accept or reject'):format(event.data.hunks, event.data.files))
  end,
  ['run.ended'] = function(event)
    local good = event.data.state == 'succeeded'
    local reason = event.data.reason and ': ' .. event.data.reason or ''
    forge.say('run ' .. event.runId .. ' ' .. event.data.state .. reason, good and vim.log.levels.INFO or vim.log.levels.WARN)
    runs[event.runId] = nil
  end,
}

-- Takes one event. Types it does not know are for richer clients, or newer than this plugin.
function M.handle(event)
  local handler = handlers[event.type]
  if handler then handler(event) end
end

return M
