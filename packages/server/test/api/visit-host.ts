import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';

export interface HostVisit {
  readonly status: number;
  /** Without the date. */
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface HostVisitOptions {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

/** Visits a path as it is on another host, which fetch cannot do. */
export function visitHost(
  origin: string,
  host: string,
  path: string,
  { method = 'GET', headers = {}, body }: HostVisitOptions = {},
): Promise<HostVisit> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const call = request({ hostname, port, path, method, headers: { host, ...headers } });
    call.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => {
        const { date: _, ...rest } = response.headers;
        resolve({ status: response.statusCode ?? 0, headers: rest, text });
      });
    });
    call.end(body);
  });
}

/** Returns the Location of a visit, or its status. */
export async function followHost(...visit: Parameters<typeof visitHost>) {
  const { status, headers } = await visitHost(...visit);
  return headers.location ?? status;
}
