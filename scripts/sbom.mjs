// Renders the software bill of materials (SBOM) of a release as CycloneDX JSON.
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Contrib, Enums, Models, Serialize, Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { PackageURL } from 'packageurl-js';
import { parse } from 'yaml';
import { assets } from '../packages/server/scripts/copy-assets.mjs';
import { root } from './bootstrap.mjs';

const specification = Spec.Spec1dot6;

/**
 * Returns the SBOM: the published packages, and every package that they install or contain, in the
 * versions of pnpm-lock.yaml. It has no date and no random id, so a commit has the same one on each platform.
 * Throws if the document does not match the schema of CycloneDX.
 */
export async function renderSbom(names, version) {
  const lockfile = parse(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8'));
  const bom = new Models.Bom();
  bom.metadata.component = new Models.Component(Enums.ComponentType.Application, 'shorty', {
    bomRef: `shorty@${version}`,
    version,
    licenses: licensesOf('MIT'),
  });
  const components = new Map();
  const add = ({ name, version, integrity, license, isOptional }) => {
    const purl = purlOf(name, version);
    const found = components.get(purl);
    if (found) return { component: found, isNew: false };
    const [base, group] = name.split('/').reverse();
    const component = new Models.Component(Enums.ComponentType.Library, base, {
      bomRef: purl,
      purl,
      version,
      ...(group && { group }),
      scope: isOptional ? Enums.ComponentScope.Optional : Enums.ComponentScope.Required,
      hashes: new Models.HashDictionary(integrity ? [hashOf(integrity)] : []),
      licenses: licensesOf(license),
    });
    components.set(purl, component);
    bom.components.add(component);
    return { component, isNew: true };
  };

  /** Adds a package of the lockfile and all packages that npm installs with it. */
  const addInstalled = (key, from, isParentOptional = false) => {
    const id = key.replace(/\(.*/, '');
    const at = id.lastIndexOf('@');
    const name = id.slice(0, at);
    const locked = lockfile.packages[id];
    const snapshot = lockfile.snapshots[key];
    if (!locked || !snapshot) throw new Error(`pnpm-lock.yaml: has no package ${key}`);
    const folder = findPackage(from, name);
    // A package for one platform: npm installs it, and what it needs, only there.
    const isOptional = isParentOptional || locked.os !== undefined || locked.cpu !== undefined;
    const { component, isNew } = add({
      name,
      version: id.slice(at + 1),
      integrity: locked.resolution.integrity,
      license: folder && manifestIn(folder).license,
      isOptional,
    });
    if (!isNew) {
      if (isOptional || component.scope === Enums.ComponentScope.Required) return component;
      component.scope = Enums.ComponentScope.Required;
    }
    const { dependencies, optionalDependencies } = snapshot;
    for (const [dependency, text] of Object.entries({ ...dependencies, ...optionalDependencies })) {
      // npm installs no optional peer.
      if (locked.peerDependenciesMeta?.[dependency]?.optional) continue;
      const added = addInstalled(`${dependency}@${text}`, folder ?? from, isOptional);
      component.dependencies.add(added.bomRef);
    }
    return component;
  };

  /** Adds a package whose files one of our packages contains. */
  const addContained = (folder) => {
    const { name, version, license } = manifestIn(folder);
    const { integrity } = lockfile.packages[`${name}@${version}`].resolution;
    return add({ name, version, license, integrity }).component;
  };

  const own = new Map();
  for (const name of names) {
    const { component } = add({ ...manifestIn(join(root, 'packages', name)) });
    bom.metadata.component.dependencies.add(component.bomRef);
    own.set(name, component);
  }
  for (const [name, component] of own) {
    const folder = join(root, 'packages', name);
    const installed = lockfile.importers[`packages/${name}`].dependencies ?? {};
    for (const [dependency, { version }] of Object.entries(installed)) {
      const isOwn = version.startsWith('link:');
      const found = isOwn
        ? own.get(dependency.replace('@shorty/', ''))
        : addInstalled(`${dependency}@${version}`, folder);
      component.dependencies.add(found.bomRef);
    }
  }
  for (const folder of copiedByServer())
    own.get('server').dependencies.add(addContained(folder).bomRef);
  for (const folder of bundledByCli()) own.get('cli').dependencies.add(addContained(folder).bomRef);
  for (const name of ['sdk', 'webhook-verifier'])
    own.get('cli').dependencies.add(own.get(name).bomRef);

  const normalizers = new Serialize.JSON.Normalize.Factory(specification);
  const text = new Serialize.JsonSerializer(normalizers).serialize(bom, {
    sortLists: true,
    space: 2,
  });
  const errors = await new Validation.JsonStrictValidator(specification.version).validate(text);
  if (errors) throw new Error(`the SBOM does not match its schema: ${JSON.stringify(errors)}`);
  return `${text}\n`;
}

/** Returns the folders of the packages that have files in the server's `dist`. */
function copiedByServer() {
  const folders = assets
    .map(([source]) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1])
    .filter((name) => name !== undefined)
    .map((name) => findPackage(join(root, 'packages/server'), name));
  return new Set(folders);
}

/** Returns the folders of the packages whose code is in the CLI's bundle, from esbuild's metafile. */
function bundledByCli() {
  const metafile = readFileSync(join(root, 'packages/cli/dist/metafile.json'), 'utf8');
  const folders = Object.values(JSON.parse(metafile).outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => /^.*\/?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0])
    .filter((path) => path !== undefined)
    .map((path) => join(root, path));
  return [...new Set(folders)].sort();
}

/** Returns the folder of the package that a package in `from` imports, if it is installed. */
function findPackage(from, name) {
  for (let folder = from; folder.startsWith(root); folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(found)) return realpathSync(found);
  }
  return undefined;
}

function manifestIn(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function purlOf(name, version) {
  const [base, group] = name.split('/').reverse();
  return new PackageURL('npm', group, base, version, undefined, undefined).toString();
}

function licensesOf(text) {
  const licenses = new Models.LicenseRepository();
  if (text) licenses.add(licenseFactory.makeFromString(text));
  return licenses;
}

const licenseFactory = new Contrib.License.Factories.LicenseFactory((text) => {
  if (!/ (AND|OR|WITH) /.test(text)) throw new Error(`${text} is no SPDX expression`);
});

/** Converts an integrity such as `sha512-` and base64. */
function hashOf(integrity) {
  const [algorithm, digest] = integrity.split('-');
  if (algorithm !== 'sha512') throw new Error(`${integrity}: must be a SHA-512`);
  return [Enums.HashAlgorithm['SHA-512'], Buffer.from(digest, 'base64').toString('hex')];
}
