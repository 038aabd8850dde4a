import type { RequestInput } from '@shorty/sdk';
import { UsageError } from '../cli-error.js';
import { type CommandRow, repeatable } from '../command.js';
import type { Context } from '../context.js';
import { readJson } from '../read-input.js';

interface ApiInput {
  readonly method: Method;
  readonly path: string;
  readonly field?: readonly string[];
  readonly input?: string;
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof methods)[number];

export const api: CommandRow = {
  summary: 'Call any route of the API',
  examples: [
    'shorty api GET urls -f tag=spring',
    "shorty api GET urls/42/clicks --jq '.totals.totalClicks'",
    'shorty api PATCH urls/42 -f title="Autumn sale" -f isActive:=false',
  ],
  args: {
    '<method>': { text: 'HTTP method', choices: methods, parse: parseMethod },
    '<path>': 'path of the route: urls/42 or /api/v1/urls/42',
  },
  options: {
    '-f, --field <name=value>': repeatable('parameter as text, or name:=JSON'),
    '--input <file>': 'JSON file with the body, or - for stdin',
  },
  help: `Fields are query parameters of GET, and fields of the JSON body otherwise.
Prints the data of the response as JSON. A string that --jq returns is printed
as plain text. shorty open shows the API reference of
the server, which lists all routes.`,
  formats: ['json'],
  run: async (context, input: ApiInput) => {
    const { output, request } = context;
    const sent = await readRequest(context, input);
    const route = toRoute(input.path);
    const client = await context.client();
    await output.json((await client.request(input.method, route, sent, request)) ?? null);
  },
};

function parseMethod(text: string): Method {
  const method = methods.find((each) => each === text.toUpperCase());
  if (method) return method;
  throw new UsageError(`method ${text}: must be ${methods.join(', ')}`, 'such as GET urls/42');
}

/** Completes a path: `urls/42` is `/api/v1/urls/42`. */
function toRoute(path: string): `/${string}` {
  if (/^https?:\/\//i.test(path)) {
    throw new UsageError(`${path}: must be a path, such as urls/42`, '--base-url sets the server');
  }
  const [pathname = ''] = path.split(/[?#]/, 1);
  if (pathname !== path) {
    throw new UsageError(`${path}: must have no query`, 'use --field name=value');
  }
  return path.startsWith('/') ? (path as `/${string}`) : `/api/v1/${path}`;
}

async function readRequest(
  context: Context,
  { method, field = [], input }: ApiInput,
): Promise<RequestInput> {
  const fields = Object.fromEntries(field.map(parseField));
  if (method === 'GET') {
    if (input !== undefined) throw new UsageError('--input: a GET request has no body');
    return { query: fields };
  }
  if (input === undefined) return field.length > 0 ? { query: {}, body: fields } : { query: {} };
  if (field.length > 0) throw new UsageError('--input and --field cannot be used together');
  return { query: {}, body: await readJson(context, input) };
}

/** Parses `name=value` and `name:=JSON`. */
function parseField(text: string): [string, unknown] {
  const sign = text.indexOf('=');
  if (sign < 1 || text.startsWith(':=')) {
    throw new UsageError(`--field ${text}: must have the form name=value or name:=JSON`);
  }
  const value = text.slice(sign + 1);
  const name = text.slice(0, sign);
  if (!name.endsWith(':')) return [name, value];
  try {
    return [name.slice(0, -1), JSON.parse(value)];
  } catch (error) {
    throw new UsageError(`--field ${text}: invalid JSON: ${(error as Error).message}`);
  }
}
