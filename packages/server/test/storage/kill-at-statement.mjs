// Loaded with --import: kills the process before the first statement that contains KILL_AT.
import SqliteHandle from 'better-sqlite3';
import pg from 'pg';

function killAt(prototype, method, textOf) {
  const original = prototype[method];
  prototype[method] = function (...parameters) {
    if (textOf(parameters[0]).includes(process.env.KILL_AT)) process.kill(process.pid, 'SIGKILL');
    return original.apply(this, parameters);
  };
}

killAt(SqliteHandle.prototype, 'prepare', (text) => text);
killAt(pg.Client.prototype, 'query', (query) => query?.text ?? String(query));
