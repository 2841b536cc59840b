-- Questions, reviews and the specification. Answers and specifications are Markdown in a scratch window;
-- findings of a review are diagnostics of the server, with quick fixes, and in the quickfix list.
local forge = require('forge')
local scratch = require('forge.scratch')

local M = {}

-- Shows a text of a client as Markdown, and returns its window.
function M.show(name, text, client)
  return scratch.show('forge://' .. name .. '.md', 'markdown', vim.split(text, '\n', { trimempty = true }), client)
end

local function started(result) forge.say('run ' .. result.runId .. ' started') end

-- Answers a question about the current file, or the lines { first, last } of it. Without a question it explains the code.
function M.ask(question, lines)
  forge.execute('forge.ask', { question = question ~= '' and question or nil, scope = forge.scope(lines) }, started)
end

-- Reviews the current file, or the lines { first, last } of it; with changes, all uncommitted changes.
function M.review(lines, changes)
  forge.execute('forge.review', { scope = not changes and forge.scope(lines) or nil }, started)
end

-- Shows the specification of the folder; with a text that says what must hold, writes or updates it.
function M.spec(prompt, lines)
  if prompt == '' and not lines then
    local client = forge.client()
    return require('forge.document').open('forge://spec/latest', client and client.id)
  end
  forge.execute('forge.spec.generate', { prompt = prompt ~= '' and prompt or nil, scope = lines and forge.scope(lines) }, started)
end

return M
