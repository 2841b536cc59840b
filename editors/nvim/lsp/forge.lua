-- The server's configuration for vim.lsp.enable('forge'), Neovim 0.11 and newer. It works alone, without
-- the plugin beside it: copy this one file into the folder lsp of your configuration.

-- The text of a created file ends its last line, and so does each line of a buffer: Neovim would leave an empty line at the end.
local function without_last_end(changes)
  local created = {}
  for _, change in ipairs(changes) do
    if change.kind == 'create' then created[change.uri] = true end
    local edit = change.edits and #change.edits == 1 and change.edits[1]
    local at = edit and edit.range
    if edit and created[change.textDocument.uri] and at.start.line == 0 and at['end'].line == 0 and at['end'].character == 0 then
      edit.newText = edit.newText:gsub('\r?\n$', '')
    end
  end
end

-- Applies an edit as Neovim does, and attaches the server to the buffers that the edit made: the server verifies an edit by the
-- text that it receives, and an applied text is not on disk yet. The folder of a created file is made when the user saves it.
local function apply(err, params, ctx, config)
  without_last_end(params.edit.documentChanges or {})
  local result = vim.lsp.handlers['workspace/applyEdit'](err, params, ctx, config)
  for _, change in ipairs(params.edit.documentChanges or {}) do
    local buffer = change.textDocument and vim.uri_to_bufnr(change.textDocument.uri)
    if buffer and vim.api.nvim_buf_is_loaded(buffer) then
      vim.lsp.buf_attach_client(buffer, ctx.client_id)
      vim.api.nvim_create_autocmd('BufWritePre', {
        buffer = buffer,
        once = true,
        callback = function(args) vim.fn.mkdir(vim.fs.dirname(args.file), 'p') end,
      })
    end
  end
  return result
end

return {
  cmd = { 'forge', 'lsp' },
  -- Outlines, symbols and search work for all of these; docs/gates.md lists the languages that gates check.
  filetypes = {
    'go', 'gomod', 'gowork', 'python', 'typescript', 'typescriptreact', 'javascript', 'javascriptreact', 'rust', 'java', 'c', 'cpp', 'cs',
    'ruby', 'php', 'kotlin', 'swift', 'scala', 'sh', 'bash', 'lua', 'sql', 'markdown', 'yaml', 'toml',
  },
  root_markers = { 'go.work', 'go.mod', '.git' },
  -- A run starts from the text on the screen. Neovim delays changes by 150 ms, and a command flushes one
  -- buffer at most; so every change is sent at once.
  flags = { debounce_text_changes = 0 },
  -- Neovim creates, renames and deletes files for a server, but does not announce it. The confirmations of Neovim 0.12, one for
  -- each edit and without its text, are not announced: hints in the files show the lines.
  before_init = function(params)
    local edit = params.capabilities.workspace.workspaceEdit
    edit.documentChanges, edit.changeAnnotationSupport = true, nil
  end,
  handlers = { ['workspace/applyEdit'] = apply },
}
