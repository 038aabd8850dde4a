import { expect, it } from 'vitest';
import { ConfigError } from '../../config-error.js';
import { explainNativeModule } from './native-module.js';

it('says in one line what to run when SQLite is compiled for another Node', () => {
  const cause = Object.assign(new Error('NODE_MODULE_VERSION 115.\nThis version requires 137.'), {
    code: 'ERR_DLOPEN_FAILED',
  });
  const explained = explainNativeModule(new ConfigError('SHORTY_DATABASE_URL', { cause }));
  expect(explained).toMatch(
    /^better-sqlite3 is compiled for another version than Node v[\d.]+: run npm --prefix '\/.+\/better-sqlite3' run install, which needs .+$/,
  );
  expect(explainNativeModule(new ConfigError('another problem'))).toBeUndefined();
});

it('says the same when there is no compiled module', () => {
  const missing = new Error('Could not locate the bindings file. Tried:\n → build/a.node');
  expect(explainNativeModule(missing)).toMatch(/^better-sqlite3 is not compiled for Node v.+$/);
});
