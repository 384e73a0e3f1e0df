#!/usr/bin/env bash
# Lints the descriptions of the interface, generates clients of them for TypeScript and Go, and
# compiles both with a program that reads results; checks the clients that reckon prints; and has the
# official TypeScript client of the Model Context Protocol call reckon. All but Go needs Node.js and npm.
set -euo pipefail
cd "$(dirname "$0")"
schemas=$(cd ../.. && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r go typescript "$work"

cd "$work/go"
for version in openapi openapi.v1; do
	mkdir $version
	go tool oapi-codegen -generate types,client -package main -o $version/client.go "$schemas/$version.yaml"
	cp main.go.txt $version/main.go
done
go vet ./openapi ./openapi.v1
echo "go: both clients compile"

if ! command -v npm >/dev/null; then
	echo "NOT RUN: the TypeScript client and the linters need Node.js and npm"
	exit 0
fi
cd "$work/typescript"
npm install --no-audit --no-fund --no-package-lock --loglevel=error --ignore-scripts
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true
for version in openapi openapi.v1; do
	npx --no-install redocly lint --config redocly.yaml "$schemas/$version.yaml"
	npx --no-install spectral lint --ruleset spectral.yaml --fail-severity warn "$schemas/$version.yaml"
	npx --no-install openapi-typescript "$schemas/$version.yaml" -o client/schema.d.ts
	npx --no-install tsc --strict --noEmit --skipLibCheck false --module nodenext --target es2022 client/main.ts
done
echo "TypeScript: both clients compile"

# The clients that reckon prints. The test has each of them ask a service.
cp "$schemas/../cmd/reckon/clients/reckon.ts" "$schemas/../cmd/reckon/clients/reckon.py" .
npx --no-install tsc --strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes --noImplicitOverride --erasableSyntaxOnly \
	--module nodenext --target es2022 --lib es2022,dom --outDir printed reckon.ts
npx --no-install pyright --project pyright.json
(cd "$schemas/.." && RECKON_CLIENT_MODULE="$work/typescript/printed/reckon.js" go test -count=1 ./cmd/reckon -run '^TestClients$')
echo "Printed clients: TypeScript and Python are strictly typed, and all of them ask alike"

(cd "$schemas/.." && go build -o "$work/reckon" ./cmd/reckon)
node assistant.mjs "$work/reckon" "$work/trip.yaml"
