package event

import "forge/internal/inert"

// FileNeeded reports that a part of a plan needs a file that the plan gives to another part, and whether it gets it.
type FileNeeded struct {
	Part  string     `wire:"part"`
	Owner string     `wire:"owner" doc:"the part to which the plan gives the file"`
	Path  string     `wire:"path"`
	State OwnerState `wire:"state" enum:"done,later,awaited,beside" doc:"of the owner: with awaited the part waits for it, otherwise it may change the file"`
}

// Type returns the name of the event.
func (FileNeeded) Type() string { return "lent" }

// OwnerState is the state of the part to which a file belongs that another part needs.
type OwnerState string

// The states.
const (
	OwnerDone       OwnerState = "done"    // the part that needs the file begins with the owner's result
	OwnerLater      OwnerState = "later"   // the owner begins with the result of the part that needs the file
	OwnerAwaited    OwnerState = "awaited" // both run concurrently, and the part that needs the file waits for the owner's review
	OwnerConcurrent OwnerState = "beside"  // both wait for each other: both change the file, and a join merges it
)

func (l FileNeeded) format(out *Formatter) {
	said := map[OwnerState]string{
		OwnerDone: "may change it: that part is done", OwnerLater: "may change it: that part begins with the result",
		OwnerAwaited: "waits until that part is done", OwnerConcurrent: "may change it: that part waits as well, and both changes are joined",
	}[l.State]
	out.say(PhaseRun, "", Info, "%s needs %s, a file of %s, and %s", inert.Text(l.Part), inert.Text(l.Path), inert.Text(l.Owner), said)
}
