//go:build !unix

package workspace

import "os"

// Flags open a file to read it.
const PlainFlags = os.O_RDONLY
