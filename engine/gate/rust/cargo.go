package rust

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/rust/builds"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

// cargo starts the programs of the Rust distribution.
type cargo struct {
	tools tool.Tools
	cache string // Forge's own folder for build output
	// lately spares cargo check what clippy has compiled.
	lately *lately
}

// pkg is a package of the project.
type pkg struct {
	id, name string
	version  string
	dir      string            // of its manifest, relative to the tree
	crates   []string          // the compiler's names of its targets
	sources  []string          // folders of its targets' main files, relative to the tree
	tests    map[string]string // targets in its folder of tests, by their main files, relative to the tree
	custom   map[string]bool   // targets without libtest's harness
	examples string            // its target whose documentation has examples that cargo test runs: a library, or ""
	uses     []dependency
}

// dependency is a dependency of a package: from a registry, or in a folder.
type dependency struct {
	Name string
	Kind string // "" is a normal one; otherwise "build" or "dev"
	Path string // absolute; empty if it is not in a folder
}

// project is the subject of a gate: the packages of a tree, and the place of their build output.
type project struct {
	dir      string // the tree's
	root     tool.Root
	sources  *tool.Sources
	packages map[string]pkg // by id
	chosen   selection      // those that the gate checks
	target   string
	// configured means that the folder may configure cargo.
	configured bool
}

// open finds the packages of the tree, chooses those in the scope, and prepares the folder for build output. done means that the
// report's verdict is final.
func (t cargo) open(ctx context.Context, tree gate.Tree, scope gate.Scope, report *gate.Report) (p project, done bool) {
	p.dir, p.root = tree.Dir(), tool.RootOf(tree)
	p.sources, p.configured = tool.SourcesOf(tree), configured(tree)
	if foreignToolchain(tree) {
		report.Verdict = gate.Error
		report.Summary = "rust-toolchain names a compiler by its path: a folder brings no compiler of its own; install it with rustup toolchain link"
		return p, true
	}
	result, done := t.tools.Run(ctx, tree, report, listLimit, "cargo", "metadata", "--no-deps", "--offline", "--format-version", "1")
	if done || t.unable(report, result) {
		return p, true
	}
	p.packages = p.parse(result.Stdout)
	if len(p.packages) == 0 {
		report.Findings = p.locate(parsePlain(string(result.Stderr), p.root))
		tool.Conclude(report, result, tool.Words{Failed: "the project cannot be loaded: " + firstOf(report.Findings), Nothing: "no Rust packages"})
		return p, true
	}
	if p.chosen = p.choose(scope); p.chosen.none() {
		*report = gate.Unconcerned(report.Gate)
		return p, true
	}
	var err error
	if p.target, err = builds.Open(ctx, tree, t.cache, p.names()); err != nil {
		report.Verdict, report.Summary = gate.Error, tool.Summary("%s: %v", report.Gate, err)
	}
	return p, err != nil
}

// parse reads the members of a workspace from the output of cargo metadata.
func (p project) parse(stdout []byte) map[string]pkg {
	var metadata struct {
		Packages []struct {
			ID, Name, Version string
			ManifestPath      string `json:"manifest_path"`
			Dependencies      []dependency
			Targets           []struct {
				Name    string
				Kind    []string
				Source  string `json:"src_path"`
				Doctest bool
			}
		}
	}
	packages := map[string]pkg{}
	if json.Unmarshal(stdout, &metadata) != nil {
		return packages
	}
	for _, m := range metadata.Packages {
		manifest, inside := p.root.Rel(m.ManifestPath)
		if !inside {
			continue
		}
		member := pkg{id: m.ID, name: m.Name, version: m.Version, dir: path.Dir(manifest), custom: readManifest(p.sources.Read(manifest)).custom(), uses: m.Dependencies, tests: map[string]string{}}
		for _, target := range m.Targets {
			member.crates = append(member.crates, target.Name)
			if target.Doctest {
				member.examples = target.Name
			}
			if source, inside := p.root.Rel(target.Source); inside {
				member.sources = append(member.sources, path.Dir(source))
				if slices.Contains(target.Kind, "test") {
					member.tests[source] = target.Name
				}
			}
		}
		packages[m.ID] = member
	}
	return packages
}

// names returns those of the packages and their targets, in the compiler's spelling.
func (p project) names() map[string]bool {
	all := map[string]bool{}
	for _, member := range p.packages {
		all[builds.CrateName(member.name)] = true
		for _, crate := range member.crates {
			all[builds.CrateName(crate)] = true
		}
		all["build_script_build"] = true
	}
	return all
}

