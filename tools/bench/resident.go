package main

import (
	"context"
	"errors"
)

// memoryStarts is how often the memory of each server is measured.
const memoryStarts = 5

// measureMemory measures what a server holds after initialize and initialized, when it has come to rest
// and no document is open. The goal is for the largest of all starts.
func measureMemory(ctx context.Context, b *bench) ([]row, error) {
	var rss, pss pair
	err := b.alternate(memoryStarts, func(p program) error {
		m, err := memoryOnce(ctx, p, b.workspace)
		if err == nil {
			*rss.of(p) = append(*rss.of(p), m.rss)
			*pss.of(p) = append(*pss.of(p), m.pss)
		}
		return err
	})
	at := func(name string, percent float64, p pair, goals ...goal) row {
		return row{
			name: "memory after initialize, " + name, unit: "MiB", goals: goals,
			forge: number(p.forge.percentile(percent)), gopls: number(p.gopls.percentile(percent)),
		}
	}
	return []row{at("PSS p50", 50, pss), at("RSS p50", 50, rss), at("RSS max", 100, rss, atMost(30))}, err
}

func memoryOnce(ctx context.Context, p program, w workspace) (m memory, err error) {
	s, err := start(ctx, p, w)
	if err != nil {
		return memory{}, err
	}
	err = s.initialize(ctx, w)
	if err == nil {
		err = s.notify("initialized", struct{}{})
	}
	if err == nil {
		err = settle(ctx, s.cmd.Process.Pid)
	}
	if err == nil {
		m, err = memoryOf(s.cmd.Process.Pid)
	}
	return m, errors.Join(err, s.stop(ctx))
}
