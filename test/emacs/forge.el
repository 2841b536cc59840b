;;; forge.el --- the main job with editors/emacs/forge.el  -*- lexical-binding: t -*-

;;; Code:

(require 'forge)
(setq forge-command (append (json-parse-string (getenv "SERVER") :array-type 'list) nil))

(defvar before nil "The text before the run.")

(step "start" t (switch-to-buffer (buffer "greet.go")) (setq before (text "greet.go")) (press #'forge-start))
(step "the server" (and (featurep 'eglot) (with-current-buffer (buffer "greet.go") (eglot-current-server)))
      (setq answers '("Trust and run" "Show"))
      (press (lambda () (interactive) (forge-run "add a package that shouts"))))
(step "the run" (heard "started"))
(step "two hints" (and (heard "4 hunks in 3 files") (= 2 (length (hints "greet.go"))))
      (unless (equal before (text "greet.go")) (finish nil "the text was changed before consent"))
      (setq told nil)
      (press-in "greet.go" (last-hint) (code-action "Forge: accept hunk f1h2" #'last-hint)))
(step "the accepted hunk" (string-search "func Bye(" (text "greet.go")))
(step "the result of the accept" (heard "1 of 1 files applied")
      (when (heard "0 of 1") (finish nil "a failure was reported that did not happen"))
      (press #'forge-proposal))
(step "the proposal as a diff" (and (get-buffer "*forge proposal*")
                                    (with-current-buffer "*forge proposal*" (string-search "+++ b/loud/loud.go" (buffer-string))))
      (setq told nil)
      (press-in "greet.go" 1 #'forge-accept))
(step "all of it" (and (heard "3 of 3 files applied") (null (hints "greet.go"))))
(step "the created file, not saved" (and (string-search "func Shout(" (text "loud/loud.go")) (not (file-exists-p (path "loud/loud.go"))))
      (save-some-buffers t))
(step "the saved file" (file-exists-p (path "loud/loud.go"))
      (setq told nil)
      (press-in "greet.go" 1 #'forge-undo))
(step "the undo as hints" (hints "greet.go")
      (setq told nil)
      (press-in "greet.go" 1 #'forge-accept))
(step "the text as it was" (equal before (text "greet.go")))
(step "the created file to go" (not (file-exists-p (path "loud/loud.go"))))

;;; forge.el ends here
