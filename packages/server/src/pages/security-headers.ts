import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

function collect(set: ReturnType<typeof helmet>): Record<string, string> {
  const fields: Record<string, string> = {};
  class Collector extends ServerResponse {
    override setHeader(name: string, value: number | string | readonly string[]): this {
      fields[name] = String(value);
      return this;
    }
  }
  const request = new IncomingMessage(new Socket());
  set(request, new Collector(request), (error) => {
    if (error) throw error;
  });
  return fields;
}

/**
 * What every answer but a redirect and a picture carries, as helmet sets it: nothing in it runs,
 * loads, frames or is framed. It never differs, so helmet is asked once. Strict-Transport-Security
 * is not among it: whether a host has nothing but HTTPS is known where TLS ends.
 */
const fixed: Readonly<Record<string, string>> = collect(
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: false,
    xFrameOptions: { action: 'deny' },
  }),
);

/** The security headers with others beside them, which win: names and values in turn. */
export function withSecurityHeaders(own: Readonly<Record<string, string>> = {}): readonly string[] {
  return Object.entries({ ...fixed, ...own }).flat();
}
