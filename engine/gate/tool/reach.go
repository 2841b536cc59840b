package tool

import (
	"context"
	"slices"

	"forge/engine/sandbox"
)

type reachKey struct{}

// reach is what the commands of a context reach besides their tree.
type reach struct {
	shared       []string
	fetch        bool
	writesLinked bool
}

func reachOf(ctx context.Context) reach {
	r, _ := ctx.Value(reachKey{}).(reach)
	return r
}

// Sharing lets commands that start with the context read and write folders outside of their tree, such as one for a report.
func Sharing(ctx context.Context, folders ...string) context.Context {
	r := reachOf(ctx)
	r.shared = slices.Concat(r.shared, folders)
	return context.WithValue(ctx, reachKey{}, r)
}

// Fetching lets commands that start with the context download packages. They must execute no code of the tree.
func Fetching(ctx context.Context) context.Context {
	r := reachOf(ctx)
	r.fetch = true
	return context.WithValue(ctx, reachKey{}, r)
}

// AllowWritesToLinked lets commands that start with the context write into the packages that links in their tree lead to, for themselves.
func AllowWritesToLinked(ctx context.Context) context.Context {
	r := reachOf(ctx)
	r.writesLinked = true
	return context.WithValue(ctx, reachKey{}, r)
}

// AllowsWritesToLinked reports whether commands with the context may write into the packages that links in their tree lead to.
func AllowsWritesToLinked(ctx context.Context) bool { return reachOf(ctx).writesLinked }

// Reach adds to a jail what the context permits.
func Reach(ctx context.Context, jail *sandbox.Jail) {
	r := reachOf(ctx)
	jail.Write = append(jail.Write, r.shared...)
	jail.Fetch = jail.Fetch || r.fetch
}
