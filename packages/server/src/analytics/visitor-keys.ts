import { createHmac, randomBytes } from 'node:crypto';
import { canonicalAddress } from '../network/ip-address.js';
import type { Database } from '../storage/database.js';
import { encryptorOf } from '../storage/secrets.js';

// 64 bits: the chance that any two of a million visitors share a key is 3 in 100 million.
const keyBytes = 8;

export type VisitorKeys = ReturnType<typeof createVisitorKeys>;

/**
 * Creates the keys that are stored in place of addresses and user agents: 16 hexadecimal digits, the
 * same for all notations of an address. They are keyed hashes: without the secret, a reader of the
 * database cannot find an address by trying all of them. The same secret gives the same keys after a
 * restart and on other nodes.
 */
export function createVisitorKeys(secretKey: string) {
  const hash = (text: string) =>
    createHmac('sha256', secretKey).update(text).digest().subarray(0, keyBytes).toString('hex');
  return {
    addressKey: (address: string): string => hash(`address\n${canonicalAddress(address)}`),
    visitorKey: (address: string, userAgent: string): string =>
      hash(`visitor\n${canonicalAddress(address)}\n${userAgent}`),
  };
}

const id = 0;
// What the encrypted secret is bound to.
const place = ['visitor_keys', String(id)];

/**
 * Reads the secret of the keys, which is random and stored encrypted. Generates it if there is none: in a
 * new database, and after the server's secret key was lost. All nodes have the same.
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
