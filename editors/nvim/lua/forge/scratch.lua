-- Read-only texts in a window, which q closes.
local M = {}

local function buffer_of(name, filetype)
  local buffer = vim.fn.bufnr(name)
  if buffer == -1 then
    buffer = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(buffer, name)
    vim.bo[buffer].filetype = filetype
    vim.keymap.set('n', 'q', '<cmd>close<cr>', { buffer = buffer, desc = 'Close the window' })
  end
  return buffer
end

-- Shows lines of a client under a name, and returns the window; the same name shows in the same window.
function M.show(name, filetype, lines, client)
  local buffer = buffer_of(name, filetype)
  vim.b[buffer].forge_client = client
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  local open = vim.fn.bufwinid(buffer)
  if open ~= -1 then
    vim.api.nvim_set_current_win(open)
    return open
  end
  vim.cmd.split()
  vim.api.nvim_win_set_buf(0, buffer)
  return vim.api.nvim_get_current_win()
end

return M
