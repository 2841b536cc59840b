-- What changes nothing: questions, reviews, the specification. Answers and specifications are Markdown in a scratch window;
-- what a review finds is diagnostics of the server, with quick fixes, and in the quickfix list.
local forge = require('forge')
local scratch = require('forge.scratch')

local M = {}

-- Shows a text as Markdown, and returns its window.
function M.show(name, text)
  return scratch.show('forge://' .. name .. '.md', 'markdown', vim.split(text, '\n', { trimempty = true }))
end

local function started(result) forge.say('run ' .. result.runId .. ' has started') end

-- Answers a question about the current file, or the lines { first, last } of it. Without one the code is explained.
function M.ask(question, lines)
  forge.execute('forge.ask', { question = question ~= '' and question or nil, scope = forge.scope(lines) }, started)
end

-- Has the current file reviewed, or the lines { first, last } of it; or, with changes, what is not committed yet.
function M.review(lines, changes)
  forge.execute('forge.review', { scope = not changes and forge.scope(lines) or nil }, started)
end

-- Shows the specification of the folder; with a text that says what must hold, it is written or brought up to date.
function M.spec(prompt, lines)
  if prompt == '' and not lines then
    return require('forge.document').open('forge://spec/latest')
  end
  forge.execute('forge.spec.generate', { prompt = prompt ~= '' and prompt or nil, scope = lines and forge.scope(lines) }, started)
end

return M
