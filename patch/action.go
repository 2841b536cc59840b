package patch

// Action is the operation of an entry of a file list.
type Action string

// The actions.
const (
	ActionCreate Action = "create" // the file must not exist
	ActionUpdate Action = "update" // the file must exist
	ActionWrite  Action = "write"  // the file may exist
	ActionDelete Action = "delete" // the file must exist
)
