;;; forge.el --- Forge in Emacs, by Eglot or lsp-mode  -*- lexical-binding: t -*-

;; Package-Requires: ((emacs "29.1"))
;; Keywords: languages, tools

;;; Commentary:

;; Registers the server, sends its commands, and applies the parts of its edits that Eglot does not: files that are created,
;; renamed and deleted.  It contains no logic: the server decides what a run does and what is applied.
;;
;;     (add-to-list 'load-path "/path/to/forge/editors/emacs")
;;     (require 'forge)
;;
;; Then M-x forge-start in a file of your project.  See docs/emacs.md.

;;; Code:

(require 'cl-lib)
(require 'subr-x)

(declare-function eglot--apply-workspace-edit "eglot")
(declare-function eglot--managed-buffers "eglot")
(declare-function eglot--signal-textDocument/didChange "eglot")
(declare-function eglot-current-server "eglot")
(declare-function eglot-path-to-uri "eglot")
(declare-function eglot-uri-to-path "eglot")
(declare-function eglot--pos-to-lsp-position "eglot")
(declare-function jsonrpc-async-request "jsonrpc")
(declare-function lsp--buffer-uri "lsp-mode")
(declare-function lsp--region-to-range "lsp-mode")
(declare-function lsp-register-client "lsp-mode")
(declare-function lsp-request-async "lsp-mode")
(declare-function lsp-stdio-connection "lsp-mode")
(declare-function make-lsp-client "lsp-mode")
(defvar eglot--managed-mode)
(defvar eglot-server-programs)
(defvar lsp-mode)

(defgroup forge nil "Runs whose result is an edit that you accept." :group 'tools)

(defcustom forge-command '("forge" "lsp")
  "Command line of the server."
  :type '(repeat string))

;;; Eglot

(with-eval-after-load 'eglot
  (defclass forge-eglot-server (eglot-lsp-server) () :documentation "Forge.")

  (cl-defmethod eglot-client-capabilities ((_server forge-eglot-server))
    (let ((all (cl-call-next-method)))
      (plist-put (plist-get all :workspace) :workspaceEdit
                 '(:documentChanges t :resourceOperations ["create" "rename" "delete"]))
      all))

  ;; The server verifies an edit by the text that it receives, so changes are sent before the answer.
  (cl-defmethod eglot-handle-request
    ((server forge-eglot-server) (_method (eql workspace/applyEdit)) &key edit &allow-other-keys)
    (forge--apply edit)
    (forge--flush server)
    '(:applied t)))

(defun forge--flush (server)
  "Send SERVER the changes that Eglot would send when Emacs is idle."
  (dolist (buffer (eglot--managed-buffers server))
    (when (buffer-live-p buffer)
      (with-current-buffer buffer (eglot--signal-textDocument/didChange)))))

(defun forge--apply (edit)
  "Apply EDIT as Eglot does, with the files that it creates, renames and deletes.
A buffer that Eglot does not manage is saved, because the server sees the disk only."
  (let (texts gone)
    (mapc (lambda (change)
            (pcase (plist-get change :kind)
              ("create" (forge--create (eglot-uri-to-path (plist-get change :uri))))
              ("rename" (forge--rename (eglot-uri-to-path (plist-get change :oldUri)) (eglot-uri-to-path (plist-get change :newUri))))
              ("delete" (push (eglot-uri-to-path (plist-get change :uri)) gone))
              (_ (push (forge--without-returns change) texts))))
          (plist-get edit :documentChanges))
    (when texts
      (eglot--apply-workspace-edit (list :documentChanges (vconcat (nreverse texts))) 'forge)
      (mapc #'forge--save-unmanaged (plist-get edit :documentChanges)))
    (mapc #'forge--delete gone)))

(defun forge--without-returns (change)
  "The text edit CHANGE without the carriage returns that Emacs writes itself: it shows none in the buffer of a file with CRLF."
  (with-current-buffer (find-file-noselect (eglot-uri-to-path (plist-get (plist-get change :textDocument) :uri)))
    (when (eq 1 (coding-system-eol-type buffer-file-coding-system))
      (mapc (lambda (edit) (plist-put edit :newText (string-replace "\r\n" "\n" (plist-get edit :newText))))
            (plist-get change :edits))))
  change)

(defun forge--create (path)
  "Visit the new file PATH; the user saves it."
  (make-directory (file-name-directory path) t)
  (find-file-noselect path))

(defun forge--rename (from to)
  "Rename the file FROM to TO, with the buffer that visits it."
  (make-directory (file-name-directory to) t)
  (rename-file from to)
  (when-let* ((buffer (find-buffer-visiting from)))
    (with-current-buffer buffer (set-visited-file-name to t t))))

(defun forge--delete (path)
  "Delete the file PATH, with the buffer that visits it."
  (when-let* ((buffer (find-buffer-visiting path)))
    (with-current-buffer buffer (set-buffer-modified-p nil))
    (kill-buffer buffer))
  (when (file-exists-p path) (delete-file path)))

(defun forge--save-unmanaged (change)
  "Save the buffer of the text edit CHANGE if Eglot does not manage it."
  (when-let* ((document (plist-get change :textDocument))
              (buffer (find-buffer-visiting (eglot-uri-to-path (plist-get document :uri)))))
    (with-current-buffer buffer
      (unless (bound-and-true-p eglot--managed-mode) (save-buffer)))))

;;;###autoload
(defun forge-start ()
  "Start Forge by Eglot in the project of the current buffer."
  (interactive)
  (require 'eglot)
  (let ((eglot-server-programs (list (cons major-mode (cons 'forge-eglot-server forge-command)))))
    (call-interactively #'eglot)))

;;; lsp-mode: it runs Forge beside the server of the language

(with-eval-after-load 'lsp-mode
  (lsp-register-client
   (make-lsp-client :new-connection (lsp-stdio-connection (lambda () forge-command))
                    :activation-fn (lambda (&rest _) (derived-mode-p 'prog-mode))
                    :add-on? t :server-id 'forge)))

;;; Commands

(defvar-local forge--origin nil "The buffer of the file whose proposed text this buffer has.")

(defun forge--execute (command args &optional done)
  "Send COMMAND with ARGS, a plist, and call DONE with its result.
The request is not waited for: the server may ask while it works."
  (forge--send "workspace/executeCommand" (list :command command :arguments (vector (or args (make-hash-table)))) (or done #'ignore)))

(defun forge--send (method params done)
  "Send a request of METHOD with PARAMS, and call DONE with its result."
  (with-current-buffer (if (buffer-live-p forge--origin) forge--origin (current-buffer))
    (let ((failed (lambda (problem) (message "Forge: %s" (forge--get problem :message)))))
      (cond
       ((and (featurep 'eglot) (eglot-current-server))
        (forge--flush (eglot-current-server))
        (jsonrpc-async-request (eglot-current-server) (intern (concat ":" method)) params
                               :success-fn done :error-fn failed :timeout 3600))
       ((bound-and-true-p lsp-mode)
        (lsp-request-async method params done :error-handler failed))
       (t (user-error "No Forge server here; M-x forge-start starts one"))))))

(defun forge--get (result key)
  "The field KEY of RESULT, which is a plist in Eglot and a hash table in lsp-mode."
  (if (hash-table-p result)
      (gethash (substring (symbol-name key) 1) result)
    (plist-get result key)))

(defun forge--scope ()
  "The current file, and the region if it is active."
  (let ((eglot (and (featurep 'eglot) (eglot-current-server))))
    (append
     (list :uri (if eglot (eglot-path-to-uri buffer-file-name) (lsp--buffer-uri)))
     (when (use-region-p)
       (list :range (if eglot
                        (list :start (eglot--pos-to-lsp-position (region-beginning))
                              :end (eglot--pos-to-lsp-position (region-end)))
                      (lsp--region-to-range (region-beginning) (region-end))))))))

(defun forge--started (run)
  "Report that RUN has started."
  (message "Forge: run %s started" (forge--get run :runId)))

(defun forge--rejected (_)
  "Report a reject; the server itself reports the result of an accept."
  (message "Forge: rejected"))

;;;###autoload
(defun forge-run (task)
  "Run TASK on the region or the file.
Without words the comment \"// forge: what to do\" is the task."
  (interactive "sForge: what to do? ")
  (forge--execute "forge.run" (append (unless (string-empty-p task) (list :task task)) (list :scope (forge--scope))) #'forge--started))

(defun forge-ask (question)
  "Answer QUESTION about the region or the file; without words explain it."
  (interactive "sForge: question? ")
  (forge--execute "forge.ask" (append (unless (string-empty-p question) (list :question question)) (list :scope (forge--scope))) #'forge--started))

(defun forge-review (changes)
  "Review the region or the file; with a prefix, that is with CHANGES, all uncommitted changes."
  (interactive "P")
  (forge--execute "forge.review" (unless changes (list :scope (forge--scope))) #'forge--started))

(defun forge-cancel ()
  "Cancel the last run."
  (interactive)
  (forge--execute "forge.cancel" nil
                  (lambda (run) (message "Forge: run %s is %s" (forge--get run :runId) (forge--get run :state)))))

(defun forge-resume (run)
  "Resume RUN; one that succeeded offers its proposal again.
Without an id it is the newest run that was interrupted."
  (interactive "sForge: run (empty is the last interrupted one)? ")
  (forge--execute "forge.resume" (unless (string-empty-p run) (list :runId run)) #'forge--started))

(defun forge-runs ()
  "List the runs of the folder, of any session, the newest first."
  (interactive)
  (forge--execute
   "forge.runs" '(:all t)
   (lambda (result)
     (forge--show "*forge runs*"
                  (mapconcat (lambda (run) (format "%s  %s  %s\n" (forge--get run :runId) (forge--get run :state) (forge--get run :task)))
                             (forge--get result :runs) "")
                  #'special-mode))))

(defun forge-accept ()
  "Accept all of the last proposal."
  (interactive)
  (forge--execute "forge.proposal.apply" nil))

(defun forge-accept-file ()
  "Accept the current file of the last proposal."
  (interactive)
  (forge--execute "forge.proposal.apply" `(:select (:files [,(forge--get (forge--scope) :uri)]))))

(defun forge-reject (note)
  "Reject all of the last proposal, with NOTE, which may be empty."
  (interactive "sForge: why? ")
  (forge--execute "forge.proposal.reject" (unless (string-empty-p note) (list :note note)) #'forge--rejected))

(defun forge-reject-file (note)
  "Reject the current file of the last proposal, with NOTE, which may be empty."
  (interactive "sForge: why? ")
  (forge--execute "forge.proposal.reject"
                  `(,@(unless (string-empty-p note) (list :note note)) :select (:files [,(forge--get (forge--scope) :uri)]))
                  #'forge--rejected))

(defun forge-undo ()
  "Propose to undo the last run."
  (interactive)
  (forge--execute "forge.undo" nil))

(defun forge--show (name text mode)
  "Show TEXT, which is not to be changed, in the buffer NAME in a major MODE."
  (with-current-buffer (get-buffer-create name)
    (let ((inhibit-read-only t))
      (erase-buffer)
      (insert text))
    (funcall mode)
    (setq buffer-read-only t)
    (goto-char (point-min))
    (display-buffer (current-buffer))))

(defun forge--verdicts (gates)
  "GATES with their verdicts, as lines."
  (mapconcat (lambda (gate) (format "%s: %s %s\n" (forge--get gate :verdict) (forge--get gate :name) (forge--get gate :summary))) gates ""))

(defun forge-proposal ()
  "Show the last proposal as a diff, with its gates."
  (interactive)
  (forge--execute
   "forge.proposal.get" nil
   (lambda (proposal)
     (forge--show "*forge proposal*"
                  (concat "# " (forge--get proposal :title) "\n"
                          (replace-regexp-in-string "^." "# \\&" (forge--verdicts (forge--get proposal :gates)))
                          (forge--get proposal :diff))
                  #'diff-mode))))

(defun forge-check ()
  "Run compilers, linters and tests on what was accepted of the proposal.
If nothing was, or the proposed text was changed, they run on all that is left."
  (interactive)
  (forge--execute
   "forge.proposal.check" nil
   (lambda (proposal)
     (let ((checks (forge--get proposal :checks)))
       (message "Forge: %s\n%s"
                (or (forge--get checks :note)
                    (pcase (forge--get checks :of)
                      ("part" "the part that you accepted is checked")
                      ("amended" "your version is checked")
                      (_ "all of the proposal is checked")))
                (forge--verdicts (forge--get checks :gates)))))))

;;; The proposed text of a file

(defvar-local forge--path nil "The path of that file in the proposal.")
(defvar-local forge--proposal nil "The id of that proposal.")
(defvar-local forge--digest nil "The digest of the proposed text as it was shown: the server refuses decisions about another text.")

(defvar forge-edit-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-c") #'forge-edit-keep)
    (define-key map (kbd "C-c C-a") #'forge-edit-accept)
    (define-key map (kbd "C-c C-k") #'forge-edit-reject)
    map)
  "Keys in the proposed text of a file.")

(define-minor-mode forge-edit-mode
  "Change the proposed text of a file, and decide about lines of it.
\\{forge-edit-mode-map}"
  :lighter " Proposed")

(defun forge-edit (&optional id)
  "Show the proposed text of the current file, to change it or to accept lines of it.
ID is the proposal, without it the last one."
  (interactive)
  (let ((origin (current-buffer)) (uri (forge--get (forge--scope) :uri)))
    (forge--execute
     "forge.proposal.get" (when id (list :proposalId id))
     (lambda (proposal)
       (let ((file (cl-find uri (forge--get proposal :files) :key (lambda (f) (forge--get f :uri)) :test #'equal)))
         (if (not file)
             (message "Forge: the proposal does not change this file")
           (with-current-buffer origin
             (forge--send "workspace/textDocumentContent" (list :uri (forge--get file :proposed))
                          (lambda (content)
                            (forge--edit origin (forge--get proposal :proposalId) (forge--get file :path) (forge--get content :text)))))))))))

(defun forge--edit (origin id path text)
  "Show TEXT, which the proposal ID has for PATH, beside the buffer ORIGIN of that file.
A text that the user has changed stays."
  (with-current-buffer (get-buffer-create (format "*forge proposed %s*" path))
    (if (buffer-modified-p)
        (message "Forge: you have changed the proposed text; C-c C-c makes that the proposal, C-x k discards it")
      (erase-buffer)
      (insert text)
      (delay-mode-hooks (funcall (buffer-local-value 'major-mode origin)))
      (setq forge--origin origin forge--path path forge--proposal id forge--digest (forge--digest text))
      (set-buffer-modified-p nil)
      (forge-edit-mode)
      (goto-char (point-min)))
    (pop-to-buffer (current-buffer))))

(defun forge--digest (text)
  "The digest of TEXT as the server computes it."
  (secure-hash 'sha256 (encode-coding-string text 'utf-8-unix)))

(defun forge--edited ()
  "The text of this buffer."
  (buffer-substring-no-properties (point-min) (point-max)))

(defun forge-edit-keep ()
  "Make the text of this buffer the proposal."
  (interactive)
  (let ((buffer (current-buffer)) (text (forge--edited)))
    (forge--execute "forge.proposal.amend" (list :proposalId forge--proposal :path forge--path :text text :digest forge--digest)
                    (lambda (proposal)
                      (when (buffer-live-p buffer)
                        (with-current-buffer buffer
                          (setq forge--digest (forge--digest text))
                          (when (equal text (forge--edited)) (set-buffer-modified-p nil))))
                      (message "Forge: your version is the proposal. %s" (or (forge--get (forge--get proposal :checks) :note) ""))))))

(defun forge--edit-lines ()
  "The lines of the region, or the current one, as an argument of a command."
  (when (buffer-modified-p) (user-error "You have changed the proposed text; C-c C-c makes that the proposal"))
  (let ((first (line-number-at-pos (if (use-region-p) (region-beginning) (point)) t))
        (last (line-number-at-pos (if (use-region-p) (max (region-beginning) (1- (region-end))) (point)) t)))
    `(:proposalId ,forge--proposal :select (:lines [(:path ,forge--path :start ,(1- first) :end ,last :digest ,forge--digest)]))))

(defun forge--edit-decide (command)
  "Send COMMAND about the lines of the region, or the current line, and show the proposed text as it is then."
  (let ((origin forge--origin) (id forge--proposal))
    (forge--execute command (forge--edit-lines)
                    (lambda (_) (when (buffer-live-p origin) (with-current-buffer origin (forge-edit id)))))))

(defun forge-edit-accept ()
  "Accept the lines of the region, or the current line."
  (interactive)
  (forge--edit-decide "forge.proposal.apply"))

(defun forge-edit-reject ()
  "Reject the lines of the region, or the current line."
  (interactive)
  (forge--edit-decide "forge.proposal.reject"))

(provide 'forge)
;;; forge.el ends here
