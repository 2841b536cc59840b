package gate

// Programmed is a gate that can say how its program is asked for its version, for who wants to know whether it is there
// without running the gate.
type Programmed interface{ Program() []string }
