import { readFile } from 'node:fs/promises';
import type { DomainUpdateRequest, Shorty } from '@shorty/sdk';
import { UsageError } from '../../cli-error.js';
import { collect, type DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { writeDomain } from './write-domain.js';

interface UpdateOptions extends Pick<Settings, 'ignoreCase' | 'forwardQuery' | 'forwardPath'> {
  readonly rootUrl?: string;
  readonly notFoundUrl?: string;
  readonly expiredUrl?: string;
  readonly appleAppSiteAssociation?: string;
  readonly assetLinks?: string;
  readonly clear?: readonly string[];
}

type Settings = Readonly<DomainUpdateRequest>;

const clearable = [
  'rootUrl',
  'notFoundUrl',
  'expiredUrl',
  'appleAppSiteAssociation',
  'assetLinks',
] as const satisfies readonly (keyof Settings)[];

export const define: DefineCommand = (command, start) => {
  command
    .argument('<domain>', 'hostname or id of the domain')
    .option('--root-url <url>', 'where / leads')
    .option('--not-found-url <url>', 'where addresses without a link lead')
    .option('--expired-url <url>', 'where expired, paused and deleted links lead')
    .option('--ignore-case', 'find links in any case')
    .option('--no-ignore-case', 'find links in their own case only')
    .option('--forward-query', 'add the query of a visit to targets')
    .option('--no-forward-query', 'do not, unless a link does')
    .option('--forward-path', 'add the path after a link to targets')
    .option('--no-forward-path', 'do not, unless a link does')
    .option('--apple-app-site-association <file>', 'JSON file for iOS apps')
    .option('--asset-links <file>', 'JSON file for Android apps')
    .option('--clear <field>', 'field to clear; repeatable', collect)
    .action((domain: string, options: UpdateOptions) =>
      start((context) => updateDomain(context, domain, options)),
    );
};

async function updateDomain(
  context: Context,
  domain: string,
  options: UpdateOptions,
): Promise<ExitCode> {
  const { appleAppSiteAssociation, assetLinks, clear = [], ...settings } = options;
  const patch: DomainUpdateRequest = { ...settings };
  if (appleAppSiteAssociation !== undefined) {
    const option = '--apple-app-site-association';
    patch.appleAppSiteAssociation = await readDocument(option, appleAppSiteAssociation);
  }
  if (assetLinks !== undefined) {
    patch.assetLinks = await readDocument('--asset-links', assetLinks);
  }
  for (const name of clear) clearField(patch, name);
  if (Object.keys(patch).length === 0) {
    throw new UsageError('nothing to change', 'set at least one option; see --help');
  }
  const client = await context.client();
  const request = { signal: context.io.interrupt };
  const id = await findDomainId(client, domain, request);
  await writeDomain(context, await client.domains.update(id, patch, request));
  return exitCodes.done;
}

async function findDomainId(
  client: Shorty,
  domain: string,
  request: { readonly signal: AbortSignal },
): Promise<string> {
  // No hostname is like an id, because it has a dot.
  if (!domain.includes('.')) return domain;
  const { items } = await client.domains.list({ hostname: domain }, request);
  const [found] = items;
  if (found) return found.id;
  throw new UsageError(`no domain ${domain}`, 'list them with: shorty domains list');
}

// The server checks the form of the documents.
async function readDocument(option: string, path: string) {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`${option} ${path}: ${(error as Error).message}`);
  }
}

function clearField(patch: DomainUpdateRequest, name: string): void {
  const field = clearable.find(
    (known) => known.toLowerCase() === name.replaceAll(/[-_]/g, '').toLowerCase(),
  );
  if (!field)
    throw new UsageError(`--clear ${name}: unknown field`, `fields: ${clearable.join(', ')}`);
  if (patch[field] !== undefined)
    throw new UsageError(`--clear ${name}: another option sets this field`);
  patch[field] = null;
}
