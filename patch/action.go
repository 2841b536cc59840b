package patch

// Action is what an entry of a file list does.
type Action string

// The actions.
const (
	ActionCreate Action = "create" // the file must not be there
	ActionUpdate Action = "update" // the file must be there
	ActionWrite  Action = "write"  // the file may be there
	ActionDelete Action = "delete" // the file must be there
)
