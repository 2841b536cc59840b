package permission

import (
	"slices"
	"time"
)

// Scope is how long an answer holds.
type Scope string

// The scopes of answers.
const (
	No      Scope = "no" // the call is not allowed
	Once    Scope = "once"
	Run     Scope = "run"
	Project Scope = "project"
)

// Scopes lists those that allow something, the narrowest first.
func Scopes() []Scope { return []Scope{Once, Run, Project} }

func (s Scope) words() string {
	return map[Scope]string{Once: "this once", Run: "for this run", Project: "for this project"}[s]
}

// lifetimes is how long answers hold. A run that takes longer asks again.
var lifetimes = map[Scope]time.Duration{Once: 15 * time.Minute, Run: 24 * time.Hour, Project: 90 * 24 * time.Hour}

// Approval is the user's answer to the question about one call.
type Approval struct {
	Scope    Scope
	Run      string    // the run that asked
	Question string    // the id of the question, unique in the run
	Expires  time.Time // it holds until then
	Seal     string    // of all of these and of the call that was shown
}

// Approve returns the approval of the call with this digest, which the user was shown.
func Approve(shown string, scope Scope, run, question string, at time.Time) Approval {
	a := Approval{Scope: scope, Run: run, Question: question, Expires: at.Add(lifetimes[scope]).UTC()}
	a.Seal = a.seal(shown)
	return a
}

func (p Approval) seal(shown string) string {
	return digest(shown, string(p.Scope), p.Run, p.Question, p.Expires.UTC().Format(time.RFC3339Nano))
}

// NotCoveredError means that an approval does not hold for a call.
type NotCoveredError struct{ Code string }

// Error returns the reason for the model.
func (e *NotCoveredError) Error() string {
	return map[string]string{
		"user_denied":       "the user does not allow it: continue without",
		"approval_altered":  "the user's answer is for another call than this one, so nothing was done",
		"approval_expired":  "the user's answer has expired, so nothing was done: ask again",
		"approval_replayed": "the user allowed this once, and it was done: ask again",
	}[e.Code]
}

// Covers returns nil if the approval holds for an action: it is the one that was shown, the answer has not expired, and it was not used
// if it holds once.
func (p Approval) Covers(a Action, now time.Time, used bool) *NotCoveredError {
	switch {
	case p.Scope == No:
		return &NotCoveredError{"user_denied"}
	case !slices.Contains(Scopes(), p.Scope), p.Seal != p.seal(a.Digest()):
		return &NotCoveredError{"approval_altered"}
	case !now.Before(p.Expires):
		return &NotCoveredError{"approval_expired"}
	case used && p.Scope == Once:
		return &NotCoveredError{"approval_replayed"}
	}
	return nil
}

// Key identifies the approval, for those that were used.
func (p Approval) Key() string { return digest(p.Run, p.Question) }

// Grant is an answer that holds longer than one call, as it is kept.
type Grant struct {
	Tool    string    `json:"tool"`
	Shown   string    `json:"shown"`  // the call, for users
	Digest  string    `json:"digest"` // of the call: SHA-256 of the tool, its arguments and the folder
	Scope   Scope     `json:"scope"`  // run or project
	Run     string    `json:"run"`    // that asked
	Given   time.Time `json:"given"`
	Expires time.Time `json:"expires"`
}

// Covers returns nil if the grant holds for the call with a digest.
func (g Grant) Covers(called string, now time.Time) *NotCoveredError {
	switch {
	case g.Digest != called:
		return &NotCoveredError{"approval_altered"}
	case !now.Before(g.Expires):
		return &NotCoveredError{"approval_expired"}
	}
	return nil
}

// Holds reports whether the grant may be used by a run: one for a run only by that run.
func (g Grant) Holds(run string, now time.Time) bool {
	return now.Before(g.Expires) && (g.Scope == Project || g.Scope == Run && g.Run == run)
}

// Unconfined is the name under which the user's answer is kept whether code of a folder is executed where nothing confines it.
const Unconfined = "unconfined"

// AnswerUnconfined returns that answer, given to a run.
func AnswerUnconfined(folder, reason, run string, allowed bool, at time.Time) Grant {
	scope := No
	if allowed {
		scope = Project
	}
	return Grant{
		Tool: Unconfined, Shown: "compilers and tests without a sandbox: " + reason, Digest: digest(Unconfined, folder),
		Scope: scope, Run: run, Given: at.UTC(), Expires: at.Add(lifetimes[Project]).UTC(),
	}
}
