package api

// Select selects parts of a proposal; the zero value selects all pending hunks.
type Select struct {
	Files []string `json:"files,omitempty" doc:"URIs or paths relative to the folder"`
	Hunks []string `json:"hunks,omitempty" doc:"ids of hunks"`
	Lines []Lines  `json:"lines,omitempty" doc:"lines of the proposed text; a hunk that they cover in part is split first"`
}

// Lines are lines of the proposed text of a file.
type Lines struct {
	Path  string `json:"path" doc:"URI, or path relative to the folder"`
	Start int    `json:"start" doc:"the first line, from 0"`
	End   int    `json:"end" doc:"the line after the last one"`
	// Digest says which text the lines are of: what the user types moves them.
	Digest string `json:"digest,omitempty" doc:"SHA-256 in hex of the document proposed in which the user has chosen the lines; if its text is another one now, the command fails and does nothing"`
}

// ProposalsArgs filter proposals.
type ProposalsArgs struct {
	All    bool   `json:"all,omitempty" doc:"include open proposals of earlier sessions, and of other windows on the folder"`
	Folder string `json:"folder,omitempty" doc:"URI of the workspace folder whose proposals are listed; without it those of all that are open"`
}

// ProposalRef names a proposal.
type ProposalRef struct {
	ProposalID string `json:"proposalId,omitempty" doc:"the proposal, also of an earlier session or another window; without it the last one"`
}

// PreviewArgs name a proposal and the parts of it to show.
type PreviewArgs struct {
	ProposalID string  `json:"proposalId,omitempty" doc:"the proposal, also of an earlier session or another window; without it the last one"`
	Select     *Select `json:"select,omitempty" doc:"not for a client to which the proposal is shown as hints: they are of all of it"`
}

// ProposalArgs name a proposal and the parts of it to apply.
type ProposalArgs struct {
	ProposalID string  `json:"proposalId,omitempty" doc:"the proposal, also of an earlier session or another window; without it the last one"`
	Select     *Select `json:"select,omitempty"`
	// Reviewed applies what the user has seen in a diff without another question about its risks.
	Reviewed bool `json:"reviewed,omitempty" doc:"the user has seen these changes in a diff, so only files that act on their own, such as scripts of CI, are asked about"`
	// AllowUnverified applies a change that the run did not accept, without a confirmation.
	AllowUnverified bool `json:"allowUnverified,omitempty" doc:"apply a change that the run did not accept, without asking the user"`
}

// RejectArgs name a proposal and the parts of it that the user rejects.
type RejectArgs struct {
	ProposalID string  `json:"proposalId,omitempty" doc:"the proposal; without it the last one"`
	Select     *Select `json:"select,omitempty"`
	Note       string  `json:"note,omitempty" doc:"why; kept with the hunks"`
	Retry      bool    `json:"retry,omitempty" doc:"start a run that does the task again, with the notes on all rejected hunks as the user's advice"`
}

// AmendArgs change the proposed text of a file.
type AmendArgs struct {
	ProposalID string `json:"proposalId,omitempty" doc:"the proposal; without it the last one"`
	Path       string `json:"path" doc:"the file of the proposal: URI, or path relative to the folder"`
	Text       string `json:"text" doc:"the user's own version of the whole proposed text, which is the text of the document proposed with changes"`
	// Digest says which text the user has changed: what they typed elsewhere since is missing from their version, and would be deleted.
	Digest string `json:"digest,omitempty" doc:"SHA-256 in hex of the document proposed that the user has changed; if its text is another one now, the command fails and does nothing"`
}

// CheckArgs name what gates are to judge.
type CheckArgs struct {
	ProposalID string `json:"proposalId,omitempty" doc:"the proposal; without it the last one"`
	What       string `json:"what,omitempty" doc:"accepted: the folder as it is, with what was accepted; open: also all that is not rejected. Without it accepted, or open if nothing was accepted or the user's own version of a file is open: then accepted is an error" enum:"accepted,open"`
}

// ProposalChanged is the notification forge/proposal: a proposal has changed by itself, because the check of the user's own version has
// ended. forge.proposal.get returns it.
type ProposalChanged struct {
	ProposalID string `json:"proposalId"`
}

// ProposalList lists proposals, newest first.
type ProposalList struct {
	Proposals []Proposal `json:"proposals"`
}

