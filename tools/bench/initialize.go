package main

import (
	"context"
	"errors"
	"time"
)

// measureInitialize measures from the start of the process to the answer of initialize: how long an
// editor waits. The first start of each, which reads the program from the disk, is not counted.
func measureInitialize(ctx context.Context, b *bench) ([]row, error) {
	var times pair
	turn := func(p program) error {
		took, err := initializeOnce(ctx, p, b.workspace)
		if err == nil {
			times.of(p).add(took)
		}
		return err
	}
	err := b.alternate(1, turn)
	times = pair{}
	if err == nil {
		err = b.alternate(b.starts, turn)
	}
	quarter := atMostOf(0.25)
	return latency("initialize", times, []goal{quarter}, []goal{quarter, atMost(25)}), err
}

func initializeOnce(ctx context.Context, p program, w workspace) (took time.Duration, err error) {
	s, err := start(ctx, p, w)
	if err != nil {
		return 0, err
	}
	err = s.initialize(ctx, w)
	took = time.Since(s.started)
	return took, errors.Join(err, s.stop(ctx))
}
