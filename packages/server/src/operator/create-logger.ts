import { type DestinationStream, type Logger, pino } from 'pino';
import { findSecrets } from '../auth/secrets.js';
import type { LogLevel } from '../config.js';

const hidden = '[hidden]';

// Nothing of the kind is logged on purpose; an error may bring it along.
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

/** JSON lines in which no secret stands, neither as a field nor within a text. */
export function createLogger(level: LogLevel, destination: DestinationStream): Logger {
  return pino(
    {
      level,
      redact: {
        paths: secretFields.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: hidden,
      },
      hooks: { streamWrite: (line) => line.replace(findSecrets, hidden) },
    },
    destination,
  );
}
