// What operators deploy with, as far as it can be judged without a container or a service manager.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { parseDocument } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');
const faults = [];
const expectThat = (isSo, fault) => {
  if (!isSo) faults.push(fault);
};

checkDockerfile(read('Dockerfile'));
checkCompose(read('compose.yaml'));
checkUnit('deploy/shorty.service');

for (const fault of faults) console.log(fault);
process.exit(faults.length === 0 ? 0 : 1);

function checkDockerfile(text) {
  for (const { message, range } of validate(text)) {
    faults.push(`Dockerfile:${range.start.line + 1}: ${message}`);
  }
  const file = DockerfileParser.parse(text);
  const images = file.getFROMs().map((from) => from.getImage());
  for (const image of images) {
    expectThat(/:\d+\.\d+\.\d+-/.test(image), `Dockerfile: ${image} is not pinned`);
  }
  expectThat(new Set(images).size === 1, 'Dockerfile: it builds on another image than it runs on');
  const last = (keyword) =>
    file.getInstructions().findLast((each) => each.getKeyword() === keyword);
  const user = last('USER')?.getArgumentsContent();
  expectThat(user && !/^(root|0)\b/.test(user), 'Dockerfile: it runs as root');
  for (const keyword of ['HEALTHCHECK', 'VOLUME', 'STOPSIGNAL']) {
    expectThat(last(keyword), `Dockerfile: there is no ${keyword}`);
  }
  // A shell in between would not hand signals on.
  expectThat(
    last('ENTRYPOINT')?.getArgumentsContent()?.startsWith('['),
    'Dockerfile: its ENTRYPOINT is run by a shell',
  );
  for (const instruction of file.getCOPYs().flatMap((each) => each.getArguments().slice(0, -1))) {
    expectThat(instruction.getValue() !== '.', 'Dockerfile: it copies whatever lies around');
  }
  const version = JSON.parse(read('package.json')).engines.node.replace('>=', '');
  const [major] = version.split('.');
  expectThat(images[0]?.startsWith(`node:${major}.`), `Dockerfile: it is not Node ${major}`);
}

function checkCompose(text) {
  const document = parseDocument(text);
  for (const { message } of [...document.errors, ...document.warnings]) {
    faults.push(`compose.yaml: ${message}`);
  }
  const { services = {}, volumes = {} } = document.toJS() ?? {};
  for (const [name, service] of Object.entries(services)) {
    expectThat(service.read_only === true, `compose.yaml: ${name} can write to its image`);
    expectThat(!service.privileged, `compose.yaml: ${name} is privileged`);
    expectThat(service.cap_drop?.includes('ALL'), `compose.yaml: ${name} keeps capabilities`);
    for (const mount of service.volumes ?? []) {
      const [volume] = mount.split(':');
      expectThat(volume in volumes, `compose.yaml: there is no volume ${volume}`);
    }
    for (const port of service.ports ?? []) {
      expectThat(port.startsWith('127.0.0.1:'), `compose.yaml: ${port} is open to everybody`);
    }
  }
}

/** By systemd itself, where there is one. */
function checkUnit(path) {
  const text = read(path);
  // The paths of an installation, which this machine need not have.
  const folder = mkdtempSync(join(tmpdir(), 'shorty-unit-'));
  const unit = join(folder, 'shorty.service');
  writeFileSync(unit, text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
  try {
    for (const args of [
      ['verify', '--man=no', unit],
      // At most 2.0 of 10: what is left is the network, which it is there for.
      ['security', '--offline=true', '--threshold=20', '--no-pager', unit],
    ]) {
      const { status, stdout, stderr, error } = spawnSync('systemd-analyze', args, {
        encoding: 'utf8',
      });
      if (error?.code === 'ENOENT') {
        console.log(`${path}: not looked at, because systemd-analyze is not here`);
        return;
      }
      // `verify` leaves with 0 although it warns.
      const said = args[0] === 'verify' ? `${stdout}${stderr}`.trim() : stdout.trim();
      if (status !== 0 || (args[0] === 'verify' && said !== '')) faults.push(`${path}: ${said}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
