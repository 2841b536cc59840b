package pipeline

import (
	"path"
	"regexp"
	"slices"
	"strconv"

	"forge/engine/gate"
	"forge/engine/tool"
)

// What is read of a file for the next attempt.
const (
	aroundLines = 40 // on both sides of a line that failed
	maxWindows  = 3  // of a file
)

// readAround asks for what must be read of a file: the lines around those that the last attempt failed in, or the beginning of the file where
// no line of it is named.
func (e *explorer) readAround(file string) (requests []wanted) {
	lines := failedLines(e.history.lastTry().reports, file)
	if len(lines) == 0 {
		return []wanted{{Provider: "read_file", Args: tool.LookArgs{Path: file}}}
	}
	for _, line := range lines {
		last := len(requests) - 1
		if last >= 0 && line-aroundLines <= requests[last].Args.End+1 {
			requests[last].Args.End = line + aroundLines
			continue
		}
		if len(requests) == maxWindows {
			break
		}
		requests = append(requests, wanted{Provider: "read_file", Args: tool.LookArgs{Path: file, Start: max(1, line-aroundLines), End: line + aroundLines}})
	}
	return requests
}

// failedLines are the lines of a file that reports of a failure name, as the place of a finding or in its message, in order.
func failedLines(reports []gate.Report, file string) (lines []int) {
	named := regexp.MustCompile(`(?:^|[^\w.-])` + regexp.QuoteMeta(path.Base(file)) + `(?::|", line |\()(\d{1,7})`)
	for _, report := range reports {
		if report.Verdict == gate.Pass {
			continue
		}
		for _, f := range report.Findings {
			if f.Path == file && f.Line > 0 {
				lines = append(lines, f.Line)
			}
			for _, match := range named.FindAllStringSubmatch(f.Message, -1) {
				if line, err := strconv.Atoi(match[1]); err == nil && line > 0 {
					lines = append(lines, line)
				}
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}
