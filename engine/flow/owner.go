package flow

// Owner is a process. The zero value is nobody.
type Owner struct {
	Host  string // the machine, since it was started; what has its own numbers of processes counts as one
	PID   int
	Start string // when the process was started, as the system says it; tells a number that was used again
}
