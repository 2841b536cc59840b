package spend_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain is also the main of the processes that tests start: see branches.
func TestMain(m *testing.M) {
	if file := os.Getenv("FORGE_SPEND_LEDGER"); file != "" {
		if err := branches(context.Background(), file, os.Getenv("FORGE_SPEND_BILL"), os.Getenv("FORGE_SPEND_WHO")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
