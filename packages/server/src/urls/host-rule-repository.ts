import { sql } from 'kysely';
import type { Page, PageRange } from '../contract/fields.js';
import {
  type IdempotentResult,
  type WriteRequest,
  writeOnce,
} from '../idempotency/with-idempotency-key.js';
import { type Database, operatorOwner } from '../storage/database.js';
import { changeLinkPolicy } from '../storage/link-policy.js';
import { readList } from '../storage/list-page.js';
import { maxHostRules } from './host-rule-contract.js';
import type { HostRule, HostRules } from './host-rules.js';

/** A host with a rule. Instants are milliseconds since 1970. */
export interface RuledHost {
  readonly host: string;
  readonly reason: string;
  readonly createdAt: number;
}

const resourceTypeOf = { block: 'blockedHost', allow: 'allowedHost' } as const;

/** Stores the operator's rules of hosts. Every method is one transaction. */
export class HostRuleRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Sets the rule of a host. Returns null when `maxHostRules` others have one. */
  set(
    rule: HostRule,
    { host, reason }: Pick<RuledHost, 'host' | 'reason'>,
    now: number,
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<RuledHost | null>> {
    return writeOnce(
      this.#database,
      operatorOwner,
      write,
      async (transaction) => {
        const before = await selectHosts(transaction).where('id', '=', host).executeTakeFirst();
        if (!before) {
          const { count } = await transaction
            .selectFrom('host_rules')
            .select(({ fn }) => fn.countAll<number>().as('count'))
            .executeTakeFirstOrThrow();
          if (Number(count) >= maxHostRules) return null;
        }
        await transaction
          .insertInto('host_rules')
          .values({ id: host, rule, reason, created_at: now })
          .onConflict((conflict) => conflict.column('id').doUpdateSet({ rule, reason }))
          .execute();
        await changeLinkPolicy(transaction);
        return { host, reason, createdAt: before?.createdAt ?? now };
      },
      { audit: (set) => set && { type: resourceTypeOf[rule], id: host } },
    );
  }

  /** Deletes a rule of a host, and returns it; null when the host does not have this rule. */
  delete(
    rule: HostRule,
    host: string,
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<RuledHost | null>> {
    return writeOnce(
      this.#database,
      operatorOwner,
      write,
      async (transaction) => {
        const before = await selectHosts(transaction)
          .where('id', '=', host)
          .where('rule', '=', rule)
          .executeTakeFirst();
        if (!before) return null;
        await transaction.deleteFrom('host_rules').where('id', '=', host).execute();
        await changeLinkPolicy(transaction);
        return before;
      },
      { audit: (deleted) => deleted && { type: resourceTypeOf[rule], id: host } },
    );
  }
}

/** Returns all rules of hosts. */
export async function readHostRules(db: Database['read']): Promise<HostRules> {
  const rows = await db.selectFrom('host_rules').select(['id', 'rule']).execute();
  return new Map(rows.map(({ id, rule }) => [id, rule as HostRule]));
}

/** Returns one page of the hosts with a rule, newest first. */
export function listHostRules(
  database: Database,
  rule: HostRule,
  range: PageRange,
): Promise<Page<RuledHost>> {
  const list = { table: 'host_rules', condition: sql<boolean>`rule = ${rule}`, ...range } as const;
  return readList<string, RuledHost & { readonly id: string }>(database, list, async (ids) => {
    const hosts = await selectHosts(database.read).where('id', 'in', ids).execute();
    return hosts.map((each) => ({ ...each, id: each.host }));
  });
}

function selectHosts(db: Database['read']) {
  return db.selectFrom('host_rules').select(['id as host', 'reason', 'created_at as createdAt']);
}
