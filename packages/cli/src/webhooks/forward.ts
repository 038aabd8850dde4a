import {
  request as httpRequest,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http';
import { request as httpsRequest } from 'node:https';

export interface Forwarded {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

const timeoutMs = 30_000;
const maxAnswerBytes = 1024 * 1024;

// Of one connection, not of the message: RFC 9110, 7.6.1. Lengths are counted anew.
const ofTheConnection = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding'],
  ...['upgrade', 'host', 'content-length', 'expect'],
]);

/** Posts the bytes as they came. Rejects when no whole answer comes. */
export function forward(
  target: URL,
  { headers, body, signal }: { headers: IncomingHttpHeaders; body: Buffer; signal: AbortSignal },
): Promise<Forwarded> {
  const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const limit = AbortSignal.timeout(timeoutMs);
    const message = send(target, {
      method: 'POST',
      headers: { ...endToEnd(headers), 'content-length': body.length },
      signal: AbortSignal.any([signal, limit]),
    });
    const fail = (fault: Error) =>
      reject(limit.aborted ? new Error(`no answer within ${timeoutMs / 1000} s`) : fault);
    message.on('error', fail).on('response', (answer) => {
      const pieces: Buffer[] = [];
      let length = 0;
      answer
        .on('data', (piece: Buffer) => {
          length += piece.length;
          if (length > maxAnswerBytes) answer.destroy(new Error('the answer is longer than 1 MB'));
          else pieces.push(piece);
        })
        .on('error', fail)
        .on('end', () =>
          resolve({
            status: answer.statusCode ?? 502,
            headers: endToEnd(answer.headers),
            body: Buffer.concat(pieces),
          }),
        );
    });
    message.end(body);
  });
}

function endToEnd(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => !ofTheConnection.has(name) && value !== undefined,
    ),
  );
}
