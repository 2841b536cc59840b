package rust

import (
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// manifest is what Forge reads of a Cargo.toml. Cargo reads the rest; a file that is broken has nothing of this.
type manifest struct {
	workspace bool            // it has a [workspace] table
	exclude   []string        // folders that are none of the workspace's
	fuzz      bool            // a package for cargo-fuzz, which needs a compiler of its own
	clippy    bool            // it sets lints of clippy
	custom    map[string]bool // targets that run their tests without libtest; "" is the library
}

// excludes reports whether a folder, relative to the workspace, is none of its own.
func (m manifest) excludes(dir string) bool {
	return slices.ContainsFunc(m.exclude, func(e string) bool { return dir == e || strings.HasPrefix(dir, e+"/") })
}

var (
	tableHead = lazyregexp.New(`^\s*\[\[?\s*([A-Za-z0-9_."' -]+?)\s*\]\]?\s*(?:#.*)?$`)
	keyValue  = lazyregexp.New(`^\s*([A-Za-z0-9_.-]+)\s*=\s*(.*)$`)
	quoted    = lazyregexp.New(`"([^"]*)"|'([^']*)'`)
)

// readManifest reads the few keys line by line: that is all that is needed of TOML here.
func readManifest(text []byte) manifest {
	m := manifest{custom: withoutHarness(string(text))}
	table, list := "", false
	for line := range strings.SplitSeq(string(text), "\n") {
		if head := tableHead.FindStringSubmatch(line); head != nil {
			table, list = head[1], false
			m.enter(table)
			continue
		}
		pair := keyValue.FindStringSubmatch(line)
		switch {
		case list:
			m.exclude = append(m.exclude, texts(line)...)
			list = !strings.Contains(line, "]")
		case pair == nil:
		case table == "workspace" && pair[1] == "exclude":
			m.exclude = append(m.exclude, texts(pair[2])...)
			list = !strings.Contains(pair[2], "]")
		case pair[1] == "cargo-fuzz" && strings.HasPrefix(pair[2], "true"):
			m.fuzz = true
		}
	}
	return m
}

// enter notes that a table is there.
func (m *manifest) enter(table string) {
	m.workspace = m.workspace || table == "workspace" || strings.HasPrefix(table, "workspace.")
	m.clippy = m.clippy || table == "lints.clippy" || table == "workspace.lints.clippy"
}

// withoutHarness names the targets that have no harness of libtest.
func withoutHarness(text string) map[string]bool {
	names := map[string]bool{}
	for section := range strings.SplitSeq("\n"+text, "\n[") {
		if !harnessOff.MatchString(section) {
			continue
		}
		name := ""
		if found := sectionName.FindStringSubmatch(section); found != nil && !strings.HasPrefix(section, "lib]") {
			name = found[1]
		}
		names[name] = true
	}
	return names
}

var (
	harnessOff  = lazyregexp.New(`(?m)^\s*harness\s*=\s*false\b`)
	sectionName = lazyregexp.New(`(?m)^\s*name\s*=\s*["']([^"']*)["']`)
)

// texts are the quoted texts of a line.
func texts(line string) (all []string) {
	line, _, _ = strings.Cut(line, " #")
	for _, m := range quoted.FindAllStringSubmatch(line, -1) {
		all = append(all, m[1]+m[2])
	}
	return all
}
