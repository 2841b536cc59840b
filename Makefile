# What a person does with this repository. Every target is one readable script or command.

.PHONY: help demo test fuzz check bench update clean

help: ## show this list
	@awk -F ': ## ' '/^[a-z]+: ## / { printf "  make %-7s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## build Forge and watch its main job on a sample workspace, with a scripted model
	go build -o bin/forge ./cmd/forge
	bin/forge demo

test: ## install what the tests need, and run all of them: Go, fuzzing, real projects, extension, Neovim, VS Code
	scripts/test.sh

fuzz: ## run every fuzz target for a minute on new inputs
	scripts/fuzz.sh all

check: ## format, vet, lint, tidy, cross-build, generated files, machine paths
	scripts/check.sh

bench: ## measure Forge beside gopls, in one run
	go run ./internal/bench

update: ## rewrite generated files and golden files; look at the diff before you commit it
	scripts/update.sh

clean: ## remove what was built and installed here
	rm -rf bin .cache vscode-extension/out vscode-extension/node_modules test/oracle/node_modules test/definitions/node_modules test/gateways/node_modules test/projects/javascript/node_modules
