;;; resume.el --- the editor is started again after closed.el  -*- lexical-binding: t -*-

;;; Code:

(require 'forge)
(setq forge-command (append (json-parse-string (getenv "SERVER") :array-type 'list) nil))

(defvar before nil "The text before the run goes on.")

(step "start" t
      (setq answers '("Resume" "Show") before (text "greet.go"))
      (switch-to-buffer (buffer "greet.go"))
      (press #'forge-start))
(step "the offer to resume the run" (heard "a run was interrupted: \"add a package that shouts\""))
(step "its proposal" (= 5 (length (hints "greet.go")))
      (when (or (heard "Do you trust") (heard "Implement this specification")) (finish nil "what was answered is asked again"))
      (unless (equal before (text "greet.go")) (finish nil "the text was changed before consent"))
      (setq told nil)
      (press-in "greet.go" 1 #'forge-accept))
(step "all of it" (and (heard "3 of 3 files applied") (string-search "func Bow(" (text "greet.go")) (string-search "func Shout(" (text "loud/loud.go"))))

;;; resume.el ends here
