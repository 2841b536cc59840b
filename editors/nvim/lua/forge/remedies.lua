-- What the user can do about an error, by the name that the server gives: in the data of an error, or at the end of a run.
local M = {}

local ways = {
  key = 'store a key with `forge setup` in a terminal, then :Forge resume',
  model = 'choose another model (:help forge.setup()), then :Forge resume',
  limit = 'raise the limit with `forge resume --tokens`, `--usd` or `--minutes` in a terminal',
  trust = 'run the task again and trust the folder, or `forge trust` in a terminal',
  task = 'word the task differently',
  wait = ':Forge resume when the model answers again',
  answer = ':Forge resume asks the question again',
}

-- The names that have a way.
function M.names() return vim.tbl_keys(ways) end

-- A text with what helps after it. A remedy that is missing, or of a newer server, adds nothing.
function M.after(text, remedy)
  local way = ways[remedy]
  return way and ('%s\nWhat helps: %s'):format(text, way) or text
end

-- The message of an error of the server, with what helps.
function M.message(err) return M.after(err.message, type(err.data) == 'table' and err.data.remedy or nil) end

return M
