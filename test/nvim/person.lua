-- A person at a headless Neovim: types, selects, answers, and reports what it saw as JSON lines on stdout.
-- Nothing here sleeps: every wait is for a condition, and names it when it does not come true. It works in Neovim 0.7, too.
local M = {}

local patience = 300000 -- ms that one wait may take; a busy machine takes a minute for a plan
local vain = os.getenv('VAIN') -- the wait that a faulty server never ends: it is given up soon

-- Reports one observation.
function M.saw(what, details)
  io.stdout:write(vim.json.encode(vim.tbl_extend('force', { saw = what }, details or {})), '\n')
  io.stdout:flush()
end

-- Processes messages until the condition holds, and returns what it returned. Ends the drive otherwise.
function M.wait(what, condition)
  local value
  local function holds()
    value = condition()
    return value
  end
  local soon = vain and what:find(vain, 1, true)
  if vim.wait(soon and 5000 or patience, holds, 10) then return value end
  error('waited in vain for ' .. what, 0)
end

function M.check(what, condition)
  if not condition then error('not true: ' .. what, 0) end
  M.saw('checked', { what = what })
end

-- ---- answers -----------------------------------------------------------------------------------------

-- The titles the person picks wherever Forge asks, first match wins. A question that offers none of them is
-- a question the scenario does not know, and ends the drive.
M.answers = {}
-- The title of the code action the person wants now.
M.wanted = nil
-- What was asked, in order.
M.questions = {}

local unknown -- the first question nobody knows the answer to

local function pick(titles, wanted)
  for _, want in ipairs(wanted) do
    for i, title in ipairs(titles) do
      if title:find(want, 1, true) then return i end
    end
  end
end

-- Neovim 0.7 asks the server's questions by inputlist: the question, a line, and "1. title" for each choice.
vim.fn.inputlist = function(lines)
  local titles = {}
  for i = 3, #lines do titles[i - 2] = lines[i]:gsub('^%d+%. ', '') end
  local chosen = 0
  vim.ui.select(titles, { prompt = lines[1] }, function(_, index) chosen = index or 0 end)
  return chosen
end

vim.ui.select = function(items, opts, on_choice)
  local titles = vim.tbl_map(opts.format_item or tostring, items)
  local action = opts.kind == 'codeaction'
  local index = pick(titles, action and { M.wanted } or M.answers)
  M.saw(action and 'actions' or 'question', { prompt = opts.prompt, choices = titles, answer = index and titles[index] or vim.NIL })
  if not action then table.insert(M.questions, opts.prompt) end
  if not index then unknown = unknown or ('no answer known to %q, choices: %s'):format(opts.prompt or '', table.concat(titles, ' | ')) end
  on_choice(index and items[index] or nil, index)
end

-- What the person types where Forge asks for a text, in order; false closes the prompt, as Escape does.
M.typed = {}
-- What was asked for.
M.prompts = {}

vim.ui.input = function(opts, on_confirm)
  table.insert(M.prompts, opts.prompt)
  local text = table.remove(M.typed, 1)
  M.saw('prompt', { prompt = opts.prompt, typed = text or vim.NIL })
  on_confirm(text or nil)
end

-- What the person was told, by the server or by the plugin, in order.
M.told = {}

local function told(text)
  table.insert(M.told, text)
  M.saw('told', { text = text })
end
vim.notify = told

-- Takes an unanswered question as meant.
function M.forgive() unknown = nil end

-- Fails if something was asked or offered that the scenario does not know.
function M.nothing_unknown()
  if unknown then error(unknown, 0) end
end

-- ---- what the server sends ---------------------------------------------------------------------------

M.progress = {} -- by token: list of kinds
M.working = nil -- the message of the last progress

-- Watches a method and leaves what Neovim does with it as it is.
local function watch(method, report)
  local stock = vim.lsp.handlers[method]
  vim.lsp.handlers[method] = function(err, params, ctx, config)
    local result, problem = stock(err, params, ctx, config)
    report(params, result)
    return result, problem
  end
end

watch('$/progress', function(params)
  local kinds = M.progress[params.token] or {}
  M.progress[params.token] = kinds
  table.insert(kinds, params.value.kind)
  M.working = params.value.message or M.working
  M.saw('progress', { kind = params.value.kind, title = params.value.title, message = params.value.message })
end)
watch('window/showMessage', function(params) told(params.message) end)
watch('workspace/applyEdit', function(params, result) M.saw('applyEdit', { label = params.label, result = result }) end)

-- ---- what the person does and sees -------------------------------------------------------------------

-- Shows a file; one that is open already keeps its unsaved text.
function M.open(path)
  vim.cmd('buffer ' .. vim.fn.bufadd(path))
  return vim.api.nvim_get_current_buf()
end

function M.text(buffer) return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n') .. '\n' end

-- The hints of Forge in a file, in order of lines.
function M.hints(path)
  local found = vim.tbl_filter(function(d)
    return d.source == 'forge' and d.severity == vim.diagnostic.severity.HINT and vim.api.nvim_buf_get_name(d.bufnr) == path
  end, vim.diagnostic.get(nil))
  table.sort(found, function(a, b) return a.lnum < b.lnum end)
  return found
end

-- Waits for the server to offer an action, then takes it as a key mapping would. lines is { first, last }
-- of a selection, or nil for the cursor's line.
function M.act(title, lines)
  M.wanted = title
  if not lines then return vim.lsp.buf.code_action() end
  local first, last = { lines[1], 0 }, { lines[2], #vim.api.nvim_buf_get_lines(0, lines[2] - 1, lines[2], false)[1] }
  if vim.fn.has('nvim-0.8') == 0 then return vim.lsp.buf.range_code_action(nil, first, last) end
  vim.lsp.buf.code_action({ range = { start = first, ['end'] = last } })
end

-- Goes to the first hint of a file and takes an action there.
function M.act_on_hint(path, title)
  M.open(path)
  local hint = M.wait('a hint in ' .. path, function() return M.hints(path)[1] end)
  local line = math.min(hint.lnum + 1, vim.api.nvim_buf_line_count(0))
  vim.api.nvim_win_set_cursor(0, { line, 0 })
  M.act(title)
end

-- Waits for being told something.
function M.hear(part)
  M.wait('being told ' .. part, function()
    return #vim.tbl_filter(function(text) return text:find(part, 1, true) end, M.told) > 0
  end)
end

local function clients() return vim.lsp.get_clients and vim.lsp.get_clients() or vim.lsp.get_active_clients() end

function M.client()
  return vim.tbl_filter(function(client) return client.name == 'forge' end, clients())[1]
end

-- Closes Neovim as a user does, whatever runs.
function M.leave()
  M.saw('end', { ok = true })
  vim.cmd('qall')
end

-- Runs the scenario and ends Neovim: 0, or 1 after a line that says why.
function M.drive(scenario)
  vim.o.hidden, vim.o.swapfile = true, false
  local ok, problem = xpcall(scenario, function(e) return type(e) == 'string' and e or debug.traceback(vim.inspect(e)) end)
  if ok then ok, problem = pcall(M.nothing_unknown) end
  M.saw('end', { ok = ok, problem = not ok and (unknown or problem) or nil })
  -- A Neovim that leaves while it still writes to a server that has ended is ended by the signal of a broken pipe.
  for _, client in ipairs(clients()) do client.stop(true) end
  vim.wait(5000, function() return #clients() == 0 end)
  vim.cmd('cquit ' .. (ok and 0 or 1))
end

return M
