-- The tasks of a folder: those of runs, and drafts. The server decides which transitions are valid.
local forge = require('forge')

local M = {}

-- The state of a task, with the state of its run if that says more.
local function standing(task)
  if not task.runState or task.runState == 'running' then return task.state end
  return task.state .. ' (' .. task.runState .. ')'
end

local function say(task, what) forge.say(task.id .. ' ' .. what .. ': ' .. task.title) end

local function show(task, client)
  forge.execute('forge.task.show', { id = task.id }, function(whole)
    local lines = { '# ' .. whole.title, '', whole.id .. ' is ' .. standing(whole) .. (whole.runId and ', run ' .. whole.runId or '') }
    if whole.parent then table.insert(lines, 'Forked from ' .. whole.parent) end
    table.insert(lines, '')
    for _, move in ipairs(whole.moves or {}) do
      table.insert(lines, ('- %s: %s, was %s, by %s'):format(move.ts, move.to, move.from, move.source))
    end
    require('forge.reading').show(whole.id, table.concat(lines, '\n') .. '\n\n' .. whole.prompt, client)
  end, client)
end

local function begin(task, client)
  forge.execute('forge.run', { taskId = task.id }, function(run) forge.say('run ' .. run.runId .. ' started') end, client)
end

local function resume(task, client)
  forge.execute('forge.task.resume', { id = task.id }, function(result)
    if result.run then return forge.say('run ' .. result.run.runId .. ' continues') end
    say(result.task, 'is a draft again')
  end, client)
end

local function fork(task, client)
  forge.execute('forge.task.fork', { id = task.id }, function(draft) say(draft, 'is a new draft') end, client)
end

local function cancel(task, client)
  forge.execute('forge.task.move', { id = task.id, to = 'cancelled' }, function() say(task, 'is cancelled') end, client)
end

local function delete(task, client)
  forge.execute('forge.task.delete', { id = task.id }, function() say(task, 'is deleted') end, client)
end

-- The actions on a task. The server rejects an invalid transition and lists the valid ones.
local function actions(task)
  return {
    { title = 'Show', run = show },
    task.state == 'draft' and { title = 'Start', run = begin } or { title = 'Resume', run = resume },
    { title = 'Fork', run = fork },
    { title = 'Cancel', run = cancel },
    { title = 'Delete', run = delete },
  }
end

-- Lists the tasks of the folder, all or those that contain a text, and offers the actions of the one that the user picks.
function M.list(text)
  local command = text ~= '' and 'forge.task.search' or 'forge.task.list'
  forge.execute(command, { text = text ~= '' and text or nil }, function(result, client)
    if #result.tasks == 0 then return forge.say('no tasks found') end
    local function row(task) return standing(task) .. '  ' .. task.title .. '  ' .. task.id end
    vim.ui.select(result.tasks, { prompt = 'Forge: tasks', format_item = row }, function(task)
      if not task then return end
      local function title(action) return action.title end
      vim.ui.select(actions(task), { prompt = 'Forge: ' .. task.title, format_item = title }, function(action)
        if action then action.run(task, client) end
      end)
    end)
  end)
end

return M