// run starts cargo without the network. If cargo reports that a download is needed, cargo fetch does that, which executes no code of
// the tree, and run starts cargo once more. Invariant: cargo fetch starts outside of the tree and finds no settings in it, because
// .cargo/config.toml and rust-toolchain.toml can name a compiler and a provider of credentials, which fetch starts.
func (t cargo) run(
	ctx context.Context, tree gate.Tree, p project, report *gate.Report, limit time.Duration, argv ...string,
) (result sandbox.Result, done bool) {
	tools := t.at(p, false)
	result, done = tools.Run(ctx, tree, report, limit, slices.Concat(argv, []string{"--offline"})...)
	if !done && result.ExitCode != 0 && needsNetwork.Match(result.Stderr) {
		away := tools
		away.Away = true
		fetched, fetchDone := away.Run(tool.Fetching(ctx), tree, report, limit, "cargo", "fetch", "--manifest-path", filepath.Join(tree.Dir(), manifestName))
		if result, done = fetched, fetchDone; !done && fetched.ExitCode == 0 {
			result, done = tools.Run(ctx, tree, report, limit, slices.Concat(argv, []string{"--offline"})...)
		}
		if !done && result.ExitCode != 0 && (unreachable.Match(result.Stderr) || fetched.ExitCode != 0 && needsNetwork.Match(fetched.Stderr)) {
			report.Verdict = gate.Error
			report.Summary = tool.Summary("crates could not be downloaded: %s", cmp.Or(tool.FirstLine(unreachableLine(string(result.Stderr))), "cargo is offline"))
			return result, true
		}
	}
	return result, done || t.unable(report, result)
}

// at returns the tools with the project's build folder. merged is for a run whose programs must be distinguished.
func (t cargo) at(p project, merged bool) tool.Tools {
	tools := t.tools
	tools.Env = append(slices.Clone(tools.Env), "CARGO_TARGET_DIR="+p.target)
	if !p.configured {
		tools.Env = slices.DeleteFunc(tools.Env, func(entry string) bool { return entry == noWrapper })
	}
	tools.Merged = merged
	return tools
}

// configured reports whether the project, or a folder above it in the tree, may have settings of cargo.
func configured(tree gate.Tree) bool {
	return slices.ContainsFunc(foldersAbove(tree), func(dir string) bool {
		_, err := os.Lstat(filepath.Join(dir, ".cargo"))
		return !errors.Is(err, fs.ErrNotExist)
	})
}

// above is a folder above a project.
type above string

// Dir returns its path.
func (a above) Dir() string { return string(a) }

// foldersAbove returns the folder of the project, and those above it in the tree.
func foldersAbove(tree gate.Tree) (all []string) {
	for dir := tree.Dir(); ; dir = filepath.Dir(dir) {
		if all = append(all, dir); dir == gate.Top(tree) || dir == filepath.Dir(dir) {
			return all
		}
	}
}

var (
	needsNetwork = lazyregexp.New(`--offline|offline mode|CARGO_NET_OFFLINE`)
	unreachable  = lazyregexp.New(`(?mi)^.*(could not resolve|couldn't connect|failed to connect|network failure|spurious network|timed? ?out|proxy connect|SSL connect|` +
		`failed to query replaced source|failed to download|download of .* failed|failed to fetch|unable to update registry).*$`)
)

func unreachableLine(stderr string) string { return strings.TrimSpace(unreachable.FindString(stderr)) }

// unable detects a missing or outdated toolchain or component, which is not the tree's fault.
func (cargo) unable(report *gate.Report, result sandbox.Result) bool {
	stderr := string(result.Stderr)
	if result.ExitCode == 0 {
		return false
	}
	missing := absent(stderr)
	if !missing.Is() {
		return false
	}
	missing.NotRun(report)
	if said := tooOld.FindString(stderr); said != "" {
		report.Summary = tool.Summary("%s; update it with rustup", strings.TrimPrefix(said, "error: "))
	}
	return true
}

// has reports whether a program starts in the tree.
func (t cargo) has(ctx context.Context, tree gate.Tree, argv ...string) bool {
	return !t.tools.Lacks(ctx, tree, argv...).Is()
}

// foreignToolchain reports whether the tree, or a folder of it above the project, names a compiler by its path, which is probably in the tree.
func foreignToolchain(tree gate.Tree) bool {
	return slices.ContainsFunc(foldersAbove(tree), func(dir string) bool {
		sources := tool.SourcesOf(above(dir))
		return brings(sources.Read("rust-toolchain.toml")) || brings(sources.Read("rust-toolchain"))
	})
}

// firstOf returns the first finding on one line.
func firstOf(findings []gate.Finding) string {
	if len(findings) == 0 {
		return "nothing"
	}
	return tool.FirstLine(findings[0].String())
}
