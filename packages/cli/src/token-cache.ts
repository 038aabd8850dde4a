import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { stateFolder } from './app-folders.js';
import { systemErrorCode } from './cli-error.js';
import type { Io } from './io.js';
import type { SignIn } from './sign-in.js';
import { writeFileAtomically } from './write-file-atomically.js';

interface StoredToken {
  readonly accessToken: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

const tokenPath = '/api/v1/auth/token';
// A token that expires sooner is renewed, so that it does not expire during a command.
const minLifetimeMs = 60_000;
// Tokens live for an hour. Files that are older belong to clients that are not used anymore.
const maxAgeMs = 24 * 60 * 60_000;

/**
 * The access token of a client, stored between commands. The name of the file is a digest of server,
 * client id and secret, so a token is used for exactly these. Without a writable folder, each
 * command requests a token, and SHORTY_DEBUG shows the reason.
 */
export class TokenCache {
  readonly #folder: string;
  readonly #path: string;
  readonly #io: Io;

  constructor(io: Io, { baseUrl, clientId, clientSecret }: SignIn) {
    const identity = JSON.stringify([baseUrl, clientId, clientSecret]);
    this.#folder = join(stateFolder(io), 'tokens');
    this.#path = join(this.#folder, `${createHash('sha256').update(identity).digest('hex')}.json`);
    this.#io = io;
  }

  /** Wraps fetch: answers token requests with the stored token, and discards it when it is refused. */
  wrap(fetch: Io['fetch']): Io['fetch'] {
    let firstStored: string | undefined;
    return async (input, init = {}) => {
      if (new URL(String(input)).pathname.endsWith(tokenPath)) {
        const stored = await this.#read();
        firstStored ??= stored?.accessToken;
        if (stored) return this.#toResponse(stored);
        const startedAt = this.#io.now();
        const response = await fetch(input, init);
        return response.ok ? this.#store(response, startedAt) : response;
      }
      const response = await fetch(input, init);
      if (response.status !== 401 && response.status !== 403) return response;
      const token = new Headers(init.headers).get('authorization')?.replace(/^Bearer /, '');
      if (token === undefined || token !== firstStored) return response;
      await this.#discard(token);
      // After 401, the SDK requests a token and repeats the call. So does 403 here: the client may
      // have been granted scopes since the token was stored.
      return new Response(response.body, { status: 401, headers: response.headers });
    };
  }

  /** Deletes the stored token. */
  async clear(): Promise<void> {
    await rm(this.#path, { force: true });
  }

  async #read(): Promise<StoredToken | undefined> {
    try {
      const stored: Partial<StoredToken> = JSON.parse(await readFile(this.#path, 'utf8'));
      const { accessToken, expiresAt } = stored;
      if (typeof accessToken !== 'string' || typeof expiresAt !== 'number') return undefined;
      return expiresAt - this.#io.now() > minLifetimeMs ? { accessToken, expiresAt } : undefined;
    } catch (error) {
      // A file that is missing or damaged is replaced.
      if (systemErrorCode(error) === undefined && !(error instanceof SyntaxError)) throw error;
      return undefined;
    }
  }

  #toResponse({ accessToken, expiresAt }: StoredToken): Response {
    const expiresIn = Math.floor((expiresAt - this.#io.now()) / 1000);
    return Response.json({ success: true, data: { accessToken, tokenType: 'Bearer', expiresIn } });
  }

  /** Stores the token of a response, and returns an equal response. */
  async #store(response: Response, startedAt: number): Promise<Response> {
    const { status, headers } = response;
    const text = await response.text();
    const { accessToken, expiresIn } = readToken(text);
    if (typeof accessToken === 'string' && typeof expiresIn === 'number') {
      const stored: StoredToken = { accessToken, expiresAt: startedAt + expiresIn * 1000 };
      try {
        await mkdir(this.#folder, { recursive: true, mode: 0o700 });
        await writeFileAtomically(this.#path, Buffer.from(JSON.stringify(stored)), 0o600);
        await this.#deleteOldFiles();
      } catch (error) {
        // The token is valid without the cache.
        if (causeCode(error) === undefined) throw error;
        if (this.#io.env.SHORTY_DEBUG) {
          this.#io.stderr.write(`shorty: stored access tokens: ${(error as Error).message}\n`);
        }
      }
    }
    return new Response(text, { status, headers });
  }

  /** Deletes the stored token, unless another process has replaced it. */
  async #discard(token: string): Promise<void> {
    if ((await this.#read())?.accessToken === token) await this.clear();
  }

  async #deleteOldFiles(): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name);
      const writtenAt = await modifiedAt(path);
      if (this.#io.now() - writtenAt > maxAgeMs) await rm(path, { force: true });
    }
  }
}

/** Returns when a file was written. A file that another process has deleted counts as new. */
async function modifiedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return Number.POSITIVE_INFINITY;
    throw error;
  }
}

function readToken(text: string): { accessToken?: unknown; expiresIn?: unknown } {
  try {
    return JSON.parse(text)?.data ?? {};
  } catch {
    // The SDK reports a response that is not JSON.
    return {};
  }
}

function causeCode(error: unknown): string | undefined {
  return (
    systemErrorCode(error) ?? (error instanceof Error ? systemErrorCode(error.cause) : undefined)
  );
}
