import { createRequire } from 'node:module';
import { dirname } from 'node:path';

const require = createRequire(import.meta.url);

/**
 * Returns what to run if SQLite's native module cannot be loaded, such as after an upgrade of Node.
 * Returns undefined for any other error.
 */
export function explainNativeModule(error: unknown): string | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { code, message } = each as NodeJS.ErrnoException;
    const isMissing = message.startsWith('Could not locate the bindings file');
    if (!isMissing && code !== 'ERR_DLOPEN_FAILED') continue;
    const folder = dirname(require.resolve('better-sqlite3/package.json'));
    const problem = isMissing
      ? 'is not compiled for Node'
      : 'is compiled for another version than Node';
    return `better-sqlite3 ${problem} ${process.version}: run npm --prefix '${folder}' run install, which needs Python 3, make and a C++ compiler if it cannot download the module`;
  }
  return undefined;
}
