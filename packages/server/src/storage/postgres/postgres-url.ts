const sslModes = ['disable', 'require', 'verify-full'] as const;

export type PostgresAddress = ReturnType<typeof parsePostgresUrl>;

const shape = /^postgres(?:ql)?:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/?]+)\/([^?/]+)(?:\?(.*))?$/;

/**
 * Parses an address in the syntax of libpq. The client tries its hosts in turn until one accepts
 * writes. Throws an error that names the valid form.
 *
 * @example
 * ```ts
 * parsePostgresUrl('postgres://shorty:secret@db1:5432,db2:5432/shorty?sslmode=require');
 * ```
 */
export function parsePostgresUrl(text: string) {
  const [, user = '', password, hosts = '', database = '', query = ''] = shape.exec(text) ?? [];
  if (hosts === '' || database === '' || user === '') {
    throw new Error('it must be like postgres://user:password@host:5432/database');
  }
  return {
    hosts: hosts.split(',').map(parseHost),
    user: decodeURIComponent(user),
    password: password === undefined ? undefined : decodeURIComponent(password),
    database: decodeURIComponent(database),
    /** Undefined connects without TLS. */
    sslMode: parseQuery(query),
  };
}

function parseHost(text: string) {
  const [, bracketed, plain, port = '5432'] =
    /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65_535) {
    throw new Error('its hosts must be like db.example.com:5432, with commas between several');
  }
  return { host, port: Number(port) };
}

function parseQuery(query: string): (typeof sslModes)[number] | undefined {
  let mode: (typeof sslModes)[number] | undefined;
  for (const [name, value] of new URLSearchParams(query)) {
    if (name !== 'sslmode') throw new Error(`it has the parameter ${name}; only sslmode is known`);
    mode = sslModes.find((known) => known === value);
    if (mode === undefined) throw new Error(`its sslmode must be one of ${sslModes.join(', ')}`);
  }
  return mode;
}