// Proposal is a run's result, hunk by hunk.
type Proposal struct {
	ProposalID  string         `json:"proposalId"`
	RunID       string         `json:"runId"`
	Title       string         `json:"title"`
	Folder      string         `json:"folder" doc:"URI of the folder that it changes"`
	Stored      bool           `json:"stored,omitempty" doc:"it was made in an earlier session, or in another window"`
	State       string         `json:"state" doc:"open while a hunk is pending or in conflict" enum:"open,closed"`
	Files       []ProposalFile `json:"files"`
	Gates       []Gate         `json:"gates" doc:"what the run checked, which is the whole proposal as the run made it"`
	Checks      Checks         `json:"checks"`
	Explanation string         `json:"explanation,omitempty" doc:"what the model says that it has changed and why, in its own words, which nothing has checked; a line for each part of a plan"`
	Unverified  string         `json:"unverified,omitempty" doc:"why the run did not accept the change, one reason per line; missing if it was accepted"`
	Diff        string         `json:"diff" doc:"unified diff of all files"`
}

// Checks reports whether gates have judged what the user takes of a proposal: what was accepted, or before that all that is not rejected.
type Checks struct {
	Of    string `json:"of" doc:"what the user takes: all of it as the run made it, a part, or a version of their own" enum:"whole,part,amended"`
	State string `json:"state" doc:"unchecked until gates have run on exactly this: by forge.proposal.check, or by themselves once the user pauses after a part was accepted or a text amended" enum:"checked,unchecked,checking"`
	Gates []Gate `json:"gates" doc:"the reports on it; empty if it is unchecked"`
	Note  string `json:"note,omitempty" doc:"a sentence for the user; missing if all of it was checked"`
}

// ProposalFile is one file of a proposal.
type ProposalFile struct {
	URI      string `json:"uri"`
	Path     string `json:"path" doc:"relative to the folder"`
	From     string `json:"from,omitempty" doc:"old path of a moved file"`
	Kind     string `json:"kind" enum:"create,update,delete,move"`
	State    string `json:"state" enum:"pending,accepted,partial,rejected,conflict"`
	Adds     int    `json:"adds" doc:"number of lines that its hunks add"`
	Removes  int    `json:"removes" doc:"number of lines that its hunks remove"`
	Amended  bool   `json:"amended,omitempty" doc:"the user has changed the proposed text"`
	Merged   string `json:"merged,omitempty" doc:"how the changes of several parts of a plan became this one"`
	Base     string `json:"base" doc:"URI of a document with the text of the file as it is now, empty if there is no file"`
	Proposed string `json:"proposed" doc:"URI of a document with that text and all hunks that are not rejected"`
	Hunks    []Hunk `json:"hunks"`
}

// Hunk is one region of a file. Its range is that of the text before the edit.
type Hunk struct {
	ID      string `json:"id"`
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
	Lines   *Span  `json:"lines,omitempty" doc:"its lines in the document proposed; missing if it is not in it"`
	At      *Span  `json:"at,omitempty" doc:"the lines that it replaces in the document base, the file as it is now; missing if it is not in proposed"`
	Level   string `json:"level" doc:"how exactly the model's edit matched" enum:"exact,trailing-space,unicode,indentation,context-subset,likeness"`
	Risk    string `json:"risk,omitempty" enum:"inexact,delete,move,scope,rebased,look,control"`
	State   string `json:"state" enum:"pending,accepted,rejected,conflict"`
	Note    string `json:"note,omitempty" doc:"why the user rejected it"`
}

// Span are lines of a document.
type Span struct {
	Start int `json:"start" doc:"the first line, from 0"`
	End   int `json:"end" doc:"the line after the last one; equal to start if the hunk only deletes"`
}

// ApplyResult reports the effect of an apply, preview or reject, verified against the current files.
type ApplyResult struct {
	ProposalID string      `json:"proposalId"`
	Files      []FileState `json:"files"`
	Checkpoint string      `json:"checkpoint,omitempty" doc:"run id to undo, if something was applied"`
	Message    string      `json:"message,omitempty" doc:"a sentence about the whole, such as that only a part is in the files and was not checked as a part"`
	Checks     Checks      `json:"checks"`
	Run        *RunResult  `json:"run,omitempty" doc:"reject with retry: the run that does the task again"`
}

// FileState is the result for one file.
type FileState struct {
	URI     string `json:"uri"`
	State   string `json:"state" doc:"sent: the editor said that it applied the edit and has not shown it yet; it is verified when it does" enum:"applied,partial,skipped,conflict,sent"`
	Message string `json:"message,omitempty"`
}
