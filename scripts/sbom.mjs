// Renders the software bill of materials (SBOM) of a release as CycloneDX JSON, by `npm sbom`.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assets } from '../packages/server/scripts/copy-assets.mjs';
import { fail, root } from './bootstrap.mjs';

/**
 * Returns the SBOM of the packages in these tarballs: with every package that npm installs with them, and
 * those whose files they contain. It has no date, random id or address of a registry.
 */
export function renderSbom(tarballs) {
  const scratch = mkdtempSync(join(tmpdir(), 'shorty-sbom-'));
  // npm names the document after its folder.
  const folder = join(scratch, 'shorty');
  try {
    mkdirSync(folder);
    const contained = [...copiedByServer(), ...bundledByCli()].map(versionedName);
    const manifest = { name: 'shorty', version: manifestIn('packages/server').version };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    const lock = ['--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'];
    npm(folder, 'install', ...lock, '--prefer-offline', ...tarballs, ...new Set(contained));
    const bom = JSON.parse(
      npm(
        folder,
        'sbom',
        '--package-lock-only',
        '--sbom-format=cyclonedx',
        '--sbom-type=application',
      ),
    );
    delete bom.serialNumber;
    delete bom.metadata.timestamp;
    for (const component of [bom.metadata.component, ...bom.components])
      delete component.externalReferences;
    return `${JSON.stringify(bom, null, 2)}\n`;
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function npm(cwd, ...args) {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
  if (status !== 0) fail(`npm ${args[0]}: ${stderr}`);
  return stdout;
}

/** Returns the folders of the packages that have files in the server's `dist`. */
function copiedByServer() {
  const paths = assets.map(([source]) => join('packages/server', source));
  return paths.map(packageFolder).filter((folder) => folder !== undefined);
}

/** Returns the folders of the packages whose code is in the CLI's bundle, from esbuild's metafile. */
function bundledByCli() {
  const { outputs } = JSON.parse(
    readFileSync(join(root, 'packages/cli/dist/metafile.json'), 'utf8'),
  );
  return Object.values(outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => packageFolder(path))
    .filter((folder) => folder !== undefined);
}

/** Returns the folder of the installed package that a file belongs to. */
function packageFolder(path) {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
}

function versionedName(folder) {
  const { name, version } = manifestIn(folder);
  return `${name}@${version}`;
}

function manifestIn(folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
}
