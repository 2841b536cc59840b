package flow

// Alive reports whether the owner is a process of this machine that lives. What numbers its processes differently, a
// container say, cannot be looked into: its processes do not count as alive.
func (o Owner) Alive() bool {
	return o != (Owner{}) && o.Host == hostName() && isProcess(o.PID, o.Born)
}
