//go:build !unix

package plain

import "os"

// Flags open a file to read it.
const Flags = os.O_RDONLY
