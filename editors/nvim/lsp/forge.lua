-- The server's configuration for vim.lsp.enable('forge'), Neovim 0.11 and newer. It works alone, without
-- the plugin beside it: copy this one file into the folder lsp of your configuration.
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
}
