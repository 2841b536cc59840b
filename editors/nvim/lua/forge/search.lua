-- Searches the folder, and puts the results into the quickfix list: files with their best lines and the
-- reason, then definitions.
local forge = require('forge')

local M = {}

-- The best line of a file, from 1; else the start of its best lines.
local function best(hit)
  if hit.best then return hit.best.line + 1, vim.trim(hit.best.text) end
  return hit.range and hit.range.start.line + 1 or 1, ''
end

local function items(result)
  local list = {}
  for _, hit in ipairs(result.hits) do
    local lnum, text = best(hit)
    table.insert(list, { filename = vim.uri_to_fname(hit.uri), lnum = lnum, text = ('%s (%s)'):format(text, hit.why) })
  end
  for _, symbol in ipairs(result.symbols) do
    table.insert(list, {
      filename = vim.uri_to_fname(symbol.uri),
      lnum = symbol.range.start.line + 1,
      text = ('%s %s %s'):format(symbol.kind, symbol.name, symbol.detail or ''),
    })
  end
  return list
end

-- Searches for a text in plain words, and opens the list.
function M.run(text)
  forge.execute('forge.search', { text = text }, function(result)
    local list = items(result)
    if #list == 0 then return forge.say('no results for ' .. text) end
    vim.fn.setqflist({}, ' ', { title = 'Forge search: ' .. text, items = list })
    vim.cmd.copen()
    if not result.complete then forge.say('still indexing the folder: there may be more') end
  end)
end

return M
