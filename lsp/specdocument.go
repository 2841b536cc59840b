package lsp

import (
	"context"
	"fmt"
	"strconv"

	"forge/api/service"
	"forge/lsp/editor"
	"forge/lsp/transport"
)

// latestVersion is how a URI names the latest version of a specification.
const latestVersion = "latest"

// versionOf is a version as memory numbers them: 0 is the latest.
func versionOf(named string) int {
	n, _ := strconv.Atoi(named) // digits, or latest
	return n
}

// specDocument is a version of the specification of a folder.
func (pg *pages) specDocument(folder string, parts []string) ownDocument {
	return ownDocument{
		file: "spec-" + parts[0] + ".md", name: "the specification, version " + parts[0],
		text: func(ctx context.Context) (string, error) {
			at, err := pg.specified(folder)
			if err != nil {
				return "", err
			}
			spec, err := pg.specs.Spec(ctx, at.Path, versionOf(parts[0]))
			return spec.Text, noVersion(ctx, pg.specs, at, err)
		},
	}
}

// specified is the folder whose specification a document is of.
func (pg *pages) specified(named string) (editor.Folder, error) {
	if pg.specs == nil {
		return editor.Folder{}, editor.ErrNoEngine
	}
	return pg.folders.Choose(named)
}

// changesDocument is what has changed between two versions.
func (pg *pages) changesDocument(folder string, parts []string) ownDocument {
	return ownDocument{
		file: "spec-" + parts[0] + "-" + parts[1] + ".diff", name: "what has changed in the specification",
		text: func(ctx context.Context) (string, error) {
			at, err := pg.specified(folder)
			if err != nil {
				return "", err
			}
			from, to, diff, err := pg.specs.SpecDiff(ctx, at.Path, versionOf(parts[0]), versionOf(parts[1]))
			if err == nil && diff == "" {
				diff = fmt.Sprintf("Versions %d and %d read the same.\n", from, to)
			}
			return diff, noVersion(ctx, pg.specs, at, err)
		},
	}
}

// noVersion says which versions there are, where one is not.
func noVersion(ctx context.Context, specs service.SpecStore, folder editor.Folder, err error) error {
	if service.FaultOf(err) != service.NotThere {
		return err
	}
	latest, none := specs.Spec(ctx, folder.Path, 0)
	if none != nil {
		return transport.InvalidParams("uri: %s has no specification yet; forge.spec.generate writes one", folder.URI)
	}
	return transport.InvalidParams("uri: the specification of %s has no such version; the latest is %d", folder.URI, latest.Version)
}
