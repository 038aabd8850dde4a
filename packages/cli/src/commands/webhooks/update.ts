import type { WebhookUpdateRequest } from '@shorty/sdk';
import { Option } from 'commander';
import { UsageError } from '../../cli-error.js';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { ifMatchOption, withEtag } from '../../etag.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { offerScheme } from '../../scheme.js';
import { addEventOptions, type EventOptions, readEvents } from './event-options.js';
import { addWebhookOptions, readWebhookOptions, type WebhookOptions } from './webhook-options.js';

interface UpdateOptions extends EventOptions, WebhookOptions {
  readonly url?: string;
  readonly active?: boolean;
  readonly inactive?: boolean;
  readonly clear?: readonly Clearable[];
  readonly ifMatch?: string;
}

const clearable = ['description', 'filters', 'headers'] as const;
type Clearable = (typeof clearable)[number];

export const define: DefineCommand = (command, start) => {
  addEventOptions(command.argument('<id>', 'id of the webhook'));
  addWebhookOptions(command)
    .option('--url <url>', 'new URL of the receiver')
    .addOption(new Option('--active', 'resume deliveries, oldest first').conflicts('inactive'))
    .option('--inactive', 'pause deliveries')
    .option('--clear <field>', `field to clear: ${clearable.join(', ')}; repeatable`, collectClear)
    .addOption(ifMatchOption())
    .addHelpText('after', help)
    .action((id: string, options: UpdateOptions) =>
      start((context) => updateWebhook(context, id, options)),
    );
};

const help = `
New filters replace all filters of the webhook, and new headers all headers.`;

async function updateWebhook(
  context: Context,
  id: string,
  options: UpdateOptions,
): Promise<ExitCode> {
  const { url, active, inactive, clear = [], ifMatch } = options;
  const events = readEvents(options);
  const patch: WebhookUpdateRequest = {
    ...(url === undefined ? {} : { url: await offerScheme(url, '--url', context) }),
    ...(events === undefined ? {} : { events }),
    ...(active || inactive ? { isActive: active === true } : {}),
    ...(await readWebhookOptions(options, context)),
  };
  for (const field of clear) {
    if (patch[field] !== undefined) {
      throw new UsageError(`--clear ${field}: another option sets this field`);
    }
    patch[field] = null;
  }
  if (Object.keys(patch).length === 0) {
    throw new UsageError('nothing to change', 'set at least one option; see --help');
  }
  const client = await context.client();
  const call = client.webhooks.update(id, patch, { signal: context.io.interrupt, ifMatch });
  await context.output.record(withEtag(await call.withResponse()));
  return exitCodes.done;
}

function collectClear(text: string, earlier: readonly Clearable[] = []): Clearable[] {
  const field = clearable.find((known) => known === text);
  if (field) return [...earlier, field];
  throw new UsageError(`--clear ${text}: unknown field`, `fields: ${clearable.join(', ')}`);
}
