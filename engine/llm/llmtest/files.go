package llmtest

import (
	"fmt"
	"sync"
)

// files are what was uploaded to a server.
type files struct {
	mu      sync.Mutex // guards what follows
	content map[string][]byte
	count   int
}

func (f *files) add(content []byte) (id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	id = fmt.Sprintf("file-%d", f.count)
	f.content[id] = content
	return id
}

func (f *files) read(id string) ([]byte, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	content, ok := f.content[id]
	return content, ok
}

func (f *files) drop(id string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, ok := f.content[id]
	delete(f.content, id)
	return ok
}
