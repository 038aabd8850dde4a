import { CompiledQuery, type Kysely, type KyselyPlugin, sql } from 'kysely';
import type { Database, Schema, WriteTransaction } from '../../src/storage/database.js';
import { engine } from '../engine.js';

/** Records each different statement of a database. */
export function recordStatements(
  database: Database,
  statements: Map<string, CompiledQuery>,
): Database {
  const recorder: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      const compiled = database.read.getExecutor().compileQuery(node, queryId);
      statements.set(compiled.sql, compiled);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return {
    ...database,
    read: database.read.withPlugin(recorder),
    snapshot: (work) => database.snapshot((db) => work(db.withPlugin(recorder))),
    writeDirectly: (work, lock) =>
      database.writeDirectly(
        (transaction) => work(transaction.withPlugin(recorder) as WriteTransaction),
        lock,
      ),
  };
}

export interface StatementPlan {
  readonly text: string;
  /** What each index is searched by; undefined where a table, or an index of all its rows, is read. */
  readonly conditions: readonly (string | undefined)[];
}

/** Returns the plans of statements, in large tables. */
export async function explain(
  database: Database,
  statements: readonly CompiledQuery[],
): Promise<StatementPlan[]> {
  const run = async <Row>(db: Kysely<Schema>, prefix: string, query: CompiledQuery) => {
    const explained = CompiledQuery.raw(`${prefix} ${query.sql}`, [...query.parameters]);
    return (await db.executeQuery<Row>(explained)).rows;
  };
  const plans: StatementPlan[] = [];
  await database.writeDirectly(async (transaction) => {
    if (engine() === 'postgres') await sql`set local enable_seqscan = off`.execute(transaction);
    for (const query of statements) {
      if (/^(insert|set)\b/.test(query.sql)) continue;
      const conditions =
        engine() === 'sqlite'
          ? (await run<{ detail: string }>(transaction, 'explain query plan', query))
              .filter(({ detail }) => /^(SCAN|SEARCH) (?!json_each)/.test(detail))
              .map(({ detail }) =>
                /^SEARCH .*\((.*[=<>].*)\)|(organizations_to_delete)$/
                  .exec(detail)
                  ?.slice(1)
                  .join(''),
              )
          : (
              await run<{ 'QUERY PLAN': readonly [{ Plan: Plan }] }>(
                transaction,
                'explain (format json)',
                query,
              )
            ).flatMap((row) => scansOf(row['QUERY PLAN'][0].Plan));
      plans.push({ text: query.sql, conditions });
    }
  });
  return plans;
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Plan[];
}

function scansOf(plan: Plan): (string | undefined)[] {
  const isScan = /^(Seq|Index|Index Only|Bitmap Index) Scan$/.test(plan['Node Type']);
  const isPartial = plan['Index Name'] === 'organizations_to_delete';
  const condition = isPartial ? plan['Index Name'] : plan['Index Cond'];
  return [...(isScan ? [condition] : []), ...(plan.Plans ?? []).flatMap(scansOf)];
}
