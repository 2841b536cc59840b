;;; again.el --- the editor is started again after chain.el  -*- lexical-binding: t -*-

;;; Code:

(require 'forge)
(setq forge-command (append (json-parse-string (getenv "SERVER") :array-type 'list) nil))

(defun listed (pattern)
  "The run that *forge runs* lists with PATTERN."
  (when (get-buffer "*forge runs*")
    (with-current-buffer "*forge runs*"
      (when (string-match pattern (buffer-string)) (match-string 1 (buffer-string))))))

(step "start" t (switch-to-buffer (buffer "greet.go")) (press #'forge-start))
(step "the server" (and (featurep 'eglot) (with-current-buffer (buffer "greet.go") (eglot-current-server)))
      (press-in "greet.go" 1 #'forge-runs))
(step "the run in the list" (listed "\\(r-[a-z0-9]+\\)  succeeded  add a package that shouts")
      (setq answers '("Show") told nil)
      (press-in "greet.go" 1 (lambda () (interactive) (forge-resume (listed "\\(r-[a-z0-9]+\\)  succeeded")))))
(step "its proposal again" (= 5 (length (hints "greet.go")))
      (press-in "greet.go" 1 #'forge-proposal))
(step "as a diff" (and (get-buffer "*forge proposal*")
                       (with-current-buffer "*forge proposal*" (string-search "+++ b/loud/loud.go" (buffer-string)))))

;;; again.el ends here
