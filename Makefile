# The commands of this repository. Every target is one readable script or command.

.PHONY: help demo quick test test-all soak fuzz check bench update clean

help: ## show this list
	@awk -F ': ## ' '/^[a-z-]+: ## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## build Forge and watch its main job on a sample workspace, with a scripted model
	go build -o bin/forge ./cmd/forge
	bin/forge demo

quick: ## test the Go packages that have changed, without the built program: seconds
	go test -short $$(go list ./... | grep -v '^forge/test/')
	go -C tools test -short ./...

test: ## install what the tests need, and run a few cases of every suite, editors included: seven to eleven minutes on two processors
	scripts/test.sh

test-all: ## run every case of every suite, the race detector everywhere, and look for new inputs: an hour
	scripts/test.sh --all

soak: ## test-all, each crash and race many times, every fuzz target for a minute: hours
	scripts/test.sh --soak

fuzz: ## run every fuzz target for a minute on new inputs
	scripts/fuzz.sh all

check: ## format, vet, lint, tidy, cross-build, generated files, machine paths
	scripts/check.sh

bench: ## measure Forge beside gopls, in one run; ARGS=-help lists the options
	go -C tools build -o ../bin/bench ./bench
	bin/bench $(ARGS)

update: ## rewrite generated files and golden files; look at the diff before you commit it
	scripts/update.sh

clean: ## remove what was built and installed here
	rm -rf bin .cache vscode-extension/out vscode-extension/node_modules test/oracle/node_modules test/definitions/node_modules test/gateways/node_modules test/acp/node_modules test/projects/javascript/node_modules
