import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import { hideSecrets } from '../../auth/secrets.js';
import type { LogLevel } from '../../config.js';

/** The maximum length of a text in a log line. Paths and messages may quote untrusted input. */
export const maxLoggedLength = 2048;
const maxLoggedItems = 50;
const maxLoggedDepth = 4;

const hidden = '[hidden]';

// No code logs these fields, but an error may contain them.
const secretFields = [
  'authorization',
  'cookie',
  'password',
  'passwordHash',
  'secret',
  'clientSecret',
  'client_secret',
  'accessToken',
  'access_token',
];

/** Creates a logger of JSON lines that hides secrets in fields and within texts. */
export function createLogger(level: LogLevel, destination: DestinationStream): Logger {
  return pino(
    {
      level,
      redact: {
        paths: secretFields.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: hidden,
      },
      formatters: { log: (fields) => cutFields(fields, 0) },
      serializers: { err: (error) => cutFields(stdSerializers.err(error), 0) },
      hooks: { streamWrite: (line) => escapeControls(hideSecrets(line, hidden)) },
    },
    destination,
  );
}

function cutFields(fields: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields)
      .slice(0, maxLoggedItems)
      .map(([name, value]) => [name, cutValue(value, depth + 1)]),
  );
}

function cutValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cutText(value);
  // The error serializer reads errors and cuts their fields.
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  if ('toJSON' in value) return value;
  if (depth >= maxLoggedDepth) return '[nested]';
  if (Array.isArray(value)) {
    return value.slice(0, maxLoggedItems).map((item) => cutValue(item, depth + 1));
  }
  return cutFields(value, depth);
}

function cutText(text: string): string {
  if (text.length <= maxLoggedLength) return text;
  return `${text.slice(0, maxLoggedLength)}… (${text.length} characters)`;
}

// JSON escapes controls below 0x20. Terminals also obey C1 controls; bidi controls reorder a line.
const controls = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

function escapeControls(line: string): string {
  return line.replace(
    controls,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
