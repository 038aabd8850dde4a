import type { Command } from 'commander';
import type { Start } from '../../../command.js';
import { exitCodes } from '../../../exit-codes.js';

interface RuleOptions {
  readonly reason: string;
  readonly publicSuffix?: boolean;
}

/** Defines a command that blocks or allows a host. */
export function defineSetRule(
  command: Command,
  start: Start,
  path: '/api/v1/admin/blocked-hosts' | '/api/v1/admin/allowed-hosts',
): void {
  command
    .argument('<host>', 'host name, with its subdomains, or IP address; * is every host')
    .requiredOption('--reason <text>', 'why, for other operators')
    .option('--public-suffix', 'accept a host such as github.io, for all names below it')
    .action((host: string, { reason, publicSuffix = false }: RuleOptions) =>
      start(async (context) => {
        const client = await context.operator();
        const body = { host, reason, publicSuffix };
        const request = { signal: context.io.interrupt };
        await context.output.record(await client.request('POST', path, { body }, request));
        return exitCodes.done;
      }),
    );
}
