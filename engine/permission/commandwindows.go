package permission

import (
	"strings"

	"forge/internal/lazyregexp"
)

var (
	// windowsDoubt is what PowerShell computes: calls of values, methods of .NET, joined and escaped names, other encodings.
	windowsDoubt = lazyregexp.New("(?i)(^|[;|({\\s])[&.]\\s*[('\"$]|\\[[a-z.]+\\]::|`|(^|[;|({]\\s*)\\$|\\biex\\b|invoke-expression|downloadstring|frombase64|new-object\\s")
	windowsCuts  = lazyregexp.New(`[;|&\n(){}]+`)
)

// judgeWindows judges a line for PowerShell or cmd.exe: each of its commands by its words.
func judgeWindows(shell, line string, depth int) (f Danger) {
	if shell == "cmd" {
		line = strings.ReplaceAll(strings.Trim(line, `"`), "^", "")
	} else if windowsDoubt.MatchString(line) {
		return critical("computed")
	}
	if strings.Contains(line, computed) || strings.Contains(line, "%") && strings.Contains(line, ":~") {
		return critical("computed")
	}
	w := walker{}
	for i, part := range windowsCuts.Split(line, -1) {
		argv := strings.Fields(strings.NewReplacer(`"`, "", "'", "").Replace(part))
		if len(argv) == 0 || depth > maxDepth {
			continue
		}
		inner := call{argv: argv, wrote: w.written}
		if i > 0 && strings.Contains(line, "|") {
			inner.input = "pipe"
		}
		if f = f.and(inner.judge(depth + 1)); f.Class == Critical {
			break
		}
		w.remember(argv)
	}
	return f
}
