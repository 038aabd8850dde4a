import { formatUsd } from '@shorty/report';
import type { Usage } from '@shorty/sdk';
import { UsageError } from '../cli-error.js';
import type { DefineCommand } from '../command.js';
import type { Context } from '../context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { groupIntoPages } from '../group-into-pages.js';
import type { Column } from '../output.js';

interface UsageFlags {
  readonly period?: string;
}

interface Row {
  readonly meter: string;
  readonly used: number;
  readonly included?: number | null;
  readonly overage?: number;
  readonly overageUsd?: number;
}

export const define: DefineCommand = (command, start) => {
  command
    .option('--period <month>', 'month in UTC, for example 2030-01 (default: the current month)')
    .action((flags: UsageFlags) => start((context) => showUsage(context, flags)));
};

async function showUsage({ io, output, client }: Context, flags: UsageFlags): Promise<ExitCode> {
  const period = readPeriod(flags.period);
  const query = period === undefined ? {} : { period };
  const usage = await (await client()).usage.get(query, { signal: io.interrupt });
  const { plan } = usage;
  if (output.format === 'json' || output.format === 'ndjson' || output.fields) {
    await output.record(usage);
  } else if (output.format === 'table') {
    await output.record({ period: usage.period, plan });
    await output.write('\n');
    await output.list(groupIntoPages(rowsOf(usage), 100), columns);
  } else {
    // Each row names its month, so that the files of several months can be joined.
    const whole = [
      { name: 'period', value: () => usage.period },
      { name: 'plan', value: () => plan },
      ...columns,
    ];
    await output.list(groupIntoPages(rowsOf(usage), 100), whole);
  }
  return exitCodes.done;
}

const columns: readonly Column<Row>[] = [
  { name: 'meter', value: ({ meter }) => meter, isWhole: true },
  { name: 'used', value: ({ used }) => used, isWhole: true },
  {
    name: 'included',
    value: ({ included }) => (included === null ? 'unlimited' : included),
    isWhole: true,
  },
  { name: 'overage', value: ({ overage }) => overage, isWhole: true },
  {
    name: 'overageUsd',
    value: ({ overageUsd }) => (overageUsd === undefined ? undefined : formatUsd(overageUsd)),
    isWhole: true,
  },
];

function rowsOf({ meters, links }: Usage): Row[] {
  return [
    { meter: 'links', ...links },
    ...Object.entries(meters).map(([meter, amounts]) => ({ meter, ...amounts })),
  ];
}

function readPeriod(text: string | undefined): string | undefined {
  if (text === undefined || /^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return text;
  throw new UsageError(`--period ${text}: must be a year and a month`, 'for example 2030-01');
}
