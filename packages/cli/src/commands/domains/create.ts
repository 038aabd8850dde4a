import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { writeDomain } from './write-domain.js';

export const define: DefineCommand = (command, start) => {
  command
    .argument('<hostname>', 'hostname of the links, for example go.example.com')
    .action((hostname: string) => start((context) => createDomain(context, hostname)));
};

async function createDomain(context: Context, hostname: string): Promise<ExitCode> {
  const { io, output } = context;
  const client = await context.client();
  const domain = await client.domains.create({ hostname }, { signal: io.interrupt });
  await writeDomain(context, domain);
  const { name, type, value } = domain.txtRecord;
  output.note(`\nSet this record in DNS:\n\n  ${name}  ${type}  ${value}\n`);
  output.note(`Then run: shorty domains verify ${domain.id} --wait`);
  return exitCodes.done;
}
