-- The component of the status line: the model when nothing runs; else the work, its seconds and its cost.
local forge = require('forge')

local M = {}

local live = {} -- by run id: { started, work, cost, asks }
local model, open -- the model of the last call, else of the settings; the open hunks of the last proposal
local asked -- whether the server was asked for its model
local clock

local function size(number, what) return ('%d %s%s'):format(number, what, number == 1 and '' or 's') end

-- Redraws every second while something runs.
local function tick()
  vim.cmd.redrawstatus({ bang = true })
  if next(live) or not clock then return end
  clock:stop()
  clock = nil
end

local readers = {
  ['run.started'] = function() end,
  model = function(_, data) model = data.model end,
  node = function(run, data)
    if data.status == 'RUNNING' then run.work = data.id end
  end,
  spent = function(run, data) run.cost = data.cost.text end,
  ask = function(run) run.asks = true end,
  answered = function(run) run.asks = false end,
  proposal = function(_, data) open = data.hunks end,
}

-- Reads an event of a run.
function M.see(event)
  if event.type == 'run.ended' then
    live[event.runId] = nil
    return tick()
  end
  local read = readers[event.type]
  if not read then return end
  live[event.runId] = live[event.runId] or { started = vim.uv.now(), work = 'starting' }
  read(live[event.runId], event.data)
  if not clock then
    clock = assert(vim.uv.new_timer())
    clock:start(1000, 1000, vim.schedule_wrap(tick))
  end
  tick()
end

-- Asks the server for its model, once.
local function ask()
  asked = true
  forge.execute('forge.status', nil, function(status)
    model = model or status.model
    tick()
  end)
end

-- The text: empty without a server.
function M.text()
  local client = forge.client()
  if not client then return '' end
  if not asked and client.initialized then ask() end
  local id, run = next(live)
  if not id then
    local idle = open and size(open, 'hunk') .. ' proposed' or model
    return idle and idle ~= '' and 'Forge: ' .. idle or 'Forge'
  end
  local parts = { run.asks and 'waits for your answer' or run.work, math.floor((vim.uv.now() - run.started) / 1000) .. ' s', run.cost }
  return 'Forge: ' .. table.concat(parts, ' · ')
end

local latest = {} -- by token: the last progress of it

-- Takes a progress message of the server. vim.lsp.status() joins all that have come since it was called last, each with its title, which is
-- longer than any line: only the latest of each is left there.
function M.progress(client, params)
  if not client or client.name ~= 'forge' then return end
  latest[params.token] = params
  client.progress:clear()
  for _, one in pairs(latest) do client.progress:push(one) end
  if params.value.kind == 'end' then latest[params.token] = nil end
end

-- Takes how many hunks of the last proposal the user has not decided about.
function M.proposed(hunks)
  open = hunks > 0 and hunks or nil
  tick()
end

return M
