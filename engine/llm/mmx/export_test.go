package mmx

// Read lets tests look at many printed answers without a process for each.
var Read = read
