;;; crlf.el --- files with CRLF, whose carriage returns Emacs does not show  -*- lexical-binding: t -*-

;;; Code:

(require 'forge)
(setq forge-command (append (json-parse-string (getenv "SERVER") :array-type 'list) nil))
(add-to-list 'auto-mode-alist '("\\.txt\\'" . go-mode))

(defun bytes (name)
  "The bytes of a file."
  (with-temp-buffer
    (set-buffer-multibyte nil)
    (insert-file-contents-literally (path name))
    (buffer-string)))

(defun saved (opened closed)
  "Save all buffers; whether opened.txt and closed.txt have these bytes, OPENED and CLOSED."
  (save-some-buffers t)
  (and (equal (bytes "opened.txt") opened) (equal (bytes "closed.txt") closed)))

(step "start" t (switch-to-buffer (buffer "greet.go")) (press #'forge-start))
(step "the server" (and (featurep 'eglot) (with-current-buffer (buffer "greet.go") (eglot-current-server)))
      (setq answers '("Trust and run" "Show"))
      (press (lambda () (interactive) (forge--execute "forge.run" (list :task "write the second word large" :recipe "refactor")))))
(step "the proposal" (heard "2 hunks in 2 files") (switch-to-buffer (buffer "opened.txt")))
(step "the hint where the line is" (equal '(2) (hints "opened.txt"))
      (setq told nil)
      (press-in "opened.txt" 1 #'forge-edit))
(step "the proposed text" (get-buffer "*forge proposed opened.txt*")
      (when (with-current-buffer "*forge proposed opened.txt*" (string-search "\r" (buffer-string))) (finish nil "the proposed text shows carriage returns"))
      (press-in "opened.txt" 1 #'forge-accept))
(step "all of it" (and (heard "2 of 2 files applied") (null (hints "opened.txt"))))
(step "the saved files" (saved "one\r\nTWO\r\nand a half\r\nthree\r\n" "one\r\nTWO\r\nthree\r\n")
      (setq told nil)
      (press-in "opened.txt" 1 #'forge-undo))
(step "the undo as hints" (hints "opened.txt")
      (setq told nil)
      (press-in "opened.txt" 1 #'forge-accept))
(step "all of the undo" (heard "2 of 2 files applied"))
(step "the files as they were" (saved "one\r\ntwo\r\nthree\r\n" "one\r\ntwo\r\nthree\r\n"))

;;; crlf.el ends here
