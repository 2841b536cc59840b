-- :checkhealth forge: the program, the running server, and what Forge itself finds (forge doctor).
local forge = require('forge')

local M = {}

local report = { ok = vim.health.ok, warning = vim.health.warn, missing = vim.health.error }

-- The checks of the server, or of the program if no server is running.
local function doctor(program)
  if forge.client() then
    local result, problem = forge.ask('forge.doctor', nil, 30000)
    return result and result.checks, problem
  end
  local config = forge.config()
  local done = vim.system({ program, 'doctor', '--json' }, { text = true, env = config.cmd_env }):wait(30000)
  local ok, result = pcall(vim.json.decode, done.stdout)
  return ok and result.checks or nil, done.stderr
end

local function server()
  local client = forge.client()
  if not client then return vim.health.info('no server is running; it starts with the first source file') end
  local status, problem = forge.ask('forge.status', nil, 5000)
  if not status then return vim.health.error('the server does not answer: ' .. problem) end
  vim.health.ok(('the server is running in %s, version %s'):format(client.config.root_dir or 'no folder', status.version))
  if status.model == '' then
    vim.health.error('there is no model', { 'forge setup stores a key; forge demo needs none' })
  else
    vim.health.ok('model: ' .. status.model)
  end
end

function M.check()
  vim.health.start('forge')
  local cmd = forge.config().cmd
  local program = vim.fn.exepath(cmd[1])
  if program == '' then
    return vim.health.error(cmd[1] .. ' is not a program', { "put forge on your PATH, or set it: require('forge').setup({ cmd = { '/path/to/forge', 'lsp' } })" })
  end
  vim.health.ok('program: ' .. program)
  server()
  vim.health.start('forge doctor')
  local checks, problem = doctor(program)
  if not checks then return vim.health.error('forge doctor failed: ' .. (problem or '')) end
  for _, check in ipairs(checks) do
    report[check.state](check.name .. ': ' .. check.detail)
  end
end

return M
