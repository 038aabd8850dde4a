import { sql } from 'kysely';
import type { Database } from '../storage/database.js';
import { isEncrypted, Keyring, keyIdOf, UnreadableSecretError } from '../storage/keyring.js';
import type { Row } from '../storage/read-in-batches.js';
import { mapSecrets } from '../storage/stored-secrets.js';
import { forgetOtherKeys } from '../storage/unlock-secrets.js';
import { toColumns } from './live-secrets.js';

/**
 * Gives up the secrets under keys other than these, which are lost. Their webhooks get new secrets, which
 * nobody knows, lose their headers, and are inactive until their owners rotate the secrets and activate
 * them. Stored results with secrets are deleted. Returns the ids of the webhooks; undefined if no key
 * is lost.
 */
export async function giveUpSecrets(
  database: Database,
  secretKeys: readonly string[],
  newSecret: () => string,
): Promise<readonly string[] | undefined> {
  const ids = new Set(secretKeys.map(keyIdOf));
  const registered = await database.read.selectFrom('secret_keys').select('id').execute();
  if (registered.every(({ id }) => ids.has(id))) return registered.length > 0 ? undefined : [];
  const keyring = new Keyring(secretKeys);
  const { rows } = await sql<Row>`select * from webhooks where deleted_at is null`.execute(
    database.read,
  );
  const lost = rows.filter((row) => !isReadable(keyring, row)).map(({ id }) => String(id));
  for (const id of lost) {
    const secret = keyring.encrypt(newSecret(), ['webhooks', 'secret', id]);
    await database.writeDirectly(async (transaction) => {
      await transaction
        .updateTable('webhooks')
        .set({ secret, ...toColumns([]), headers: null, is_active: 0 })
        .where('id', '=', id)
        .execute();
    });
  }
  const encrypted = database.read.selectFrom('idempotency_keys').selectAll();
  for (const row of await encrypted.where('result', 'like', 'enc:%').execute()) {
    if (!isEncrypted(row.result) || isReadable(keyring, row, 'idempotency_keys')) continue;
    await database.writeDirectly(async (transaction) => {
      await transaction
        .deleteFrom('idempotency_keys')
        .where('organization_id', '=', row.organization_id)
        .where('key', '=', row.key)
        .execute();
    });
  }
  await forgetOtherKeys(database, secretKeys);
  return lost;
}

function isReadable(
  keyring: Keyring,
  row: Row,
  table: 'webhooks' | 'idempotency_keys' = 'webhooks',
): boolean {
  try {
    mapSecrets(table, row, (stored, place) => {
      keyring.decrypt(stored, place);
      return stored;
    });
    return true;
  } catch (error) {
    if (error instanceof UnreadableSecretError) return false;
    throw error;
  }
}
