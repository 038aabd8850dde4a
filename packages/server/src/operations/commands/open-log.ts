import { destination, type Logger } from 'pino';
import type { Config } from '../../config.js';
import { createLogger } from './create-logger.js';

/** Opens the log of a command: JSON lines on stderr. Output for people goes to stdout. */
export function openLog({ logLevel }: Config): Logger {
  return createLogger(logLevel, destination({ dest: 2, sync: true }));
}
