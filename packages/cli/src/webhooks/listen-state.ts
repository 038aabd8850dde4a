import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createPrivateFolder, stateFolder } from '../app-folders.js';
import { systemErrorCode } from '../cli-error.js';
import type { Context } from '../context.js';
import { writeFileAtomically } from '../write-file-atomically.js';

interface Stored {
  /** Signs events for the receiver. */
  readonly secret: string;
  /** The cursor of the page to continue with; undefined before the first. */
  readonly after?: string | undefined;
  /** The last event of this page that was handled. */
  readonly lastId?: string | undefined;
}

/** The secret and the position of `webhooks listen`, stored for each profile and server. */
export class ListenState {
  readonly #path: string;
  #stored: Stored;

  private constructor(path: string, stored: Stored) {
    this.#path = path;
    this.#stored = stored;
  }

  /** Reads the state, or creates one with a new secret. */
  static async open(context: Context): Promise<ListenState> {
    const { baseUrl, profile, clientId } = await context.settings();
    const identity = JSON.stringify([baseUrl.value, clientId?.value ?? profile.value]);
    const name = createHash('sha256').update(identity).digest('hex');
    const path = join(stateFolder(context.io), 'listen', `${name}.json`);
    const known = await read(path);
    if (known) return new ListenState(path, known);
    const secret = `whsec_${randomBytes(24).toString('base64')}`;
    const state = new ListenState(path, { secret });
    await state.store({});
    return state;
  }

  get secret(): string {
    return this.#stored.secret;
  }

  get after(): string | undefined {
    return this.#stored.after;
  }

  get lastId(): string | undefined {
    return this.#stored.lastId;
  }

  async store({ after, lastId }: Omit<Stored, 'secret'>): Promise<void> {
    this.#stored = { secret: this.#stored.secret, after, lastId };
    await createPrivateFolder(dirname(this.#path), 'SHORTY_STATE_DIR');
    await writeFileAtomically(this.#path, Buffer.from(JSON.stringify(this.#stored)), 0o600);
  }
}

async function read(path: string): Promise<Stored | undefined> {
  try {
    const { secret, after, lastId } = JSON.parse(await readFile(path, 'utf8'));
    return typeof secret === 'string' ? { secret, after, lastId } : undefined;
  } catch (error) {
    // A file that is missing or damaged is replaced.
    if (systemErrorCode(error) === undefined && !(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}
