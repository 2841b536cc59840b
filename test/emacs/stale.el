;;; stale.el --- the text changes while a proposed text is shown  -*- lexical-binding: t -*-

;; What is typed in the file moves the lines of the proposed text: lines and a version of the text that was shown before are refused, and what
;; was typed in the proposed text stays.  A newer proposal does not take its place.

;;; Code:

(require 'forge)
(setq forge-command (append (json-parse-string (getenv "SERVER") :array-type 'list) nil))

(defconst proposed "*forge proposed greet.go*")

(defun has (text) (string-search text (text "greet.go")))

(defun shown (text)
  "Whether the proposed text has TEXT."
  (and (get-buffer proposed) (with-current-buffer proposed (string-search text (buffer-string)))))

(defun in-proposed (text command)
  "Press COMMAND in the proposed text, on the line with TEXT."
  (switch-to-buffer proposed)
  (goto-char (point-min))
  (search-forward text)
  (setq told nil)
  (press command))

(step "start" t (switch-to-buffer (buffer "greet.go")) (press #'forge-start))
(step "the server" (and (featurep 'eglot) (with-current-buffer (buffer "greet.go") (eglot-current-server)))
      (setq answers '("Trust and run" "Show"))
      (press (lambda () (interactive) (forge-run "add a package that shouts"))))
(step "two hints" (= 2 (length (hints "greet.go")))
      (press-in "greet.go" 1 #'forge-edit))
(step "the proposed text" (shown "takes leave")
      (with-current-buffer (buffer "greet.go") (goto-char (point-min)) (insert "// typed\n\n"))
      (in-proposed "takes leave" #'forge-edit-accept))
(step "the lines to be refused" (heard "greet.go has changed since it was shown; look at it again")
      (when (has "Bye") (finish nil "lines of another text were taken"))
      (with-current-buffer proposed (goto-char (point-min)) (search-forward "takes leave") (replace-match "departs"))
      (setq told nil)
      (press-in "greet.go" 1 #'forge-edit))
(step "the own text to stay" (and (heard "you have changed the proposed text") (shown "departs"))
      (in-proposed "departs" #'forge-edit-keep))
(step "the own text to be refused" (and (heard "greet.go has changed since it was shown; look at it again") (shown "departs"))
      (unless (with-current-buffer proposed (buffer-modified-p)) (finish nil "a text that was refused is not marked as changed"))
      (kill-buffer proposed)
      (press-in "greet.go" 1 #'forge-edit))
(step "the text as it is" (shown "// typed")
      (in-proposed "takes leave" #'forge-edit-accept))
(step "the line in the file" (and (heard "greet.go: applied") (has "takes leave") (not (has "func Bye("))))
(step "the proposed text again" (and (shown "func Bye(") (with-current-buffer proposed (bobp)))
      (setq told nil)
      (press-in "greet.go" 1 #'forge-undo))
(step "a newer proposal" (heard "Undo: add a package")
      (in-proposed "func Bye(" #'forge-edit-accept))
(step "the next line of the one that is shown" (and (heard "greet.go: applied") (has "func Bye(") (has "takes leave")))

;;; stale.el ends here
