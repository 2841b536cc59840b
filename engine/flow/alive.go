package flow

// Alive reports whether the owner is a living process of this machine. A process with other process numbers, such as
// one in a container, counts as dead.
func (o Owner) Alive() bool {
	return o != (Owner{}) && o.Host == hostName() && isProcess(o.PID, o.Born)
}
