package golang

import (
	"path"
	"path/filepath"
	"strings"

	"forge/internal/lazyregexp"
)

var (
	// ofC is a line of a C compiler's: it names files from the folder of the package, and says how bad it is.
	ofC = lazyregexp.New(`^(\S.*?\.(?:go|s|S|c|cc|cpp|cxx|m|h|hh|hpp)):(\d+(?::\d+)?): (error|fatal error|warning|note): `)
	// aroundC are lines with which it leads to a message, or sums up.
	aroundC = lazyregexp.New(`^(In file included from |\s+from )|: (In function|In member function|At top level)\b|^compilation terminated\.$|^\d+ .*generated\.$`)
	// linking is how a linker's output begins, and linked the command that it was started with.
	linking = lazyregexp.New(`^\S*\b(link: running .+ failed: .*)$`)
	linked  = lazyregexp.New(`\s-o \$WORK/`)
	// made are files that are there while something is built, under another name every time.
	made = lazyregexp.New(`[^\s:]*/go-(?:build|link-)\d*/`)
)

// native rewrites what C compilers and linkers say below a package's heading to what the Go compiler would: an error is a line with a
// place, and what belongs to it is indented. What only warns is left out.
func native(output string, r places) string {
	var text strings.Builder
	var n nativeReader
	for line := range strings.Lines(output) {
		if line, kept := n.read(strings.TrimRight(line, "\r\n"), r); kept {
			text.WriteString(line + "\n")
		}
	}
	return text.String()
}

// nativeReader knows what the next line belongs to.
type nativeReader struct {
	dir   string // of the package of which something is said
	inC   bool   // the line belongs to the last message of a C compiler's
	link  bool   // the line is a linker's
	error bool   // that message is kept
}

func (n *nativeReader) read(line string, r places) (text string, kept bool) {
	m, linker := ofC.FindStringSubmatch(line), linking.FindStringSubmatch(line)
	switch {
	case strings.HasPrefix(line, "# "):
		*n = nativeReader{}
		n.dir, _ = r.dir(strings.Fields(line + " ?")[1])
		return line, true
	case linker != nil:
		n.link = true
		return linker[1], true
	case n.link:
		return "\t" + made.ReplaceAllString(line, ""), strings.TrimSpace(line) != "" && !linked.MatchString(line)
	case aroundC.MatchString(line):
		return "", false
	case m != nil && m[3] == "note":
		return "\t" + line, n.error
	case m != nil:
		n.inC, n.error = true, m[3] != "warning"
		return r.fromPackage(n.dir, m[1]) + strings.TrimPrefix(line, m[1]), n.error
	case n.inC && !located.MatchString(line):
		return "\t" + line, n.error
	}
	n.inC = false
	return line, true
}

// fromPackage gives a file that was named from the folder of a package, if it is there.
func (r places) fromPackage(dir, file string) string {
	if path.IsAbs(file) || filepath.IsAbs(file) {
		return file
	}
	if inside := path.Join(dir, filepath.ToSlash(file)); filepath.IsLocal(inside) && r.sources.Read(inside) != nil {
		return inside
	}
	return file
}
