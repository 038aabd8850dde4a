/**
 * The treatment of a request: send it, lose its response or the second half of it, reject it with 503 for
 * now or for an hour, or never respond.
 */
export type Fault = 'pass' | 'lose response' | 'cut response' | 'unavailable' | 'away' | 'hold';

/** Injects faults into bulk requests, or into the requests that `isAffected` selects. */
export class FaultyFetch {
  /** Returns the fault of the nth affected request, from 0. */
  decide: (index: number) => Fault = () => 'pass';
  /** The idempotency keys of affected requests, in order. */
  readonly keys: string[] = [];
  /** Resolves when the first request is held. */
  readonly held: Promise<void>;
  readonly #isAffected: (path: string) => boolean;
  #hold = () => {};

  constructor(isAffected: (path: string) => boolean = (path) => path === '/api/v1/urls/bulk') {
    this.#isAffected = isAffected;
    this.held = new Promise((resolve) => {
      this.#hold = resolve;
    });
  }

  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    if (!this.#isAffected(pathname + search)) return fetch(request);
    this.keys.push(String(request.headers.get('idempotency-key')));
    const fault = this.decide(this.keys.length - 1);
    if (fault === 'hold') {
      this.#hold();
      return new Promise(() => {});
    }
    const delay = { unavailable: '0', away: '3600' }[fault as string];
    if (delay) return new Response(null, { status: 503, headers: { 'retry-after': delay } });
    const response = await fetch(request);
    if (fault === 'lose response') throw new TypeError('fetch failed');
    return fault === 'cut response' ? halfOf(response) : response;
  };
}

async function halfOf(response: Response): Promise<Response> {
  const text = await response.text();
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text.slice(0, text.length >> 1)));
      controller.error(new Error('other side closed'));
    },
  });
  return new Response(body, { status: response.status, headers: response.headers });
}
