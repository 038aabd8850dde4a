import type { Domain } from '@shorty/sdk';
import { Option } from 'commander';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import type { Column } from '../../output.js';
import { addPageOptions, listPages, type PageOptions } from '../page-options.js';

interface ListOptions extends PageOptions {
  readonly active?: boolean;
  readonly pending?: boolean;
  readonly hostname?: string;
}

const columns: readonly Column<Domain>[] = [
  { name: 'id', value: (domain) => domain.id, isWhole: true },
  { name: 'hostname', value: (domain) => domain.hostname, isWhole: true },
  { name: 'isActive', value: (domain) => domain.isActive },
  { name: 'verifiedAt', value: (domain) => domain.verifiedAt },
  { name: 'lastError', value: (domain) => domain.lastError },
];

export const define: DefineCommand = (command, start) => {
  command
    .addOption(new Option('--active', 'only active domains').conflicts('pending'))
    .option('--pending', 'only domains that are not verified')
    .option('--hostname <name>', 'only the domain with this hostname');
  addPageOptions(command, 'domain').action((options: ListOptions) =>
    start((context) => listDomains(context, options)),
  );
};

async function listDomains(context: Context, options: ListOptions): Promise<ExitCode> {
  const { active, pending, hostname, ...pages } = options;
  const client = await context.client();
  const filter = {
    ...(active || pending ? { isActive: active === true } : {}),
    ...(hostname === undefined ? {} : { hostname }),
  };
  await listPages(context, pages, columns, (page) =>
    client.domains.list({ ...filter, ...page }, { signal: context.io.interrupt }),
  );
  return exitCodes.done;
}
