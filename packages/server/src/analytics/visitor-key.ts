import { randomBytes } from 'node:crypto';
import type { Database } from '../storage/database.js';
import { encryptorOf } from '../storage/secrets.js';
import { createVisitorKeys, type VisitorKeys } from './classify/visitor-keys.js';

const id = 0;
// What the encrypted value is bound to.
const place = ['visitor_keys', String(id)];

/**
 * Reads the key of the visitor hashes, which is random and stored encrypted. Generates it if there is none: in a
 * new database, and after the secret key was lost. All nodes have the same.
 */
export async function readVisitorKeys(database: Database): Promise<VisitorKeys> {
  if ((await find(database)) === undefined) {
    await database.writeDirectly(async (transaction) => {
      const encrypt = await encryptorOf(database, transaction);
      const value = encrypt(randomBytes(32).toString('base64url'), place);
      await transaction
        .insertInto('visitor_keys')
        .values({ id, value })
        // Another node may have stored one meanwhile.
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
    }, 'rows');
  }
  return createVisitorKeys(database.keyring.decrypt(String(await find(database)), place));
}

async function find({ read }: Pick<Database, 'read'>): Promise<string | undefined> {
  const row = await read.selectFrom('visitor_keys').select('value').executeTakeFirst();
  return row?.value;
}
