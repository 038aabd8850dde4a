import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { SignatureV4 } from '@smithy/signature-v4';

const accessKeyId = 'test-key';
const secretAccessKey = 'test-secret';
const region = 'eu-test-1';

/** SHA-256 and HMAC-SHA-256, as AWS's signer calls them. */
class Sha256 {
  readonly #hash;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash =
      secret === undefined
        ? createHash('sha256')
        : createHmac('sha256', secret as string | NodeJS.ArrayBufferView);
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    throw new Error('not used');
  }
}

const signer = new SignatureV4({
  service: 's3',
  region,
  credentials: { accessKeyId, secretAccessKey },
  sha256: Sha256 as never,
  // As S3 requires.
  uriEscapePath: false,
});

export interface S3Server {
  /** The variables with which an export finds the server. */
  readonly environment: Record<string, string>;
  /** The names of the objects, in the order of their first PUT. */
  readonly names: readonly string[];
  /** Called before a PUT is stored, and again before its response. Ends the connection if it returns true. */
  onPut: (name: string, isStored: boolean) => boolean | Promise<boolean>;
  /** The status of the next responses, which store nothing. */
  readonly failures: number[];
  stop(): Promise<void>;
}

/**
 * Starts a server that stores objects of the bucket `visits` as files below a folder. It accepts a PUT
 * only if AWS's own signer computes the same signature for it, and only if the hash is that of the body.
 */
export async function startS3Server(folder: string): Promise<S3Server> {
  const names: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const refuse = (status: number, code: string) => {
      response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
    };
    const failure = s3.failures.shift();
    if (failure !== undefined) return refuse(failure, 'SlowDown');
    const name = decodeURIComponent(/^\/visits\/(.+)$/.exec(request.url ?? '')?.[1] ?? '');
    if (request.method !== 'PUT' || name === '') return refuse(404, 'NoSuchBucket');
    const hash = createHash('sha256').update(body).digest('hex');
    if (request.headers['x-amz-content-sha256'] !== hash) return refuse(400, 'BadDigest');
    if (!(await isSigned(request))) return refuse(403, 'SignatureDoesNotMatch');
    if (await s3.onPut(name, false)) return request.socket.destroy();
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), body);
    if (!names.includes(name)) names.push(name);
    if (await s3.onPut(name, true)) return request.socket.destroy();
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const s3: S3Server = {
    environment: {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_REGION: region,
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
    },
    names,
    onPut: () => false,
    failures: [],
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return s3;
}

/** Encodes a part of a path as S3 does. */
function encode(part: string): string {
  return encodeURIComponent(part).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Compares the signature of a request with that of AWS's signer for the same headers. */
async function isSigned({ headers, method = '', url = '' }: IncomingMessage): Promise<boolean> {
  const { authorization = '', host = '' } = headers;
  const signed = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? [];
  const date = String(headers['x-amz-date']).replace(
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/,
    '$1-$2-$3T$4:$5:$6Z',
  );
  const expected = await signer.sign(
    {
      method,
      protocol: 'http:',
      hostname: host,
      path: decodeURIComponent(url).split('/').map(encode).join('/'),
      headers: Object.fromEntries(signed.map((name) => [name, String(headers[name])])),
    },
    { signingDate: new Date(date), signableHeaders: new Set(signed) },
  );
  const signatureOf = (text = '') => /Signature=([0-9a-f]{64})$/.exec(text)?.[1] ?? '';
  const [given, computed] = [
    signatureOf(authorization),
    signatureOf(expected.headers.authorization),
  ];
  return given !== '' && timingSafeEqual(Buffer.from(given), Buffer.from(computed));
}
