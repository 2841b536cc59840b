package rust

import "strings"

// read parses the output of the program. Since the edition of 2024, documentation tests are several programs: one of the
// examples that can be compiled together, and others, each with its own beginning and sum.
func (r *testProgram) read(output string) *harness {
	if r.source != "" {
		return parseLibtest(output)
	}
	all := &harness{announced: -1}
	for i, part := range harnesses(output) {
		h := scanLibtest(part)
		if i == 0 {
			all = h
			continue
		}
		all.announced += h.announced
		all.tests = append(all.tests, h.tests...)
		all.passed, all.failed = all.passed+h.passed, all.failed+h.failed
		all.slow = append(all.slow, h.slow...)
		if h.result != "ok" {
			all.result = h.result
		}
	}
	all.tidy()
	return all
}

// harnesses splits an output where a program begins after the sum of another one.
func harnesses(output string) (parts []string) {
	var part strings.Builder
	summed := false
	for line := range strings.Lines(output) {
		text := strings.TrimRight(line, "\r\n")
		if summed && runningTests.MatchString(text) {
			parts = append(parts, part.String())
			part.Reset()
			summed = false
		}
		summed = summed || testResult.MatchString(text)
		part.WriteString(line)
	}
	return append(parts, part.String())
}
