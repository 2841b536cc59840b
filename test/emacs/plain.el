;;; plain.el --- the main job with Eglot and nothing beside it  -*- lexical-binding: t -*-

;;; Code:

(require 'eglot)
(add-to-list 'eglot-server-programs (cons 'go-mode (append (json-parse-string (getenv "SERVER") :array-type 'list) nil)))

(defvar before nil "The text before the run.")

(defun execute (command)
  "A command that sends COMMAND to the server and waits for its reply, as Eglot does for code actions."
  (lambda ()
    (interactive)
    (eglot-execute (eglot-current-server) (list :command command :arguments (vector)))))

(step "start" t (switch-to-buffer (buffer "greet.go")) (setq before (text "greet.go")) (press #'eglot))
(step "the server" (with-current-buffer (buffer "greet.go") (eglot-current-server))
      (setq answers '("Trust and run" "Show"))
      (with-current-buffer (buffer "greet.go")
        (let ((inhibit-modification-hooks nil)) (goto-char (point-max)) (insert "\n// forge: add a package that shouts\n"))))
(step "the comment is sent" (with-current-buffer (buffer "greet.go") (null eglot--recent-changes))
      (setq before (text "greet.go"))
      (press-in "greet.go" (with-current-buffer (buffer "greet.go") (line-number-at-pos (1- (point-max)))) (code-action "Forge: implement the selection")))
(step "two hints" (and (heard "4 hunks in 3 files") (= 2 (length (hints "greet.go"))))
      (unless (equal before (text "greet.go")) (finish nil "the text was changed before consent"))
      (setq told nil)
      (press-in "greet.go" (last-hint) (code-action "Forge: accept hunk f1h2" #'last-hint)))
(step "the accepted hunk" (string-search "func Bye(" (text "greet.go")))
(step "the result of the accept" (heard "1 of 1 files applied")
      (when (heard "0 of 1") (finish nil "a failure was reported that did not happen"))
      (setq told nil)
      (press-in "greet.go" 1 (execute "forge.proposal.apply")))
(step "all of it" (and (null (hints "greet.go")) ; on a busy machine Emacs sends the changes of buffers one after another, and each is reported
                       (or (heard "3 of 3 files applied") (and (heard "1 of 1 files applied") (heard "2 of 2 files applied")))))
(step "the created file, not saved" (and (string-search "func Shout(" (text "loud/loud.go")) (not (file-exists-p (path "loud/loud.go"))))
      (setq told nil)
      (press-in "greet.go" 1 (execute "forge.undo")))
(step "the undo as hints" (hints "greet.go")
      (setq told nil)
      (press-in "greet.go" 1 (code-action "Forge: accept file")))
(step "the text as it was" (equal before (text "greet.go")))
(step "its result" (heard "1 of 1 files applied"))

;;; plain.el ends here
