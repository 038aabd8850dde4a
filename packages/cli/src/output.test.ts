import { describe, expect, test } from 'vitest';
import { fakeIo } from '../test/fake-io.js';
import { columnsOf, type OutputFormat, outputFormats } from './format-rows.js';
import { allowsColor, Output } from './output.js';

const columns = [
  { name: 'id', value: (item: Item) => item.id },
  { name: 'title', value: (item: Item) => item.title },
];

async function* pages<T>(...items: T[][]): AsyncGenerator<T[]> {
  yield* items;
}

async function printed(format: OutputFormat, ...items: Item[][]) {
  const io = fakeIo();
  const output = new Output(io, { format, isQuiet: false, allowsColor: true });
  await output.list(pages(...items), columns, { total: 9 });
  return io.text;
}

interface Item {
  readonly id: string;
  readonly title: string | null;
}

const first: Item = { id: '1', title: 'A' };
const second: Item = { id: '22', title: null };

test('a record ends with its lists, without buckets in which nothing was counted', async () => {
  const io = fakeIo();
  const output = new Output(io, { format: 'table', isQuiet: false, allowsColor: true });
  const series = [
    { bucket: 'monday', clicks: 0 },
    { bucket: 'tuesday', clicks: 2 },
  ];
  await output.record({ attempts: [{ error: 'reset' }], empty: [{ count: 0 }], series, id: '7' });
  expect(io.text.stdout).toBe(
    'id  7\n\nattempts\nerror\nreset\n\nseries\nbucket   clicks\ntuesday  2\n',
  );
});

describe('lists', () => {
  test('table', async () => {
    expect(await printed('table', [first, second])).toEqual({
      stdout: 'id  title\n1   A\n22\n',
      stderr: '',
    });
    expect(await printed('table')).toEqual({ stdout: '', stderr: 'nothing found\n' });
  });

  test('json is one document, also without items', async () => {
    const { stdout } = await printed('json', [first], [], [second]);
    expect(JSON.parse(stdout)).toEqual({ total: 9, items: [first, second] });
    expect(JSON.parse((await printed('json')).stdout)).toEqual({ total: 9, items: [] });
  });

  test('ndjson and csv', async () => {
    expect((await printed('ndjson', [first], [second])).stdout).toBe(
      '{"id":"1","title":"A"}\n{"id":"22","title":null}\n',
    );
    expect((await printed('csv', [first], [second])).stdout).toBe('id,title\n1,A\n22,\n');
    expect((await printed('csv')).stdout).toBe('id,title\n');
  });

  test('untrusted text cannot start a spreadsheet formula', async () => {
    const hostile = { id: '1', title: '=HYPERLINK()' };
    expect((await printed('csv', [hostile])).stdout).toContain("1,'=HYPERLINK()");
    const io = fakeIo();
    await new Output(io, { format: 'csv', isQuiet: false, allowsColor: true }).record(hostile);
    expect(io.text.stdout).toContain("1,'=HYPERLINK()");
  });
});

test('a terminal of unknown size, which has 0 columns, gets every column that fits into 80', async () => {
  const io = fakeIo({ isTerminal: true });
  Object.assign(io.stdout, { columns: 0 });
  const output = new Output(io, { format: 'table', isQuiet: false, allowsColor: false });
  await output.list(pages([first, second]), columns);
  expect(io.text).toEqual({ stdout: 'id  title\n1   A\n22\n', stderr: '' });
});

test('a table on a terminal leaves out the last columns that do not fit, unless they are asked for', async () => {
  const row = {
    name: 'a name',
    scopes: 'urls:read '.repeat(9),
    lastUsedAt: 't'.repeat(24),
    note: 1,
    shortUrl: 'https://sho.example/spring-sale',
  };
  const lines = async (fields?: string[]) => {
    const io = fakeIo({ isTerminal: true });
    Object.assign(io.stdout, { columns: 39 });
    const options = { format: 'table', isQuiet: false, allowsColor: false, fields } as const;
    const output = new Output(io, options);
    await output.list(pages([row]), columnsOf<typeof row>('name', 'scopes', 'lastUsedAt', 'note'));
    return io.text.stdout.trimEnd().split('\n');
  };
  const [header, cells = ''] = await lines();
  expect(header?.split(/ +/)).toEqual(['name', 'scopes', 'lastUsedAt']);
  expect(cells).toHaveLength(39);
  const all = ['name', 'scopes', 'lastUsedAt', 'note'];
  expect((await lines(all))[0]?.split(/ +/)).toEqual(all);
  // Also a field that is no column of the list is whole, if it is copied.
  expect((await lines(['scopes', 'shortUrl']))[1]).toContain(row.shortUrl);
});

