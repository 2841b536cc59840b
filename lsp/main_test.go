package lsp_test

import (
	"log/slog"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// quiet is the log of servers that are fed with faults.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }
