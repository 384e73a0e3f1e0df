# The targets that people use. `make run` starts the service, `make test` proves it.

GO ?= go
FUZZTIME ?= 20s

# A race needs two goroutines: these are the packages that start some, or whose tests do. The
# engine's tables are calculated by one, and by many at once in the packages that stand on it.
CONCURRENT = $$(grep -rlE --include='*.go' '(^|[[:space:]])go (func|[a-z][A-Za-z.]*)\(|\.Go\(|t\.Parallel\(' . | xargs -n1 dirname | sort -u)

# Of those, these are tested with the detector in make soak alone: pages, routes and views, which take
# three times as long with it, and stand on packages that are tested with it or are called by such;
# the program; events/log, which starts clusters, whose nodes lose each other where other tests take
# the processor from them; and events/log/natsfile, which reads and mends files byte by byte, of which
# few tests start goroutines. What they have in common with others is run with the detector by the
# tests of commands and http.
PLAIN = ./cmd/reckon|./http/console|./http/admin|./projections|./events/log|./events/log/natsfile
RACING = $$(echo "$(CONCURRENT)" | grep -vxE '$(PLAIN)')

# These tests of cmd/reckon start three nodes, mostly to take something from them, and mostly wait.
# Three programs on two processors lose their leaders by themselves where anything else runs.
CLUSTERS = ^Test(Cluster.*|RestoreIntoCluster|Partition|NetworkLosesPackets|StoppedWhileItWaits)$$

.PHONY: screenshots run build image release reproducible platforms test check clients golden bench fuzz soak

run: build ## Start the service with an account, starter domains and a key.
	bin/reckon serve --dev

build: ## Build the static binary bin/reckon.
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o bin/reckon ./cmd/reckon

image: ## Build the image reckon, for docker-compose.yml, Kubernetes and others.
	docker build -f cmd/reckon/Dockerfile -t reckon .

screenshots: build ## Take the pictures of the README in a headless Chromium, into http/console/screens.
	$(GO) run ./cmd/screens

release: ## Write into dist: the program for Linux, macOS and Windows, the image as an OCI archive, checksums (ONLY=linux/amd64,… for some).
	$(GO) run ./cmd/release -out dist -only "$(ONLY)"

reproducible: ## Make the release of this commit twice, elsewhere and with nothing kept, and compare the bytes.
	@work=$$(mktemp -d) && trap 'chmod -R u+w '$$work'; rm -rf '$$work EXIT && set -e; \
	for way in first second; do \
	  git clone -q . $$work/$$way/clone; \
	  (cd $$work/$$way/clone && GOCACHE=$$work/$$way/cache $(GO) run ./cmd/release -out $$work/$$way/dist -only "$(ONLY)"); \
	done; \
	diff -r $$work/first/dist $$work/second/dist && echo 'the same bytes twice'

platforms: ## Build and vet the program for the systems that this one is not.
	@set -e; vet=$$($(GO) tool -n staticcheck); for os in linux darwin windows; do for arch in amd64 arm64; do \
	  echo "$$os/$$arch"; GOOS=$$os GOARCH=$$arch $(GO) build ./...; GOOS=$$os GOARCH=$$arch $$vet -tests=false ./...; \
	done; done

test: ## Run the tests but for those that take long, of three nodes, of browsers and of what is killed or damaged. `make check` runs them all.
	$(GO) test -short -vet=off ./...

check: ## What CI runs: format, vet, staticcheck, tidy modules, all tests, those of what is concurrent with the race detector, and the generated clients.
	test -z "$$(gofmt -l .)" || { gofmt -l . ; echo 'run gofmt -w .'; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) mod tidy -diff
	$(GO) test -vet=off -timeout 15m -skip '$(CLUSTERS)|^TestClients$$' $$($(GO) list ./... | sed 's,^[^/]*,.,' | grep -vxF "$(RACING)" | grep -vx ./events/log)
	$(GO) test -vet=off -timeout 15m -parallel 1 ./cmd/reckon -run '$(CLUSTERS)'
	$(GO) test -vet=off -timeout 15m -parallel 4 ./events/log
	$(GO) test -vet=off -race -timeout 15m $(RACING)
	$(MAKE) clients
	git diff --exit-code

clients: ## Lint the OpenAPI descriptions, generate clients for TypeScript and Go, compile them.
	schemas/testdata/clients/check.sh

golden: ## Write the expected outputs of tests anew; look at the diff before committing it.
	$(GO) test -count=1 $$(grep -rl 'flag.Bool("update"' --include='*_test.go' . | xargs -n1 dirname | sort -u | grep -vx ./cmd/reckon) -update
	$(GO) test -count=1 ./cmd/reckon -run "^($$(grep -l '\*update' cmd/reckon/*_test.go | xargs grep -ho '^func Test[A-Za-z]*' | cut -c 6- | paste -sd '|'))\$$" -update

bench: ## Run the benchmarks: the engine's workloads beside their goals, all the others, the service beside what the machine allows.
	@$(GO) test ./engine -run '^$$' -bench '^BenchmarkSpeed$$' > bench.out || { cat bench.out; rm -f bench.out; exit 1; }
	@awk 'BEGIN { printf "%-44s %12s %12s %7s %10s %8s\n", "workload", "goal/s", "measured/s", "ratio", "µs", "allocs" } \
	  /^BenchmarkSpeed\// { name = $$1; sub(/^BenchmarkSpeed\//, "", name); sub(/-[0-9]+$$/, "", name); gsub(/_/, " ", name); \
	    for (i = 3; i < NF; i += 2) v[$$(i + 1)] = $$i; \
	    printf "%-44s %12d %12d %7.2f %10.2f %8d\n", name, v["goal/s"], v["ops/s"], v["ops/s"] / v["goal/s"], v["ns/op"] / 1000, v["allocs/op"] }' bench.out
	@rm -f bench.out
	$(GO) test ./... -run '^$$' -bench . -skip '^BenchmarkSpeed$$' -benchmem
	$(GO) run ./cmd/reckon bench

fuzz: ## Run every fuzz target for FUZZTIME.
	@for target in $$(grep -rlE '^func Fuzz' --include='*_test.go' . | xargs -n1 dirname | sort -u); do \
	  for name in $$(grep -hoE '^func Fuzz[A-Za-z0-9_]+' $$target/*_test.go | sed 's/func //'); do \
	    echo "$$target $$name"; $(GO) test $$target -run '^$$' -fuzz "^$$name$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 2s || exit 1; \
	  done; \
	done

soak: fuzz ## Everything that takes longer than a test may. It needs root, loop devices, FUSE and mkfs.ext4, and fails without them.
	RECKON_SOAK=1 $(GO) test ./cmd/reckon -count=1 -timeout 120m -v -run 'Kill|Power|FullDisk|TornBlock|StoreCall|LostAcknowledgement|Backup|Restore|Cluster|Partition|Network|WrongClock|RollingUpgrade|IndexHolds|Mutated|LittleMemory' -mutation-seed 0
	$(GO) test ./projections -run '^$$' -bench Rebuild -benchtime 1x -messages 1000000 -timeout 30m
	$(GO) test -race -count=3 -p 1 -timeout 120m ./...
