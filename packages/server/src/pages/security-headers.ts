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
 * helmet's headers for every response except redirects and images. They are constant, so helmet runs
 * once. The TLS proxy sends Strict-Transport-Security, because TLS is configured there.
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

/** Returns the security headers, overridden by `own`, as alternating names and values. */
export function withSecurityHeaders(own: Readonly<Record<string, string>> = {}): readonly string[] {
  return Object.entries({ ...fixed, ...own }).flat();
}
