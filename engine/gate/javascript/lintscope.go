package javascript

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/javascript/npm"
)

// RunIn lints the files that have changed, if eslint's own rules are the only ones: each looks at one file. Other rules may follow imports,
// so that a change concerns all files.
func (g *lintGate) RunIn(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	report := gate.Report{Gate: nameLint}
	p, err := npm.Open(tree)
	if err != nil {
		return broken(report, err)
	}
	args, env := lintArguments(p)
	files, ok := lintedOf(p, args, scope)
	switch {
	case !ok:
		return g.Run(ctx, tree)
	case len(files) == 0:
		return gate.Unconcerned(nameLint)
	}
	options, _ := lintFolders(args)
	report, ignored := g.lint(ctx, tree, p, slices.Concat(options, []string{"--"}, files), env)
	if ignored {
		return g.Run(ctx, tree) // the project lints fewer files, or counts the warning
	}
	return report
}

// lintedOf returns the changed files that eslint with these arguments would lint. Not ok: a change may concern other files too, or which
// files are linted is unknown.
func lintedOf(p *npm.Project, args []string, scope gate.Scope) (files []string, ok bool) {
	_, folders := lintFolders(args)
	notFolder := func(name string) bool { // but a file or a pattern
		info, err := os.Lstat(filepath.Join(p.Dir, name))
		return err != nil || !info.IsDir()
	}
	if scope.All() || p.Dir != p.Top || !plainRules(p) || len(folders) == 0 || slices.ContainsFunc(args, bringsRules) ||
		slices.ContainsFunc(folders, notFolder) || slices.ContainsFunc(scope.Changed, decidesForOthers) {
		return nil, false
	}
	for _, file := range scope.Changed {
		info, err := os.Lstat(filepath.Join(p.Dir, filepath.FromSlash(file)))
		in := func(folder string) bool {
			return strings.HasPrefix(file, path.Clean(folder)+"/") || path.Clean(folder) == "."
		}
		if path.Ext(file) == ".js" && err == nil && info.Mode().IsRegular() && slices.ContainsFunc(folders, in) {
			files = append(files, file)
		}
	}
	return files, true
}

// decidesForOthers reports whether a changed file may set how others are linted, or may itself only be linted by a setting.
func decidesForOthers(file string) bool {
	name := path.Base(file)
	return npm.Settings.MatchString(name) || strings.Contains(name, "eslint") || npm.IsCode(file) && path.Ext(file) != ".js"
}

// bringsRules reports whether an option of eslint adds rules, or ends the options.
func bringsRules(option string) bool {
	return option == "--" || strings.HasPrefix(option, "--rulesdir") || strings.HasPrefix(option, "--plugin")
}

// lintFolders divides eslint's arguments into options, with their values, and folders.
func lintFolders(args []string) (options, folders []string) {
	for i, arg := range args {
		if strings.HasPrefix(arg, "-") || i > 0 && takesValue(args[i-1]) {
			options = append(options, arg)
		} else {
			folders = append(folders, arg)
		}
	}
	return options, folders
}

// plainRules reports whether no plugin or shared configuration can add rules to eslint's own.
func plainRules(p *npm.Project) bool {
	for _, of := range []npm.Texts{p.Dependencies, p.DevDependencies, p.PeerDependency} {
		for name := range of {
			if strings.Contains(name, "eslint") && !slices.Contains([]string{"eslint", "@eslint/js", "@eslint/eslintrc"}, name) {
				return false
			}
		}
	}
	return true
}
