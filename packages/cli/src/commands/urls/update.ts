import { clearableFields, nearestName } from '@shorty/import';
import type { UrlUpdateRequest } from '@shorty/sdk';
import { Option } from 'commander';
import { UsageError } from '../../cli-error.js';
import { collect, type DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { ifMatchOption, withEtag } from '../../etag.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { findLinkId } from '../../find-link.js';
import { offerScheme } from '../../scheme.js';
import { addLinkOptions, type LinkOptions, readLinkOptions } from './link-options.js';

interface UpdateOptions extends LinkOptions {
  readonly targetUrl?: string;
  readonly externalId?: string;
  readonly active?: boolean;
  readonly inactive?: boolean;
  readonly clear?: readonly string[];
  readonly ifMatch?: string;
}

export const define: DefineCommand = (command, start) => {
  command
    .argument('<link>', 'id, short URL, slug or code of the link')
    .option('--target-url <url>', 'new URL to redirect to')
    .option('--external-id <id>', 'id of the link in another system');
  addLinkOptions(command)
    .addOption(new Option('--active', 'resume the link').conflicts('inactive'))
    .option('--inactive', 'pause the link')
    .option('--clear <field>', 'field to clear; repeatable', collect)
    .addOption(ifMatchOption())
    .action((link: string, options: UpdateOptions) =>
      start((context) => updateUrl(context, link, options)),
    );
};

async function updateUrl(
  context: Context,
  link: string,
  options: UpdateOptions,
): Promise<ExitCode> {
  const { targetUrl, externalId, active, inactive, clear = [], ifMatch, ...fields } = options;
  const patch: UrlUpdateRequest = await readLinkOptions(fields, context);
  if (targetUrl !== undefined) {
    patch.targetUrl = await offerScheme(targetUrl, '--target-url', context);
  }
  if (externalId !== undefined) patch.externalId = externalId;
  if (active || inactive) patch.isActive = active === true;
  for (const name of clear) clearField(patch, name);
  if (Object.keys(patch).length === 0) {
    throw new UsageError('nothing to change', 'set at least one option; see --help');
  }
  const client = await context.client();
  const request = { signal: context.io.interrupt };
  const id = await findLinkId(client, link, request);
  const call = client.urls.update(id, patch, { ...request, ifMatch });
  await context.output.record(withEtag(await call.withResponse()));
  return exitCodes.done;
}

function clearField(patch: UrlUpdateRequest, name: string): void {
  const field = clearableFields.find(
    (known) => known.toLowerCase() === name.replaceAll(/[-_]/g, '').toLowerCase(),
  );
  if (!field) {
    const near = nearestName(name, clearableFields);
    throw new UsageError(
      `--clear ${name}: unknown field`,
      near ? `did you mean ${near}?` : `fields: ${clearableFields.join(', ')}`,
    );
  }
  if (field in patch) throw new UsageError(`--clear ${name}: another option sets this field`);
  Object.assign(patch, { [field]: null });
  if (field === 'password') patch.isPasswordProtected = false;
}
