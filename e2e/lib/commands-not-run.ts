const terminal = 'needs a terminal: packages/cli/test/terminal.test.ts has one';
const registry = 'the packages are not in a registry; e2e/packages.test.ts installs the tarballs';
const packed = 'e2e/packages.test.ts runs the command and installs the tarballs';
const endless = 'serves until it is stopped';
const clone =
  'clones the repository; e2e/start.test.ts and e2e/demo.test.ts run npm start and the demo';
const docker = 'needs a Docker daemon and its network';
const machine = 'changes the users, the folders, the units or the packages of the machine';
const client = "needs PostgreSQL's client programs, which the tests do not install";
const release = 'changes the repository';

/**
 * Blocks of shell commands of the guides that no test runs, by file and first line, with the reason. Each
 * other block has commands of Shorty only, without pipes and redirections, or is marked with `test:run`.
 */
export const blocksNotRun: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'README.md': { 'git clone <this repository> shorty && cd shorty': clone },
  'CONTRIBUTING.md': {
    'npm test            # install, build what changed, run the first stage of the tests':
      'would run this test again; .ci/run runs these commands',
    'npm test packages/server                                             # one package':
      'would run this test again',
  },
  'docs/administration.md': {
    '(umask 077; openssl rand -hex 32 > operator.key)': endless,
    'export SHORTY_OPERATOR_KEY="$(cat operator.key)" SHORTY_BASE_URL=http://127.0.0.1:3001':
      'needs the port 3001; packages/cli/test/admin.test.ts sets the key',
    'printf \'Authorization: Bearer %s\' "$SHORTY_OPERATOR_KEY" |':
      'needs the port 3001; packages/server/test/api/administration.test.ts calls the route',
  },
  'docs/api.md': {
    'SHORTY_CORS_ORIGINS=https://app.example.com,http://localhost:5173 npm start': endless,
  },
  'docs/assistants.md': {
    'claude mcp add shorty -- shorty mcp --profile default': 'a program of others',
  },
  'docs/cli.md': {
    'npm run release': machine,
    'shorty urls list --all --output ndjson | jq -r .shortUrl':
      'needs jq; docs/getting-started.md writes the lines to a file',
  },
  'docs/clients.md': {
    'curl -s https://sho.example/yourls-api.php -d signature=$SHORTY_API_KEY \\':
      'needs a public server; packages/server/test/api/compat.test.ts sends the request',
  },
  'docs/docker.md': { 'git fetch --tags && git checkout v1.0.0': 'needs the next release' },
  'docs/getting-started.md': {
    'git clone <this repository> shorty': clone,
    'export SHORTY_BASE_URL=http://localhost:3000 SHORTY_CLIENT_ID=… SHORTY_CLIENT_SECRET=…':
      'the reader fills in the credentials',
    'npm init -y': 'e2e/packages.test.ts installs the packages in an empty folder',
  },
  'docs/kubernetes.md': {
    'docker build --tag registry.example/shorty:1.0.0-rc.1 . && docker push registry.example/shorty:1.0.0-rc.1':
      'needs Docker and a cluster; e2e/tools/helm-chart.test.ts renders the chart',
    'kubectl scale deployment links-shorty --replicas=0     # unless CHANGELOG.md says that both versions can run together':
      'needs a cluster; e2e/tools/helm-chart.test.ts renders the chart',
  },
  'docs/monitoring.md': {
    'npm install @opentelemetry/auto-instrumentations-node': registry,
  },
  'docs/postgresql.md': {
    'createuser --pwprompt shorty': client,
    'systemctl stop shorty': 'packages/server/test/postgres/move.test.ts moves a database',
    'HOST=10.0.0.11 SHORTY_BASE_URL=https://sho.example SHORTY_TRUST_PROXY=10.0.0.5 SHORTY_ADMIN_LISTEN=:3001 \\':
      'needs the address of the guide; e2e/faults/nodes.test.ts starts two nodes',
    'install -m 0644 deploy/shorty.service /etc/systemd/system/shorty@.service': machine,
    '(umask 077; cat > .env <<END': docker,
    'pg_dump --format=custom --file=shorty.dump postgres://shorty@db1.example/shorty': client,
  },
  'docs/releasing.md': {
    'npm run prepare-release 1.1.0': release,
    'node scripts/pictures.mjs': 'changes the pictures of the documentation',
    '.ci/run': 'would run this test again',
    'git tag --annotate v1.1.0 --message "Shorty 1.1.0"': 'changes the repository',
  },
  'docs/scale.md': {
    'shorty urls visits --since 2030-11-01 --until 2030-11-02 --out visits.ndjson':
      'needs ClickHouse; docs/analytics.md runs the export',
  },
  'docs/sdk.md': {
    'npm --prefix ../shorty run release vendor   # the tarballs of all packages': packed,
  },
  'docs/self-hosting.md': {
    'SHORTY_BASE_URL=https://sho.example SHORTY_TRUST_PROXY=127.0.0.1,::1 \\': endless,
    'SHORTY_ADMIN_LISTEN=127.0.0.1:3001 shorty-server start':
      'serves until it is stopped; packages/server/test/operator/health.test.ts calls both ports',
    '(cd release && sha256sum --check SHA256SUMS)': registry,
  },
  'docs/systemd.md': {
    'useradd --system --home-dir /var/lib/shorty --shell /usr/sbin/nologin shorty':
      'changes the machine; e2e/operator-script.test.ts runs the script',
    'cd /opt/shorty && git fetch --tags && git checkout v1.0.0': 'needs the next release',
  },
  'docs/webhooks.md': {
    'HOOK=https://example.com/hook                          # its URL, description or id':
      'the reader fills in the id of a delivery; packages/cli/test/webhooks.test.ts runs the commands',
  },
  'docs/receivers.md': {
    'npm --prefix ../shorty run release vendor   # the tarballs of all packages': packed,
  },
};

/** Lines of blocks that run which no test runs, with the reason. */
export const linesNotRun: Readonly<Record<string, string>> = {
  'npx shorty login': terminal,
  'npx shorty urls bulk-create examples/links.csv --failed-out bad.csv --out created.csv':
    'exits with 3, because some rows are wrong; docs/getting-started.md runs it',
  'shorty urls erase-visits spring-sale          # asks first': terminal,
  'shorty qr scans spring-sale --since 7d                           # the QR code of a link':
    'the link has no code',
};
