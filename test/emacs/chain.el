;;; chain.el --- from the request to the undo, with editors/emacs/forge.el  -*- lexical-binding: t -*-

;; Run, progress, question, look, accept one of three files (a new one), two of five hunks and three lines, check, amend, check again, undo.
;; again.el follows in another Emacs.

;;; Code:

(require 'forge)
(setq forge-command (append (json-parse-string (getenv "SERVER") :array-type 'list) nil))

(defvar before nil "The text before the run.")
(defconst proposed "*forge proposed greet.go*")

(defun hint (text)
  "The line of the hint of greet.go with TEXT, or nil."
  (with-current-buffer (buffer "greet.go")
    (cl-loop for d in (flymake-diagnostics)
             when (string-search text (flymake-diagnostic-text d)) return (line-number-at-pos (flymake-diagnostic-beg d)))))

(defun has (text) (string-search text (text "greet.go")))

(defun in-proposed (text command)
  "Press COMMAND in the proposed text, on the line with TEXT."
  (switch-to-buffer proposed)
  (goto-char (point-min))
  (search-forward text)
  (press command))

(defun accept-around ()
  "Accept the current line and those around it."
  (interactive)
  (set-mark (line-beginning-position 0))
  (goto-char (line-beginning-position 3))
  (activate-mark)
  (forge-edit-accept))

(step "start" t (switch-to-buffer (buffer "greet.go")) (setq before (text "greet.go")) (press #'forge-start))
(step "the server" (and (featurep 'eglot) (with-current-buffer (buffer "greet.go") (eglot-current-server)))
      (setq answers '("Trust and run" "Implement" "Show"))
      (press (lambda () (interactive) (forge-run "add a package that shouts"))))
(step "the run" (heard "started"))
(step "progress" progressed)
(step "the question about the specification" (heard "Implement this specification"))
(step "five hints" (= 5 (length (hints "greet.go")))
      (unless (equal before (text "greet.go")) (finish nil "the text was changed before consent"))
      (press-in "greet.go" 1 #'forge-proposal))
(step "the proposal as a diff" (and (get-buffer "*forge proposal*")
                                    (with-current-buffer "*forge proposal*" (string-search "+++ b/loud/loud.go" (buffer-string))))
      (setq told nil)
      (make-directory (path "loud") t)
      (with-current-buffer (buffer "loud/loud.go") (eglot--maybe-activate-editing-mode))
      (press-in "loud/loud.go" 1 #'forge-accept-file))
(step "one new file of three" (and (heard "loud.go: applied") (string-search "func Shout(" (text "loud/loud.go"))
                                   (not (file-exists-p (path "loud/loud.go")))))
(step "and no other" (equal before (text "greet.go"))
      (setq told nil)
      (press-in "greet.go" (hint "quietly") (code-action "Forge: accept hunk" (lambda () (hint "quietly")))))
(step "one hunk" (and (heard "greet.go: applied") (has "quietly") (hint "before noon"))
      (setq told nil)
      (press-in "greet.go" (hint "before noon") (code-action "Forge: accept hunk" (lambda () (hint "before noon")))))
(step "two hunks of five" (and (heard "greet.go: applied") (has "before noon") (not (has "at any time")) (not (has "before bed")))
      (press-in "greet.go" 1 #'forge-edit))
(step "the proposed text" (and (get-buffer proposed) (with-current-buffer proposed (string-search "func Bye(" (buffer-string))))
      (setq told nil)
      (in-proposed "takes leave" #'accept-around))
(step "three lines of a hunk" (and (heard "greet.go: applied") (has "func Bye(") (has "takes leave") (not (has "func Bow(")))
      (setq told nil)
      (press-in "greet.go" 1 #'forge-check))
(step "the check of the part" (and (heard "the part that you accepted is checked") (heard "pass: gofmt") (heard "pass: go test"))
      (kill-buffer proposed)
      (press-in "greet.go" 1 #'forge-edit))
(step "the proposed text again" (and (get-buffer proposed) (with-current-buffer proposed (string-search "before bed" (buffer-string))))
      (with-current-buffer proposed
        (goto-char (point-min))
        (search-forward "before bed")
        (replace-match "before midnight"))
      (setq told nil)
      (in-proposed "midnight" #'forge-edit-keep))
(step "the own version" (and (heard "your version is the proposal") (not (has "midnight")))
      (setq told nil)
      (press-in "greet.go" 1 #'forge-check))
(step "the check of the own version" (and (heard "your version is checked") (heard "pass: gofmt") (heard "pass: go test"))
      (setq told nil)
      (press-in "greet.go" 1 #'forge-accept-file))
(step "the own version in the file" (and (heard "greet.go: applied") (has "before midnight") (has "func Bow(") (null (hints "greet.go")))
      (save-some-buffers t)
      (setq told nil)
      (press-in "greet.go" 1 #'forge-undo))
(step "the undo as hints" (hints "greet.go")
      (setq told nil)
      (press-in "greet.go" 1 #'forge-accept))
(step "the text as it was" (equal before (text "greet.go")))
(step "the created file to go" (not (file-exists-p (path "loud/loud.go"))) (save-some-buffers t))

;;; chain.el ends here