// Escape sequences with C0 and C1 controls, bidi controls, and separators.
const hostile = 'a\u001b[2Jb\u009b2Jc\u202ed\u2066e\u200ff\u2028g\u007fh';
const dangerous = /(?!\n)[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

test.each(outputFormats)('no character of the server controls the terminal: %s', async (format) => {
  const io = fakeIo({ isTerminal: true, env: { TERM: 'dumb' } });
  const output = new Output(io, { format, isQuiet: false, allowsColor: false });
  await output.list(pages([{ id: '1', title: hostile }]), columns);
  await output.record({ title: hostile, nested: { [hostile]: hostile } });
  output.warn(`two lines\n${hostile}`);
  expect(io.text.stdout).toContain('[2J');
  expect(io.text.stdout).not.toMatch(dangerous);
  expect(io.text.stderr).toContain('two lines\na');
  expect(io.text.stderr).not.toMatch(dangerous);
});

test('json has the characters as escape sequences, and csv in a file has them unchanged', async () => {
  const item = { id: '1', title: hostile };
  expect(JSON.parse((await printed('json', [item])).stdout).items).toEqual([item]);
  expect((await printed('csv', [item])).stdout).toBe(`id,title\n1,${hostile}\n`);
});

describe('--fields', () => {
  async function selected(format: OutputFormat, fields: string[], items: Item[] = [first]) {
    const io = fakeIo();
    const output = new Output(io, { format, isQuiet: true, allowsColor: false, fields });
    await output.list(pages(items), columns);
    return io.text.stdout;
  }

  test('selects and orders the fields of every format', async () => {
    expect(await selected('table', ['title', 'id'])).toBe('title  id\nA      1\n');
    expect(await selected('csv', ['title'])).toBe('title\nA\n');
    expect(await selected('csv', ['title'], [])).toBe('title\n');
    expect(await selected('ndjson', ['title', 'id'])).toBe('{"title":"A","id":"1"}\n');
    expect(JSON.parse(await selected('json', ['id']))).toEqual({ items: [{ id: '1' }] });
  });

  test.each([
    ['ndjson', '{"error":null}\n'],
    ['json', '{"items":[\n{"error":null}\n]}\n'],
    ['csv', 'error\n\n'],
  ] as const)('has a column that an item does not have as a field: %s', async (format, text) => {
    const io = fakeIo();
    const fields = ['error'];
    const output = new Output(io, { format, isQuiet: true, allowsColor: false, fields });
    await output.list(pages([first]), [{ name: 'error', value: () => null }]);
    expect(io.text.stdout).toBe(text);
  });

  test('an unknown field is a usage error before the first byte', async () => {
    for (const format of outputFormats) {
      const error = await selected(format, ['tittle']).catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        message: '--fields tittle: unknown field',
        hint: 'did you mean title?',
      });
    }
  });
});

test('record formats', async () => {
  const record = { id: '1', tags: ['a', 'b'], utm: { x: '1' }, none: null };
  const shown = async (format: OutputFormat) => {
    const io = fakeIo();
    await new Output(io, { format, isQuiet: false, allowsColor: true }).record(record);
    return io.text.stdout;
  };
  expect(await shown('table')).toBe('id     1\ntags   a|b\nutm.x  1\n');
  expect(JSON.parse(await shown('json'))).toEqual(record);
  expect(await shown('ndjson')).toBe(`${JSON.stringify(record)}\n`);
  expect(await shown('csv')).toBe('id,tags,utm,none\n1,a|b,"{""x"":""1""}",\n');
});

test('--quiet hides notes and prints warnings', () => {
  const io = fakeIo();
  const output = new Output(io, { format: 'table', isQuiet: true, allowsColor: true });
  output.note('note');
  output.warn('warning');
  expect(io.text.stderr).toBe('warning\n');
});

const dim = '\u001b[2m';
test.each([
  [{ isTerminal: true }, {}, true],
  [{ isTerminal: false, env: { FORCE_COLOR: '1' } }, {}, false],
  [{ isTerminal: true, env: { NO_COLOR: '1' } }, {}, false],
  [{ isTerminal: true, env: { NO_COLOR: '' } }, {}, true],
  [{ isTerminal: true, env: { TERM: 'dumb' } }, {}, false],
  [{ isTerminal: true, env: { CI: 'true' } }, {}, false],
  [{ isTerminal: true }, { color: false }, false],
])('colors on %j with flags %j: %s', async (terminal, flags, expected) => {
  const io = fakeIo(terminal);
  const options = { format: 'table', isQuiet: false } as const;
  const output = new Output(io, { ...options, allowsColor: allowsColor(flags, io.env) });
  await output.record(first);
  expect(io.text.stdout.includes(dim)).toBe(expected);
});
