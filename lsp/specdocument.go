package lsp

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"forge/memory"
)

// latestVersion is how a URI names the latest version of a specification.
const latestVersion = "latest"

// versionOf is a version as memory numbers them: 0 is the latest.
func versionOf(named string) int {
	n, _ := strconv.Atoi(named) // digits, or latest
	return n
}

// specDocument is a version of the specification of a folder.
func (f *front) specDocument(folder string, parts []string) ownDocument {
	return ownDocument{
		file: "spec-" + parts[0] + ".md", name: "the specification, version " + parts[0],
		text: func(ctx context.Context) (string, error) {
			k, at, err := f.kept(folder)
			if err != nil {
				return "", err
			}
			spec, err := k.Spec(ctx, at.Path, versionOf(parts[0]))
			return spec.Text, noVersion(ctx, k, at, err)
		},
	}
}

// changesDocument is what has changed between two versions.
func (f *front) changesDocument(folder string, parts []string) ownDocument {
	return ownDocument{
		file: "spec-" + parts[0] + "-" + parts[1] + ".diff", name: "what has changed in the specification",
		text: func(ctx context.Context) (string, error) {
			k, at, err := f.kept(folder)
			if err != nil {
				return "", err
			}
			from, to, diff, err := k.SpecDiff(ctx, at.Path, versionOf(parts[0]), versionOf(parts[1]))
			if err == nil && diff == "" {
				diff = fmt.Sprintf("Versions %d and %d read the same.\n", from, to)
			}
			return diff, noVersion(ctx, k, at, err)
		},
	}
}

// noVersion says which versions there are, where one is not.
func noVersion(ctx context.Context, k Kept, folder Folder, err error) error {
	if !errors.Is(err, memory.ErrNotFound) {
		return answerable(err)
	}
	latest, none := k.Spec(ctx, folder.Path, 0)
	if none != nil {
		return invalidParams("uri: %s has no specification yet; forge.spec.generate writes one", folder.URI)
	}
	return invalidParams("uri: the specification of %s has no such version; the latest is %d", folder.URI, latest.Version)
}
