package spend

// The places of this package where a process may die.
const (
	FailpointReserved = "spend.reserved" // an attempt is charged at its most, nothing is sent
	FailpointSettling = "spend.settling" // it was answered, and is still charged at its most
)
