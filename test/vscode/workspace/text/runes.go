package text

// Len counts the characters of s, not its bytes.
func Len(s string) int { return len([]rune(s)) }
