//go:build !linux

package sandbox

func attackMode() bool { return false }
