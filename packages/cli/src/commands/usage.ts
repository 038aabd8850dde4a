import { formatUsd } from '@shorty/report';
import type { Usage } from '@shorty/sdk';
import type { CommandRow } from '../command.js';
import type { Context } from '../context.js';
import { type Column, columnsOf } from '../output.js';

interface Row {
  readonly meter: string;
  readonly used: number;
  readonly included?: number | null;
  readonly overage?: number;
  readonly overageUsd?: number;
}

export const usage: CommandRow = {
  summary: 'Show the usage of a month and the limits of the plan',
  examples: ['shorty usage', 'shorty usage --period 2026-10 --output csv'],
  options: { '--period <month>': 'month in UTC, for example 2030-01 (default: the current month)' },
  run: showUsage,
};

async function showUsage(
  { output, request, client }: Context,
  { period }: { readonly period?: string },
): Promise<undefined> {
  const query = period === undefined ? {} : { period };
  const usage = await (await client()).usage.get(query, request);
  const { plan } = usage;
  if (output.format === 'json' || output.format === 'ndjson' || output.fields) {
    await output.record(usage);
  } else if (output.format === 'table') {
    await output.record({ period: usage.period, plan });
    await output.write('\n');
    await output.list([rowsOf(usage)], columns);
  } else {
    // Each row names its month, so that the files of several months can be joined.
    const whole = [
      { name: 'period', value: () => usage.period },
      { name: 'plan', value: () => plan },
      ...columns,
    ];
    await output.list([rowsOf(usage)], whole);
  }
}

const columns: readonly Column<Row>[] = [
  ...columnsOf<Row>('meter', 'used'),
  { name: 'included', value: ({ included }) => (included === null ? 'unlimited' : included) },
  ...columnsOf<Row>('overage'),
  {
    name: 'overageUsd',
    value: ({ overageUsd }) => (overageUsd === undefined ? undefined : formatUsd(overageUsd)),
  },
];

function rowsOf({ meters, links }: Usage): Row[] {
  return [
    { meter: 'links', ...links },
    ...Object.entries(meters).map(([meter, amounts]) => ({ meter, ...amounts })),
  ];
}
