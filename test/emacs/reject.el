;;; reject.el --- lines, a file and all of a proposal are rejected  -*- lexical-binding: t -*-

;;; Code:

(require 'forge)
(setq forge-command (append (json-parse-string (getenv "SERVER") :array-type 'list) nil))

(defvar before nil "The text before the run.")
(defconst proposed "*forge proposed greet.go*")

(defun shown (name text)
  "Whether the buffer NAME has TEXT."
  (and (get-buffer name) (with-current-buffer name (string-search text (buffer-string)))))

(defvar proposal nil "The proposal as it was read last.")

(defun read-proposal ()
  "Read the proposal."
  (setq proposal nil)
  (press-in "greet.go" 1 (lambda () (interactive) (forge--execute "forge.proposal.get" nil (lambda (p) (setq proposal p))))))

(defun states (path)
  "The states of the hunks of PATH, with the notes of the user."
  (cl-loop for f across (plist-get proposal :files)
           when (equal path (plist-get f :path))
           return (cl-loop for h across (plist-get f :hunks) collect (cons (plist-get h :state) (plist-get h :note)))))

(step "start" t (switch-to-buffer (buffer "greet.go")) (setq before (text "greet.go")) (press #'forge-start))
(step "the server" (and (featurep 'eglot) (with-current-buffer (buffer "greet.go") (eglot-current-server)))
      (setq answers '("Trust and run" "Show"))
      (press (lambda () (interactive) (forge-run "add a package that shouts"))))
(step "two hints" (= 2 (length (hints "greet.go")))
      (press-in "greet.go" 1 #'forge-edit))
(step "the proposed text" (and (shown proposed "takes leave") (shown proposed "func Bye("))
      (switch-to-buffer proposed)
      (goto-char (point-min))
      (search-forward "takes leave")
      (press #'forge-edit-reject))
(step "the proposed text without the line" (and (shown proposed "func Bye(") (not (shown proposed "takes leave")))
      (setq told nil)
      (press-in "greet.go" 1 (lambda () (interactive) (forge-reject-file "no new functions here"))))
(step "the rejected file" (and (heard "Forge: rejected") (null (hints "greet.go")))
      (read-proposal))
(step "its hunks with the note, and the others as they were"
      (and (states "greet.go") (cl-every (lambda (h) (equal h '("rejected" . "no new functions here"))) (last (states "greet.go")))
           (equal '(("pending")) (states "loud/loud.go")))
      (setq told nil)
      (press-in "greet.go" 1 (lambda () (interactive) (forge-reject "not now"))))
(step "all of it rejected" (heard "Forge: rejected")
      (read-proposal))
(step "with its note" (equal '(("rejected" . "not now")) (states "loud/loud.go"))
      (unless (equal before (text "greet.go")) (finish nil "a reject changed the text"))
      (when (file-exists-p (path "loud/loud.go")) (finish nil "a rejected file was created")))

;;; reject.el ends here
