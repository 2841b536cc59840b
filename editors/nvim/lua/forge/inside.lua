-- Shows the inputs of runs: skills, the answers of a provider, the prompt of a node, and the results of gates on the
-- folder as it is. Asks no model.
local forge = require('forge')

local M = {}

-- Lists the skills that runs in the folder know; the quickfix list leads to their files.
function M.skills(kind)
  forge.execute('forge.skills', { type = kind ~= '' and kind or nil }, function(result)
    local items = vim.tbl_map(function(skill)
      return { filename = skill.source, lnum = 1, text = skill.name .. ': ' .. (skill.description or '') }
    end, result.skills)
    for _, problem in ipairs(result.problems) do
      table.insert(items, { filename = problem.source, lnum = 1, type = 'W', text = problem.reason })
    end
    if #items == 0 then return forge.say('no skills found') end
    vim.fn.setqflist({}, ' ', { title = 'Forge skills', items = items })
    vim.cmd.copen()
  end)
end

-- Asks one provider: a name, then arguments as key=value, such as read_file path=go.mod. Shows the answer that a model would get.
function M.explore(words)
  local args = { provider = words[1] }
  for _, word in ipairs(vim.list_slice(words, 2)) do
    local key, value = word:match('^(%w+)=(.*)$')
    if not key then return forge.say('write arguments as key=value, as in: read_file path=go.mod', vim.log.levels.ERROR) end
    args[key] = tonumber(value) or value
  end
  forge.execute('forge.explore', args, function(result, client)
    require('forge.reading').show(result.provider, (result.failed and 'Failed: ' or '') .. result.text, client)
  end)
end

-- Shows the first prompt of a node for a request, byte for byte.
function M.prompt(node, text)
  forge.execute('forge.context', { node = node, text = text }, function(result, client)
    require('forge.document').open(result.prompt.uri, client)
  end)
end

-- Runs the gates on a scratch copy of the folder. Their findings are diagnostics of the server, and in the quickfix list.
function M.validate()
  local sent = forge.execute('forge.validate', {}, function(result)
    if #result.gates == 0 then
      return forge.say('found no project to check; Forge checks projects of ' .. table.concat(result.found.known, ', '), vim.log.levels.WARN)
    end
    local root, items, closed = vim.uri_to_fname(result.folder), {}, {}
    for _, gate in ipairs(result.gates) do
      if gate.verdict ~= 'pass' then
        table.insert(closed, gate.name)
        table.insert(items, { text = gate.name .. ': ' .. gate.verdict .. ' ' .. gate.summary })
      end
      for _, finding in ipairs(gate.findings) do
        local file = finding.path and root .. '/' .. finding.path or nil
        table.insert(items, { filename = file, lnum = finding.line, col = finding.column, text = gate.name .. ': ' .. finding.message })
      end
    end
    vim.fn.setqflist({}, ' ', { title = 'Forge validate', items = items })
    if result.verdict == 'pass' then return forge.say('all gates passed') end
    forge.say('not passed: ' .. table.concat(closed, ', '), vim.log.levels.WARN)
    vim.cmd.copen()
  end)
  if sent then forge.say('running compilers, linters and tests') end
end

return M
