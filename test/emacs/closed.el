;;; closed.el --- Emacs is closed while the model works  -*- lexical-binding: t -*-

;; resume.el follows in another Emacs.

;;; Code:

(require 'forge)
(setq forge-command (append (json-parse-string (getenv "SERVER") :array-type 'list) nil))

(step "start" t (switch-to-buffer (buffer "greet.go")) (press #'forge-start))
(step "the server" (and (featurep 'eglot) (with-current-buffer (buffer "greet.go") (eglot-current-server)))
      (setq answers '("Trust and run" "Implement"))
      (press (lambda () (interactive) (forge-run "add a package that shouts"))))
(step "the question about the specification" (heard "Implement this specification"))
(step "the work on the change" (working "executor")
      (when (hints "greet.go") (finish nil "something is proposed too early"))
      (saw "end" :ok t :problem "")
      (let ((confirm-kill-processes nil)) (save-buffers-kill-emacs t)))

;;; closed.el ends here
