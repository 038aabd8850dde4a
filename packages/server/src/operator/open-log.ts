import { destination, type Logger, pino } from 'pino';
import type { Config } from '../config.js';

/** The log of a command: lines of JSON on stderr, so that stdout is for people. */
export function openLog({ logLevel }: Config): Logger {
  return pino({ level: logLevel }, destination({ dest: 2, sync: true }));
}
