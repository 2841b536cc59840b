;;; cancel.el --- a run is cancelled while the model works  -*- lexical-binding: t -*-

;;; Code:

(require 'forge)
(setq forge-command (append (json-parse-string (getenv "SERVER") :array-type 'list) nil))

(defvar before nil "The text before the run.")

(step "start" t (switch-to-buffer (buffer "greet.go")) (setq before (text "greet.go")) (press #'forge-start))
(step "the server" (and (featurep 'eglot) (with-current-buffer (buffer "greet.go") (eglot-current-server)))
      (setq answers '("Trust and run"))
      (press (lambda () (interactive) (forge-run "add a package that shouts"))))
(step "the work on the change" (working "executor")
      (setq told nil)
      (press-in "greet.go" 1 #'forge-cancel))
(step "the cancelled run" (heard "is cancelled")
      (press-in "greet.go" 1 #'forge-runs))
(step "the run in the list" (and (get-buffer "*forge runs*")
                                 (with-current-buffer "*forge runs*" (string-search "cancelled  add a package that shouts" (buffer-string))))
      (unless (equal before (text "greet.go")) (finish nil "a cancelled run changed the text"))
      (when (hints "greet.go") (finish nil "a cancelled run proposed something")))

;;; cancel.el ends here
