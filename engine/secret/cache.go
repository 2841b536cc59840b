package secret

import (
	"crypto/sha256"
	"strings"
	"sync"
)

// patternCache remembers what rules have found in a text: looking is slow, and prompts have the same files again and
// again. Texts are known by their hashes.
type patternCache struct {
	mu   sync.Mutex // guards seen
	seen map[[sha256.Size]byte][]span
}

// maxSeen is how many texts are remembered; then all are forgotten.
const maxSeen = 8192

// find finds what looks like a secret in a text: section by section, if it is a prompt.
func (c *patternCache) find(path, text string) (found []span) {
	at := 0
	for _, section := range sections(text) {
		for _, s := range c.inSection(path, section) {
			found = append(found, span{start: s.start + at, end: s.end + at, name: s.name})
		}
		at += len(section)
	}
	return found
}

func (c *patternCache) inSection(path, text string) []span {
	if len(text) < minLearned {
		return nil
	}
	key := sha256.Sum256([]byte(path + "\x00" + text))
	c.mu.Lock()
	found, is := c.seen[key]
	c.mu.Unlock()
	if is {
		return found
	}
	for _, m := range Matches(path, text) {
		found = append(found, span{start: m.Start, end: m.End, name: m.Rule})
	}
	found = append(found, rules().matchCut(text)...)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil || len(c.seen) >= maxSeen {
		c.seen = map[[sha256.Size]byte][]span{}
	}
	c.seen[key] = found
	return found
}

// sections are the parts of a text before each of its headings, so that a file is the same text in every prompt.
func sections(text string) []string {
	const heading = "\n\n## "
	var all []string
	for {
		at := strings.Index(text[min(1, len(text)):], heading)
		if at < 0 {
			return append(all, text)
		}
		all = append(all, text[:at+1])
		text = text[at+1:]
	}
}
