-- The runs of the folder, as a table in a scratch window.
local forge = require('forge')

local M = {}

-- A run in a line: its id, state, recipe, mode and profile, and task.
local function row(run)
  local way = vim.tbl_filter(function(said) return said and said ~= '' end, { run.recipe or '', run.mode or '', run.profile or '' })
  return ('| %s | %s | %s | %s |'):format(run.runId, run.state, table.concat(way, ' · '), (run.task:gsub('%s+', ' '):gsub('|', '\\|')))
end

-- Lists the runs of the folder, of any session, the newest first.
function M.list()
  forge.execute('forge.runs', { all = true }, function(result, client)
    if #result.runs == 0 then return forge.say('this folder has no runs') end
    local lines = { '| run | state | work | task |', '|---|---|---|---|' }
    vim.list_extend(lines, vim.tbl_map(row, result.runs))
    require('forge.reading').show('runs', table.concat(lines, '\n'), client)
  end)
end

return M
