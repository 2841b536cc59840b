package main

// scene is one picture: an editor, and what the user types until the moment that is drawn.
type scene struct {
	name       string
	needs      string // file in the repository that is there if the editor is
	columns    int
	rows       int
	files      map[string]string // settings of the editor, in its home folder
	command    string            // of a shell, in the sample folder
	background string
	steps      []step
}

// step types keys once a text is on the screen.
type step struct {
	sees string
	keys []string // for tmux send-keys; texts are typed as they are
}

// task is what the user asks for in each scene.
const task = "add a package that shouts"

var scenes = []scene{
	{
		name: "neovim", needs: ".cache/nvim-0.10.4/nvim", columns: 124, rows: 32, background: "#14161b",
		files: map[string]string{"init.lua": `vim.opt.runtimepath:append(vim.env.ROOT .. '/editors/nvim')
vim.g.forge = { cmd = { vim.env.FORGE, 'lsp' } }
vim.opt.termguicolors, vim.opt.swapfile, vim.opt.laststatus = true, false, 3
vim.opt.statusline = "%f%m%=%{v:lua.require'forge'.status()} "
`},
		// A Neovim that runs through its own loader cannot start itself again as a server behind its terminal.
		command: `nvim=$ROOT/.cache/nvim-0.10.4/nvim
"$nvim" --headless --listen "$HOME/socket" -u "$HOME/init.lua" greet.go &
until [ -S "$HOME/socket" ]; do sleep 0.1; done
"$nvim" --remote-ui --server "$HOME/socket"`,
		steps: []step{
			{"Forge: scripted", []string{":Forge " + task, "Enter"}},
			{"2: Don't run", []string{"1", "Enter"}},
			{"2: Reject", []string{"1", "Enter"}},
			{"7 hunks proposed", []string{":messages clear | Forge proposal", "Enter"}},
			{"greet.go (1 of 3)", []string{"]", "c", ":", "C-u", "Escape"}},
			{"Forge: 7 hunks proposed", nil},
		},
	},
	{
		name: "emacs", needs: ".cache/emacs-30.1/emacs", columns: 110, rows: 36, background: "#1c1c1c",
		files: map[string]string{"init.el": `(add-to-list 'load-path (concat (getenv "ROOT") "/editors/emacs"))
(require 'forge)
(require 'project)
(setq forge-command (list (getenv "FORGE") "lsp") inhibit-startup-screen t use-short-answers t make-backup-files nil
      auto-save-default nil create-lockfiles nil native-comp-jit-compilation nil vc-handled-backends nil
      project-find-functions (list (lambda (_) (cons 'transient default-directory))))
(define-derived-mode go-mode prog-mode "Go" (setq-local comment-start "// "))
(modify-syntax-entry ?/ ". 12b" go-mode-syntax-table)
(modify-syntax-entry ?\n "> b" go-mode-syntax-table)
(font-lock-add-keywords 'go-mode '("\\_<\\(?:package\\|func\\|return\\|string\\)\\_>"))
(add-hook 'go-mode-hook (lambda () (setq font-lock-defaults '(nil))))
(add-to-list 'auto-mode-alist '("\\.go\\'" . go-mode))
(menu-bar-mode -1)
`},
		command: `"$ROOT/.cache/emacs-30.1/emacs" -nw -Q -l "$HOME/init.el" greet.go`,
		steps: []step{
			{"Hello greets", []string{"M-x", "forge-start", "Enter"}},
			{"Connected!", []string{"M-x", "forge-run", "Enter"}},
			{"what to do?", []string{task, "Enter"}},
			{"Choose an option", []string{"Enter"}},
			{"Implement this", []string{"Enter"}},
			{"7 hunks in 3 files", []string{"C-a", "C-k", "S", "Tab", "Enter"}},
			{"Flymake[0 0 5]", []string{"M-x", "forge-proposal", "Enter"}},
			{"+// Package greet greets people quietly.", nil},
		},
	},
	{
		name: "helix", needs: ".cache/helix/hx", columns: 110, rows: 24, background: "#3b224c",
		files: map[string]string{
			"helix/languages.toml": "[language-server.forge]\ncommand = \"forge\"\nargs = [\"lsp\"]\n[[language]]\nname = \"go\"\nlanguage-servers = [\"forge\"]\n",
			"helix/config.toml":    "[editor]\ntrue-color = true\nend-of-line-diagnostics = \"hint\"\n[editor.lsp]\ndisplay-messages = true\ndisplay-progress-messages = true\n",
		},
		command: `sed -i '1i // forge: ` + task + `\n' greet.go; "$ROOT/.cache/helix/hx" greet.go`,
		steps: []step{
			{"// forge: " + task, []string{"%", "Space", "a"}},
			{"implement the selection", []string{"Enter"}},
			{"Trust and run", []string{"Enter"}},
			{"Implement this", []string{"Enter"}},
			{"Apply all", []string{"Tab", "Enter"}},
			{"quietly", []string{"g", "g", "]", "d", "Space", "a"}},
			{"accept hunk", nil},
		},
	},
	{
		name: "acp", needs: "test/acp/node_modules/acpx", columns: 110, rows: 44, background: "#1e1e1e",
		command: `PS1='$ '; export PS1; acpx() { node "$ROOT/test/acp/node_modules/acpx/dist/cli.js" "$@"; }; clear; ` +
			`echo '$ acpx --agent "forge acp" exec "` + task + `"'; acpx --agent "forge acp" --format text exec "` + task + `"; printf '\n$ '; sleep 100`,
		steps: []step{
			{"[execute]? (y/N)", []string{"y", "Enter"}},
			{"Implement this specification", []string{"y", "Enter"}},
			{"Apply this change to 3 files [edit]? (y/N)", nil},
		},
	},
}
