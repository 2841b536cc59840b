package sandbox

import "bytes"

// Place shows a folder of a jail at another path. Build caches name files by their paths: at the path of the user's folder, a tool
// finds in a scratch tree what the user has built, and in one tree what it built in another.
//
// The zero value shows nothing elsewhere. Where nothing can be mounted, or other parts of the jail are beneath the path, the folder stays where it is.
type Place struct {
	Folder string // in Write, by its real path
	At     string // absolute, without links on the way
}

// outside replaces paths that a command printed by those at which others find the files.
func (l Place) outside(result *Result) {
	result.Stdout, result.Stderr = renamed(result.Stdout, l.At, l.Folder), renamed(result.Stderr, l.At, l.Folder)
}

// renamed replaces a path and the beginning of paths beneath it, and leaves longer names and ends of other paths as they are.
func renamed(text []byte, from, to string) []byte {
	if from == "" || !bytes.Contains(text, []byte(from)) {
		return text
	}
	var out []byte
	for {
		at := bytes.Index(text, []byte(from))
		if at < 0 {
			return append(out, text...)
		}
		end := at + len(from)
		out = append(out, text[:at]...)
		if at > 0 && inName(text[at-1]) && !escaped(text[:at]) || end < len(text) && text[end] != '/' && inName(text[end]) {
			out = append(out, from...)
		} else {
			out = append(out, to...)
		}
		text = text[end:]
	}
}

// inName reports whether a byte is usual in the name of a file or folder.
func inName(c byte) bool {
	return c >= 0x80 || c == '_' || c == '-' || c == '.' || c == '/' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// escaped reports whether a text ends with a control character or a sign as JSON writes it, such as \t or \u003c.
func escaped(text []byte) bool {
	n := len(text)
	return n >= 2 && text[n-2] == '\\' && bytes.IndexByte([]byte("bfnrt"), text[n-1]) >= 0 || n >= 6 && text[n-6] == '\\' && text[n-5] == 'u'
}
