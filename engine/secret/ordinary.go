package secret

import "strings"

// isOrdinary reports whether a text consists of words and numbers, as do names of hosts, classes, images, models and versions, and lists of these.
// Keys do not; passwords may.
func isOrdinary(text string) bool {
	if isDisorder(text) {
		return false
	}
	for part := range strings.FieldsFuncSeq(text, func(c rune) bool { return c >= 0x80 || !alphanumeric[c] }) {
		if !isOrdinaryPart(part) {
			return false
		}
	}
	return true
}

// isOrdinaryPart reports whether a run of letters and digits changes between both as rarely as OAuth2LoginHandler, utf8mb4 and 01T00 do, and has words
// for letters.
func isOrdinaryPart(part string) bool {
	const short, figures = 3, 10
	switch {
	case len(part) <= short:
		return true
	case len(part) >= minLearned && isHexadecimal(part):
		return false
	}
	runs := runsOf(part)
	most := 3
	if classOf(part[0]) != figure && len(runs[0]) >= 3 && len(part) <= 10 {
		most = 4
	}
	if len(runs) > most {
		return false
	}
	for _, run := range runs {
		if classOf(run[0]) == figure && len(run) > figures || classOf(run[0]) != figure && !isWordOf(run, len(runs) == 1) {
			return false
		}
	}
	return true
}

// isHexadecimal reports whether a run has figures and letters that are figures, too.
func isHexadecimal(part string) bool {
	return strings.Trim(part, "0123456789abcdefABCDEF") == "" && strings.Trim(part, "0123456789") != "" && strings.ContainsAny(part, "0123456789")
}

// runsOf splits a run of letters and digits between both.
func runsOf(part string) (runs []string) {
	start := 0
	for i := 1; i <= len(part); i++ {
		if i == len(part) || (classOf(part[i]) == figure) != (classOf(part[i-1]) == figure) {
			runs = append(runs, part[start:i])
			start = i
		}
	}
	return runs
}

// isWordOf reports whether letters read as words: few of one case, or in camel case. Words next to digits are shorter.
func isWordOf(letters string, alone bool) bool {
	const short, long, longest = 6, 15, 20
	lower := strings.ToLower(letters)
	switch {
	case len(letters) <= short:
		return true
	case letters == lower:
		return len(letters) <= long || alone && len(letters) < longest
	case letters == strings.ToUpper(letters):
		return alone && len(letters) < longest
	}
	capitals := 0
	for i := range len(letters) {
		if letters[i] != lower[i] {
			capitals++
		}
	}
	return isWords(letters) && 4*capitals <= len(letters) // base64 of a text has more
}
