package golang

import (
	"cmp"
	"context"
	"math/big"
	"math/bits"
	"slices"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// maxChunk is how many packages are looked at at once that only import what has changed. The first chunk is one, and each is twice the one before: what
// is ended before the time is up says something.
const maxChunk = 8

// split gives what is looked at first, all of it: what has changed; and then, of what imports it, the packages that are wanted, the nearest first and of these
// those that need least, in chunks, as far as there is time. Where nothing has changed but a package that is gone, the nearest that import it are the first.
func (s selection) split(wanted func(listed) bool) (first []string, rest [][]string) {
	var further []listed
	for _, p := range s.packages {
		if s.far[p.path] == 0 {
			first = append(first, p.path)
		} else if wanted(p) {
			further = append(further, p)
		}
	}
	if len(s.far) == 0 || len(further) == 0 {
		return s.args, nil
	}
	slices.SortStableFunc(further, func(a, b listed) int {
		return cmp.Or(s.far[a.path]-s.far[b.path], s.weight[a.path]-s.weight[b.path])
	})
	var paths []string
	for _, p := range further {
		paths = append(paths, p.path)
	}
	rest = inChunks(paths)
	if len(first) == 0 {
		first, rest = rest[0], rest[1:]
	}
	return first, rest
}

// inChunks cuts a list of packages up, the nearest first.
func inChunks(paths []string) (chunks [][]string) {
	for size := 1; len(paths) > 0; size = min(2*size, maxChunk) {
		n := min(size, len(paths))
		chunks, paths = append(chunks, paths[:n]), paths[n:]
	}
	return chunks
}

// further is how long packages may take that only import what has changed.
type further struct {
	all   time.Duration // together
	first time.Duration // the first chunk of them
	each  time.Duration // a command, where no setting says otherwise
}

// runFurther runs a command on chunks as long as there is time, and adds what it prints to what was printed. ended counts the chunks that were looked at
// to their end: what another one has printed is still of what it ended before.
func (t tools) runFurther(
	ctx context.Context, tree gate.Tree, report *gate.Report, limits further, command []string, chunks [][]string, result sandbox.Result,
) (all sandbox.Result, ended int) {
	left := limits.all
	for i, packages := range chunks {
		if left <= 0 || ctx.Err() != nil {
			break
		}
		within := min(left, tool.LimitOf(ctx, limits.each))
		if i == 0 {
			within = min(within, limits.first)
		}
		more, err := t.Runner.Run(ctx, sandbox.Command{
			InPlace: true, Argv: slices.Concat(command, packages), Dir: tree.Dir(), Env: t.Env, Timeout: within, MaxOutput: tool.MaxOutput, MaxWrite: tool.MaxWrite,
		})
		left -= max(more.Elapsed, 1)
		report.Elapsed += more.Elapsed
		result.Stdout = append(append(slices.Clip(result.Stdout), '\n'), more.Stdout...)
		result.Stderr = append(append(slices.Clip(result.Stderr), '\n'), more.Stderr...)
		if err != nil || more.TimedOut || more.Overflow || more.Exceeded != "" {
			break
		}
		ended++
		result.Truncated = result.Truncated || more.Truncated
		if more.ExitCode != 0 {
			result.ExitCode = more.ExitCode
		}
	}
	return result, ended
}

// forget takes packages out of a suite that were to be run as far as there was time, and have not ended; it counts them, and those that were not
// started.
func (s *suite) forget(chunks [][]string) (left int) {
	for _, path := range slices.Concat(chunks...) {
		p := s.byPath[path]
		if p != nil && p.state != "" {
			continue
		}
		left++
		s.packages = slices.DeleteFunc(s.packages, func(other *packageRun) bool { return other == p })
		delete(s.byPath, path)
		for key := range s.byName {
			if key[0] == path {
				delete(s.byName, key)
			}
		}
	}
	return left
}

// weights are how many packages have to be compiled for each of some, and for their tests where these count: those that they import, also through
// others of the tree. What packages of other modules import is not known.
func weights(all []listed, of map[string]int, w want) map[string]int {
	c := closures{packages: map[string]listed{}, known: map[string]*big.Int{}}
	for _, p := range all {
		c.packages[p.path] = p
	}
	found := map[string]int{}
	for path := range of {
		set := c.of(path)
		if w == wantTests {
			set = new(big.Int).Set(set)
			for _, used := range c.packages[path].testsUse {
				set.Or(set, c.of(used))
			}
		}
		for _, word := range set.Bits() {
			found[path] += bits.OnesCount(uint(word))
		}
	}
	return found
}

// closures are what packages import, also through others, as sets of numbers.
type closures struct {
	packages map[string]listed
	known    map[string]*big.Int
}

// of is a package with all that it imports. Of packages that import each other, which do not compile, some may be missing.
func (c closures) of(path string) *big.Int {
	if set, is := c.known[path]; is {
		return set
	}
	set := new(big.Int)
	set.SetBit(set, len(c.known), 1)
	c.known[path] = set
	for _, used := range c.packages[path].imports {
		set.Or(set, c.of(used))
	}
	return set
}

// compilation is how far the build gate got in a tree with packages that only import what has changed: tests of what could not be compiled in
// time are not begun, and have as long as compiling left.
type compilation struct {
	left  []string
	spent time.Duration
}

// hopeful are the packages of chunks whose tests can be compiled from what is compiled.
func (c compilation) hopeful(all []listed, chunks [][]string) [][]string {
	if len(c.left) == 0 {
		return chunks
	}
	missing := func(path string) bool { return slices.Contains(c.left, path) }
	paths := slices.DeleteFunc(slices.Concat(chunks...), func(path string) bool {
		at := slices.IndexFunc(all, func(p listed) bool { return p.path == path })
		return missing(path) || at >= 0 && slices.ContainsFunc(all[at].testsUse, missing)
	})
	return inChunks(paths)
}
