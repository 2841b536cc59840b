;;; drive.el --- a user at a real Emacs, on a terminal  -*- lexical-binding: t -*-

;; emacs -nw -Q -l drive.el, with these settings in the environment:
;;   SERVER     the server's command line, as a JSON list
;;   WORKSPACE  folder with greet.go
;;   LISP       the folder editors/emacs
;;   OUT        the file for what was seen, one JSON object on each line
;;   SCENARIO   the file of the steps
;;   PATIENCE   seconds that a step may wait
;;
;; The steps run one after the other from a timer, and each waits for its condition: nothing sleeps.  Commands are keys that are
;; put into the input, so that Emacs reads them as a user's.

;;; Code:

(require 'cl-lib)
(require 'json)
(require 'project)
(require 'flymake)

(setq make-backup-files nil auto-save-default nil create-lockfiles nil native-comp-jit-compilation nil
      native-comp-enable-subr-trampolines nil use-short-answers t
      vc-handled-backends nil)

(defun saw (what &rest details)
  (write-region (concat (json-encode `(:saw ,what ,@details)) "\n") nil (getenv "OUT") t 'quiet))

(defun finish (ok &optional problem)
  (saw "end" :ok (if ok t json-false) :problem (or problem ""))
  (let ((confirm-kill-processes nil)) (kill-emacs (if ok 0 1))))

;;; What the user answers and is told

(defvar answers nil "The answers the user gives, where they are offered.")
(defvar told nil "The messages and questions, the last one first.")

(setq completing-read-function
      (lambda (prompt collection &rest _)
        (let* ((titles (all-completions "" collection))
               (answer (cl-find-if (lambda (title) (cl-some (lambda (begin) (string-prefix-p begin title)) answers)) titles)))
          (push prompt told)
          (saw "question" :prompt prompt :choices (vconcat titles) :answer (or answer ""))
          (or answer (finish nil (format "no answer known to %s" prompt))))))

(advice-add 'y-or-n-p :override
            (lambda (prompt)
              (push prompt told)
              (saw "question" :prompt prompt :answer "y")
              t))

(advice-add 'message :after
            (lambda (format &rest args)
              (when format
                (push (apply #'format-message format args) told)
                (saw "told" :text (car told)))))

(defvar progressed nil "What the server has reported of its work, the last one first.")

(with-eval-after-load 'eglot
  (cl-defmethod eglot-handle-notification :before (_server (_method (eql $/progress)) &key value &allow-other-keys)
    (push (or (plist-get value :message) "") progressed)
    (saw "progress" :message (car progressed))))

(defun working (text) "Whether the last report is about TEXT." (string-search text (or (car progressed) "")))

(defun heard (text) (cl-some (lambda (message) (string-search text message)) told))

;;; What the user sees and does

(defun path (name) (expand-file-name name (getenv "WORKSPACE")))
(defun buffer (name) (or (find-buffer-visiting (path name)) (find-file-noselect (path name))))
(defun text (name) (with-current-buffer (buffer name) (buffer-substring-no-properties (point-min) (point-max))))

(defun hints (name)
  "The lines of the hints of Forge in a file."
  (with-current-buffer (buffer name)
    (sort (cl-loop for d in (flymake-diagnostics)
                   when (string-search "proposed:" (flymake-diagnostic-text d))
                   collect (line-number-at-pos (flymake-diagnostic-beg d)))
          #'<)))

(defun last-hint ()
  "The line of the last hint of Forge in greet.go; nil if there is none at this moment."
  (car (last (hints "greet.go"))))

(defun goto-line-of (line)
  "Move to a line, counted from 1."
  (goto-char (point-min))
  (forward-line (1- line)))

(defun press (command)
  "Have Emacs read a key that is bound to COMMAND."
  (global-set-key (kbd "<f5>") command)
  (setq unread-command-events (append unread-command-events (list 'f5))))

(defun press-in (name line command)
  "Press COMMAND in a file, on a line."
  (switch-to-buffer (buffer name))
  (goto-line-of line)
  (press command))

(defun offered (title)
  "Whether a code action on the current line has a title that begins with TITLE."
  (cl-some (lambda (action) (string-prefix-p title (plist-get action :title)))
           (eglot-code-actions (line-beginning-position) (line-end-position))))

(defun code-action (title &optional line)
  "A command that takes the code action on the current line whose title begins with TITLE, once there is one.
Until the server has said where its hints are after an edit, they may be elsewhere, and a request to show the file may
move the point in between: LINE returns the line anew."
  (lambda ()
    (interactive)
    (with-timeout (patience)
      (when-let* ((now (and line (funcall line)))) (goto-line-of now))
      (while (not (offered title))
        (sleep-for 0.1)
        (when-let* ((now (and line (funcall line)))) (goto-line-of now))))
    (setq answers (cons title answers) last-nonmenu-event ?a)
    (eglot-code-actions (line-beginning-position) (line-end-position) nil t)))

;;; The steps

(defvar steps nil "A list of (NAME CONDITION ACTION), where ACTION may be nil.")

(defmacro step (name condition &rest action)
  "Once CONDITION holds, report NAME and run ACTION."
  `(setq steps (append steps (list (list ,name (lambda () ,condition) (lambda () ,@action))))))

(defvar patience (string-to-number (getenv "PATIENCE")) "Seconds that a step may wait.")
(defvar since nil "When the current step began to wait.")

(defun advance ()
  "Run the steps whose conditions hold."
  (condition-case problem
      (let ((step (car steps)))
        (setq since (or since (current-time)))
        (cond
         ((null steps) (finish t))
         ((funcall (nth 1 step))
          (setq steps (cdr steps) since nil)
          (saw "step" :name (nth 0 step))
          (funcall (nth 2 step)))
         ((> (float-time (time-since since)) patience)
          (finish nil (format "waited in vain for %s" (nth 0 step))))))
    (error (finish nil (error-message-string problem)))))

(define-derived-mode go-mode prog-mode "Go" "A mode for Go, which Emacs has only with a grammar.")
(add-to-list 'auto-mode-alist '("\\.go\\'" . go-mode))
(setq project-find-functions (list (lambda (_) (cons 'transient (file-name-as-directory (getenv "WORKSPACE"))))))
(add-to-list 'load-path (getenv "LISP"))
(condition-case problem (load (getenv "SCENARIO") nil t)
  (error (finish nil (error-message-string problem))))
(run-with-timer 0.05 0.05 #'advance)

;;; drive.el ends here
