package testkit

import (
	"flag"
	"strconv"
	"testing"
)

// RapidChecks has rapid try n inputs for each property of a package with -short, where each of them starts processes. Call it in TestMain.
func RapidChecks(n int) error {
	flag.Parse()
	if !testing.Short() {
		return nil
	}
	const shortened = 5 // rapid divides by that with -short
	return flag.Set("rapid.checks", strconv.Itoa(shortened*n))
}
