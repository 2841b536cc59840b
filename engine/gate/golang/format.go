package golang

import (
	"context"
	"fmt"
	"os"

	"forge/engine/gate"
)

// format has gofmt rewrite files, of those that the gate gofmt looks at. gofmt leaves a file that it cannot parse as it is, and
// where there is no gofmt all stay so: the gates say that.
func (g *formatGate) format(ctx context.Context, tree gate.Tree, paths []string) error {
	var ours []string
	for _, p := range paths {
		if is, _ := isOurs(os.DirFS(tree.Dir()), p); is { // what cannot be read stays as it is
			ours = append(ours, p)
		}
	}
	for _, batch := range batches(ours) {
		report := gate.Report{Gate: g.Name()}
		g.tools.run(ctx, tree, &report, g.limit, append([]string{"gofmt", "-w"}, batch...)...)
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("format Go files: %w", err)
		}
	}
	return nil
}
