//go:build !unix

package sandbox

// giveWay does nothing: this system offers no lower priority yet.
func (t *tree) giveWay() {}
