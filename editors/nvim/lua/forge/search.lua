-- Searches the folder, and puts what was found into the quickfix list: files with their best lines and the
-- reason they are there, then definitions.
local forge = require('forge')

local M = {}

-- The line that says most of a file, from 1; else where its best lines begin.
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

-- Finds what a text in plain words is about, and opens the list.
function M.run(text)
  forge.execute('forge.search', { text = text }, function(result)
    local list = items(result)
    if #list == 0 then return forge.say('nothing is about ' .. text) end
    vim.fn.setqflist({}, ' ', { title = 'Forge search: ' .. text, items = list })
    vim.cmd.copen()
    if not result.complete then forge.say('the folder is still being read: there may be more') end
  end)
end

return M
