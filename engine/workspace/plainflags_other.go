//go:build !unix

package workspace

import "os"

// PlainFlags open a file to read it.
const PlainFlags = os.O_RDONLY
