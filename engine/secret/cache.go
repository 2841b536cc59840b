package secret

import (
	"crypto/sha256"
	"strings"
	"sync"
)

// patternCache caches the matches of rules in texts: matching is slow, and prompts repeat the same files. Texts are
// identified by hashes.
type patternCache struct {
	mu   sync.Mutex // guards seen
	seen map[[sha256.Size]byte][]span
}

// maxSeen limits the cached texts; at the limit all are dropped.
const maxSeen = 8192

// find finds apparent secrets in a text: section by section, if it is a prompt.
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

// sections splits a text before each of its headings, so that a file is the same section in every prompt.
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
