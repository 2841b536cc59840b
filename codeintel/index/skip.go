package index

import (
	"bytes"
	"errors"
	"io/fs"

	"forge/codeintel"
)

// Skipped is a file that is not in the index, and why.
type Skipped struct {
	Path   string
	Reason Reason
}

// Reason is why a file is not in the index, for users.
type Reason string

// The reasons to skip a file.
const (
	Binary     Reason = "it is no text: it has a NUL byte"
	TooLarge   Reason = "it is larger than 1 MiB, or than 8 MiB where it is code"
	Minified   Reason = "it is made for machines: most of it is in lines of more than 2,000 bytes"
	NotRegular Reason = "it is no regular file"
	Unreadable Reason = "it cannot be read: check its permissions"
	Outside    Reason = "its path leads out of the folder"
	Unnameable Reason = "its path is not valid UTF-8: an editor cannot name it"
	Vanished   Reason = "it no longer exists"
)

const (
	maxSize = 1 << 20 // bytes of a file that is indexed
	maxCode = 8 << 20 // the same of a file of code: generated code may be long, and is called by its names
	maxLine = 2000    // bytes of a line that may have been written by hand
)

// largest is how many bytes of a file are indexed, by its name.
func largest(name string) int64 {
	if language := codeintel.LanguageOf(name); language == "" || language.IsData() {
		return maxSize
	}
	return maxCode
}

// reasonToSkip returns why the content of a file is not indexed; empty if it is. Invalid UTF-8 is no reason: the valid
// text around it is found.
func reasonToSkip(name string, content []byte) Reason {
	switch {
	case int64(len(content)) > largest(name):
		return TooLarge
	case bytes.IndexByte(content, 0) >= 0:
		return Binary
	case isMinified(content):
		return Minified
	}
	return ""
}

// isMinified reports whether more than half of a content, and more than two long lines' worth, is in long lines.
func isMinified(content []byte) bool {
	long := 0
	for line := range bytes.Lines(content) {
		if len(line) > maxLine {
			long += len(line)
		}
	}
	return long > 2*maxLine && long > len(content)/2
}

// reasonOf returns why a file could not be read.
func reasonOf(err error) Reason {
	var skip skipError
	switch {
	case errors.As(err, &skip):
		return skip.reason
	case errors.Is(err, fs.ErrNotExist):
		return Vanished
	}
	return Unreadable
}

// skipError is the error of a file that must not be read.
type skipError struct{ reason Reason }

func (e skipError) Error() string { return string(e.reason) }
