import { Agent, fetch as undiciFetch } from 'undici';

export interface NodeFetchOptions {
  /** Connections per server: 16 by default. */
  connections?: number | undefined;
  /** Milliseconds that an idle connection is kept, unless the server says less: 30,000 by default. */
  keepAliveTimeoutMs?: number | undefined;
  /** Milliseconds that opening a connection may take: 10,000 by default. */
  connectTimeoutMs?: number | undefined;
  /** Requests sent on a connection before the first is answered: 1 (none ahead) by default. */
  pipelining?: number | undefined;
}

export interface NodeFetch {
  /** For the `fetch` option of a client; any number of clients may share it. */
  readonly fetch: typeof globalThis.fetch;
  /** Waits for the requests under way and closes the connections. */
  close(): Promise<void>;
}

/**
 * A fetch on connections of its own that are kept open, for Node programs that send much. Needs
 * the package `undici` beside this one.
 *
 * @example
 * ```ts
 * import { Shorty } from '@shorty/sdk';
 * import { nodeFetch } from '@shorty/sdk/node';
 *
 * const { fetch, close } = nodeFetch({ connections: 32 });
 * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e', fetch });
 * console.log(await shorty.usage.get());
 * await close();
 * ```
 */
export function nodeFetch(options: NodeFetchOptions = {}): NodeFetch {
  const {
    connections = 16,
    keepAliveTimeoutMs = 30_000,
    connectTimeoutMs = 10_000,
    pipelining = 1,
  } = options;
  const dispatcher = new Agent({
    connections,
    pipelining,
    keepAliveTimeout: keepAliveTimeoutMs,
    connect: { timeout: connectTimeoutMs },
    // The client's own time-outs hold, and may be longer than the agent's.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  // The same fetch, typed by undici's package instead of Node's types.
  const send = undiciFetch as unknown as (
    input: string | URL | Request,
    init: Omit<RequestInit, 'dispatcher'> & { dispatcher: Agent },
  ) => Promise<Response>;
  return {
    fetch: (input, init) => send(input, { ...init, dispatcher }),
    close: () => dispatcher.close(),
  };
}
