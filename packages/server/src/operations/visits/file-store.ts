import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { basename, dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { ConfigError } from '../../config-error.js';
import { parseUrl } from '../../network/parse-url.js';
import { replaceFile } from '../backup/move-into-place.js';

/** Where exports store files. */
export interface FileStore {
  /** Names the place, always the same for the same place. */
  readonly destination: string;
  /** Stores a file completely or not at all. Replaces a file of this name. */
  put(name: string, content: Uint8Array): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

// The limit of a PUT with its repetitions. A file has at most about 70 MB.
const putTimeoutMs = 5 * 60_000;

/** Returns the store of a folder, or of `s3://bucket/prefix`. Throws a ConfigError if it is invalid. */
export function openFileStore(
  to: string,
  environment: Environment,
  timeoutMs = putTimeoutMs,
): FileStore {
  // Such as that of a variable that is not set, which would be the current folder.
  if (to.trim() === '') {
    throw new ConfigError('--to is empty: it must be a folder or s3://bucket/prefix');
  }
  if (to.startsWith('s3://')) return bucketStore(to, environment, timeoutMs);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(to)?.[1];
  if (scheme === undefined) return folderStore(resolve(to));
  throw new ConfigError(`--to ${to}: must be a folder or s3://bucket/prefix, and not ${scheme}:`);
}

function folderStore(folder: string): FileStore {
  return {
    destination: folder,
    async put(name, content) {
      const path = join(folder, name);
      const partial = join(dirname(path), `.${basename(path)}.${process.pid}`);
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o750 });
        // Of a process that was killed.
        for (const each of readdirSync(dirname(path))) {
          if (each.startsWith(`.${basename(path)}.`)) rmSync(join(dirname(path), each));
        }
        writeFileSync(partial, content, { mode: 0o640 });
        replaceFile(partial, path);
      } catch (cause) {
        removeQuietly(partial);
        throw new ConfigError(
          `${path} cannot be written: ${(cause as Error).message}; check the space of the disk and the rights of the folder, and run the export again`,
          { cause },
        );
      }
    },
  };
}

/** Deletes a file. An error would hide the one before it. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}

const retries = 4;
const firstRetryMs = 50;
const shownLength = 300;

/**
 * Returns the store of a bucket. Each file is one PUT of the whole object, which is atomic. The settings
 * are the variables of AWS's own tools.
 */
function bucketStore(to: string, environment: Environment, timeoutMs: number): FileStore {
  const [bucket = '', ...path] = to.slice('s3://'.length).split('/');
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    throw new ConfigError(
      `--to ${to}: must name a bucket, such as s3://bucket/prefix (3 to 63 lower-case letters, digits, dots and hyphens)`,
    );
  }
  const read = (name: string) => environment[name]?.trim() || undefined;
  const readRequired = (name: string) => {
    const value = read(name);
    if (value !== undefined) return value;
    throw new ConfigError(`${name} is missing: --to ${to} needs it`);
  };
  const region = read('AWS_REGION') ?? read('AWS_DEFAULT_REGION') ?? 'us-east-1';
  const address =
    read('AWS_ENDPOINT_URL_S3') ?? read('AWS_ENDPOINT_URL') ?? `https://s3.${region}.amazonaws.com`;
  const endpoint = parseUrl(address);
  if (!endpoint || !/^https?:$/.test(endpoint.protocol) || endpoint.pathname !== '/') {
    throw new ConfigError(
      `AWS_ENDPOINT_URL_S3 is ${address}: must be the origin of an S3-compatible server, such as https://minio.internal:9000`,
    );
  }
  const sessionToken = read('AWS_SESSION_TOKEN');
  const client = new AwsClient({
    accessKeyId: readRequired('AWS_ACCESS_KEY_ID'),
    secretAccessKey: readRequired('AWS_SECRET_ACCESS_KEY'),
    ...(sessionToken && { sessionToken }),
    service: 's3',
    region,
  });
  const encode = (names: readonly string[]) => names.map(encodeURIComponent).join('/');
  const prefix = path.filter((name) => name !== '');
  // They would lead to another prefix, or to another bucket.
  const dots = prefix.find((name) => /^\.\.?$/.test(name));
  if (dots !== undefined) {
    throw new ConfigError(
      `--to ${to}: the prefix must not have the part "${dots}"; use a name of letters, digits and hyphens`,
    );
  }
  const destination = `${endpoint.origin}/${encode([bucket, ...prefix])}`;
  return {
    destination,
    async put(name, content) {
      const address = `${destination}/${encode(name.split('/'))}`;
      const headers = {
        'x-amz-content-sha256': createHash('sha256').update(content).digest('hex'),
      };
      const body = content as Uint8Array<ArrayBuffer>;
      // Signed, so that a damaged object is refused.
      const sign = () => client.sign(address, { method: 'PUT', body, headers });
      const { status, answer } = await putRepeatedly(sign, content, timeoutMs).catch(
        (cause: Error) => {
          const { message } = cause.cause instanceof Error ? cause.cause : cause;
          throw new ConfigError(`PUT ${address} failed: ${message}; run the export again`, {
            cause,
          });
        },
      );
      if (status >= 200 && status < 300) return;
      throw new ConfigError(
        `PUT ${address} failed with ${status}: ${answer.slice(0, shownLength)}; check the bucket, AWS_REGION (${region}) and the rights of the key, and run the export again`,
      );
    },
  };
}

interface Answer {
  readonly status: number;
  readonly answer: string;
}

/** Sends a PUT, and again while the server is overloaded or fails. */
async function putRepeatedly(
  sign: () => Promise<Request>,
  content: Uint8Array,
  timeoutMs: number,
): Promise<Answer> {
  const signal = AbortSignal.timeout(timeoutMs);
  for (let attempt = 0; ; attempt += 1) {
    const result = await send(await sign(), content, signal);
    const isFinal = result.status < 500 && result.status !== 429;
    if (isFinal || attempt === retries) return result;
    await sleep(firstRetryMs * 2 ** attempt, undefined, { signal });
  }
}

/**
 * Sends a request and reads the whole response. Follows no redirect: the address decides who gets the
 * signed request. `fetch` forgets its signal in a garbage collection, and would wait for ever.
 */
function send({ url, method, headers }: Request, content: Uint8Array, signal: AbortSignal) {
  return new Promise<Answer>((resolve, reject) => {
    const open = url.startsWith('https:') ? https.request : http.request;
    const request = open(url, {
      method,
      headers: Object.fromEntries(headers),
      signal,
      // The server may have closed an idle connection while the next file was written.
      agent: false,
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const { statusCode: status = 0 } = response;
      text(response).then((answer) => resolve({ status, answer }), reject);
    });
    request.end(content);
  });
}
