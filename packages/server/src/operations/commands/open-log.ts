import { destination, type Logger } from 'pino';
import type { Config } from '../../config.js';
import { createLogger } from './create-logger.js';

/** The log of a command: lines of JSON on stderr, so that stdout is for people. */
export function openLog({ logLevel }: Config): Logger {
  return createLogger(logLevel, destination({ dest: 2, sync: true }));
}
