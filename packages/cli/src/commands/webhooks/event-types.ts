import type { EventTypeDetails } from '@shorty/sdk';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { groupIntoPages } from '../../group-into-pages.js';
import type { Column } from '../../output.js';
import { fieldsOf, type SchemaField } from '../../webhooks/schema-fields.js';
import { unknownEventType } from './event-options.js';

const columns: readonly Column<EventTypeDetails>[] = [
  { name: 'type', value: ({ type }) => type, isWhole: true },
  { name: 'isOptIn', value: ({ isOptIn }) => isOptIn },
  { name: 'description', value: ({ description }) => description },
];

const fieldColumns: readonly Column<SchemaField>[] = [
  { name: 'field', value: ({ path }) => path, isWhole: true },
  { name: 'type', value: ({ type }) => type },
  { name: 'description', value: ({ description }) => description },
];

export const define: DefineCommand = (command, start) => {
  command
    .argument('[type]', 'event type, to show the fields of its body')
    .addHelpText('after', help)
    .action((type: string | undefined) => start((context) => showEventTypes(context, type)));
};

const help = `
With --json, the output also has the JSON schema of the body and an example.
A webhook gets a type with isOptIn only if it names it: * does not include it.`;

async function showEventTypes(
  { client, io, output }: Context,
  type: string | undefined,
): Promise<ExitCode> {
  const { items } = await (await client()).webhooks.eventTypes({ signal: io.interrupt });
  if (type === undefined) {
    await output.list(groupIntoPages(items, 100), columns);
    return exitCodes.done;
  }
  const found = items.find((item) => item.type === type);
  if (!found) {
    const known = items.map((item) => item.type);
    throw unknownEventType(type, known);
  }
  if (output.format !== 'table' || output.fields) {
    await output.record(found);
    return exitCodes.done;
  }
  const { schema, example: _, ...details } = found;
  await output.record(details);
  await output.write('\n');
  await output.list(groupIntoPages(fieldsOf(schema), 100), fieldColumns);
  return exitCodes.done;
}
