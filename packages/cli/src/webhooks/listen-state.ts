import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type Conf from 'conf';
import { createPrivateFolder, stateFolder } from '../config-file.js';
import type { Context } from '../context.js';

/** What `webhooks listen` stores for each profile and server. */
interface Stored {
  /** Signs events for the receiver. */
  secret: string;
  /** The cursor of the page to continue with; undefined before the first. */
  after?: string;
  /** The last event of this page that was handled; empty for none. */
  lastId?: string;
}

/** Opens the file of the secret and the position, which only its owner can read. */
export async function openListenState(context: Context): Promise<Conf<Stored>> {
  const { baseUrl, profile, clientId } = await context.settings();
  const identity = JSON.stringify([baseUrl.value, clientId?.value ?? profile.value]);
  const configName = createHash('sha256').update(identity).digest('hex');
  const cwd = join(stateFolder(context.io), 'listen');
  await createPrivateFolder(cwd, 'SHORTY_STATE_DIR');
  const { default: Conf } = await import('conf');
  // A damaged file is replaced.
  const state = new Conf<Stored>({
    ...{ cwd, configName, configFileMode: 0o600, clearInvalidConfig: true },
  });
  if (!state.has('secret')) state.set('secret', `whsec_${randomBytes(24).toString('base64')}`);
  return state;
}
