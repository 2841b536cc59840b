package testrun

import (
	"cmp"
	"strings"

	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// unfound matches the errors of Node.js, Jest and Vite about an import without a file. Bundlers call '@/a' and '~/a' files of the project.
// https://nodejs.org/api/errors.html#err_module_not_found
var unfound = lazyregexp.New(`Cannot find (?:package|module) '((?:@[\w.-]+/)?\w[^'\s]*)'|Failed to resolve import "((?:@[\w.-]+/)?\w[^"\s]*)"`)

// absent returns the package that an error reports as not installed, as the import names it; empty for a file of the project and for
// any other error.
func absent(message string) string {
	m := unfound.FindStringSubmatch(tool.FirstLine(message))
	if m == nil {
		return ""
	}
	name := cmp.Or(m[1], m[2])
	if strings.Contains(name, ":") { // node:x, file:///x, C:\x
		return ""
	}
	return name
}
