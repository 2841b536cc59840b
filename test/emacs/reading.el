;;; reading.el --- a question, a review, a run that is cancelled  -*- lexical-binding: t -*-

;;; Code:

(require 'forge)
(setq forge-command (append (json-parse-string (getenv "SERVER") :array-type 'list) nil))

(defvar before nil "The text before all.")

(defun selected (command)
  "A command that runs COMMAND with the lines of Hello selected."
  (lambda ()
    (interactive)
    (goto-char (point-min))
    (search-forward "// Hello")
    (set-mark (line-beginning-position))
    (forward-line 2)
    (activate-mark)
    (call-interactively command)))

(step "start" t (switch-to-buffer (buffer "greet.go")) (setq before (text "greet.go")) (press #'forge-start))
(step "the server" (and (featurep 'eglot) (with-current-buffer (buffer "greet.go") (eglot-current-server)))
      (setq answers '("Yes, it may read them" "Trust"))
      (press-in "greet.go" 1 (selected (lambda () (interactive) (forge-ask "who is greeted?")))))
(step "the run of the question" (heard "started"))
(step "the answer" (cl-some (lambda (b) (with-current-buffer b (string-search "Whoever **name** names." (buffer-string)))) (buffer-list))
      (setq told nil)
      (press-in "greet.go" 1 (selected #'forge-review)))
(step "the run of the review" (heard "started"))
(step "what the reviewer found" (with-current-buffer (buffer "greet.go")
                                  (cl-some (lambda (d) (and (string-search "An empty name is greeted." (flymake-diagnostic-text d))
                                                            (= 5 (line-number-at-pos (flymake-diagnostic-beg d)))))
                                           (flymake-diagnostics)))
      (unless (equal before (text "greet.go")) (finish nil "a question or a review changed the text")))

;;; reading.el ends here
