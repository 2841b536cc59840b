-- Looking at what runs work with: skills, what a provider says of the folder, the prompt of a node. No model is asked.
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
    if #items == 0 then return forge.say('there are no skills here') end
    vim.fn.setqflist({}, ' ', { title = 'Forge skills', items = items })
    vim.cmd.copen()
  end)
end

-- Asks one provider: a name, then arguments as key=value, such as read_file path=go.mod. What a model would be told is shown.
function M.explore(words)
  local args = { provider = words[1] }
  for _, word in ipairs(vim.list_slice(words, 2)) do
    local key, value = word:match('^(%w+)=(.*)$')
    if not key then return forge.say('give arguments as key=value, as in: read_file path=go.mod', vim.log.levels.ERROR) end
    args[key] = tonumber(value) or value
  end
  forge.execute('forge.explore', args, function(result)
    require('forge.reading').show(result.provider, (result.failed and 'There is no answer: ' or '') .. result.text)
  end)
end

-- Shows what a node of a run would be sent first for a request, byte for byte.
function M.prompt(node, text)
  forge.execute('forge.context', { node = node, text = text }, function(result)
    local parts = vim.tbl_map(function(message) return '== ' .. message.role .. ' ==\n\n' .. message.text end, result.prompt.messages)
    require('forge.reading').show('prompt-' .. node, table.concat(parts, '\n\n'))
  end)
end

return M
