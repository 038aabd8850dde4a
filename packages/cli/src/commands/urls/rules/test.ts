import type { RuleTestQuery } from '@shorty/sdk';
import type { DefineCommand } from '../../../command.js';
import type { Context } from '../../../context.js';
import { type ExitCode, exitCodes } from '../../../exit-codes.js';
import { findLinkId } from '../../../find-link.js';

// The names are those of the query parameters.
const options = [
  ['--device <type>', 'type of device: desktop, mobile, …'],
  ['--os <name>', 'operating system, such as iOS'],
  ['--browser <name>', 'browser, such as Firefox'],
  ['--country <code>', 'country, such as DE'],
  ['--language <languages>', 'Accept-Language, such as de or de-AT,en;q=0.8'],
  ['--query <query>', 'query of the visit, such as ref=mail'],
  ['--referrer <host>', 'host of the referring page'],
  ['--at <time>', 'time of the visit (default: now)'],
] as const;

export const define: DefineCommand = (command, start) => {
  command.argument('<link>', 'id, short URL, slug or code of the link');
  for (const [flags, description] of options) command.option(flags, description);
  command.action((link: string, visit: RuleTestQuery) =>
    start((context) => testRules(context, link, visit)),
  );
};

async function testRules(context: Context, link: string, visit: RuleTestQuery): Promise<ExitCode> {
  const { output, io } = context;
  const client = await context.client();
  const request = { signal: io.interrupt };
  const id = await findLinkId(client, link, request);
  const result = await client.urls.testRules(id, visit, request);
  if (output.format === 'json') {
    await output.record(result);
    return exitCodes.done;
  }
  for (const { rule, condition } of result.skipped) {
    output.note(`rule ${rule} does not match: ${condition}`);
  }
  await output.list(onePage(result.outcomes), [
    { name: 'variant', value: ({ variant }) => variant },
    { name: 'share', value: ({ share }) => share },
    { name: 'location', value: ({ location }) => location, isWhole: true },
  ]);
  return exitCodes.done;
}

async function* onePage<Row>(rows: readonly Row[]) {
  yield rows;
}
