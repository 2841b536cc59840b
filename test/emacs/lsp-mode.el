;;; lsp-mode.el --- the main job with editors/emacs/forge.el and lsp-mode  -*- lexical-binding: t -*-

;; LSP_MODE is the folder with the packages of lsp-mode.

;;; Code:

(dolist (package (directory-files (getenv "LSP_MODE") t "-[0-9.]+\\'")) (add-to-list 'load-path package))
(setq lsp-keymap-prefix "C-c l" lsp-auto-guess-root t lsp-diagnostics-provider :flymake lsp-enable-snippet nil
      lsp-headerline-breadcrumb-enable nil lsp-modeline-code-actions-enable nil lsp-lens-enable nil
      lsp-session-file (expand-file-name "session" user-emacs-directory))
(require 'lsp-mode)
(load "lsp-mode-autoloads" nil t)
(require 'forge)
(setq forge-command (append (json-parse-string (getenv "SERVER") :array-type 'list) nil))
(add-hook 'go-mode-hook #'lsp)

(defvar before nil "The text before the run.")

(defun offered-action (title)
  "A command that takes the code action on the line of the last hint whose title begins with TITLE."
  (lambda ()
    (interactive)
    (goto-line-of (last-hint))
    (let ((action (cl-find-if (lambda (a) (string-prefix-p title (lsp:code-action-title a))) (lsp-code-actions-at-point))))
      (if action (lsp-execute-code-action action) (finish nil (format "%s is not offered" title))))))

(step "start" t (switch-to-buffer (buffer "greet.go")) (setq before (text "greet.go")))
(step "the server" (with-current-buffer (buffer "greet.go")
                     (cl-some (lambda (w) (eq 'initialized (lsp--workspace-status w))) (lsp-workspaces)))
      (setq answers '("Trust and run" "Show"))
      (press-in "greet.go" 1 (lambda () (interactive) (forge-run "add a package that shouts"))))
(step "the run" (heard "started"))
(step "two hints" (and (heard "4 hunks in 3 files") (= 2 (length (hints "greet.go"))))
      (unless (equal before (text "greet.go")) (finish nil "the text was changed before consent"))
      (setq told nil)
      (press-in "greet.go" (last-hint) (offered-action "Forge: accept hunk f1h2")))
(step "the accepted hunk" (string-search "func Bye(" (text "greet.go")))
(step "the result of the accept" (heard "1 of 1 files applied")
      (when (heard "0 of 1") (finish nil "a failure was reported that did not happen"))
      (press-in "greet.go" 1 #'forge-proposal))
(step "the proposal as a diff" (and (get-buffer "*forge proposal*")
                                    (with-current-buffer "*forge proposal*" (string-search "+++ b/loud/loud.go" (buffer-string))))
      (setq told nil)
      (press-in "greet.go" 1 #'forge-accept))
(step "all of it" (and (heard "3 of 3 files applied") (string-search "func Shout(" (text "loud/loud.go")))
      (save-some-buffers t)
      (setq told nil)
      (press-in "greet.go" 1 #'forge-undo))
(step "the undo as hints" (hints "greet.go")
      (setq told nil)
      (press-in "greet.go" 1 #'forge-accept))
(step "the text as it was" (equal before (text "greet.go")))

;;; lsp-mode.el ends here
