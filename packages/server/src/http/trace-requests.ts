import type { IncomingMessage, ServerResponse } from 'node:http';
import type * as OpenTelemetry from '@opentelemetry/api';
import type { Tracer } from '@opentelemetry/api';
import { stableRequestIdOf } from './request-id.js';
import { noteTraceId } from './trace-context.js';
import { linkOf, organizationOf } from './visited-link.js';

/** Called at the beginning of each request. Must not throw or change the request. */
export type ObserveRequest = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Returns a function that records a span for each request, with the names of OpenTelemetry's semantic
 * conventions for HTTP servers. The trace of a request continues in the span, and the logs show its id.
 * Spans contain no addresses, user agents, queries or codes of links.
 */
export function traceRequests(
  { propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode }: typeof OpenTelemetry,
  tracer: Tracer,
): ObserveRequest {
  return (request, response) => {
    const { method = '', headers } = request;
    const span = tracer.startSpan(
      method,
      {
        kind: SpanKind.SERVER,
        attributes: {
          'http.request.method': method,
          'network.protocol.version': request.httpVersion,
          'shorty.request_id': stableRequestIdOf(request),
        },
      },
      propagation.extract(ROOT_CONTEXT, headers),
    );
    noteTraceId(request, span.spanContext().traceId);
    response.once('close', () => {
      const link = linkOf(response);
      const route = link ? '/{shortCode}' : routeOf(response);
      if (route !== undefined) {
        span.updateName(`${method} ${route}`);
        span.setAttribute('http.route', route);
      }
      const organizationId = organizationOf(response);
      if (organizationId !== undefined) span.setAttribute('shorty.organization_id', organizationId);
      if (link) span.setAttribute('shorty.url_id', `${link.urlId}`);
      const { statusCode } = response;
      if (response.headersSent) span.setAttribute('http.response.status_code', statusCode);
      const error = response.writableFinished
        ? statusCode >= 500 && `${statusCode}`
        : 'client_disconnected';
      if (error) {
        span.setAttribute('error.type', error);
        // A client that leaves is no error of the server.
        if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    });
  };
}

function routeOf(response: ServerResponse): string | undefined {
  return (response as { locals?: { route?: { path: string } } }).locals?.route?.path;
}
