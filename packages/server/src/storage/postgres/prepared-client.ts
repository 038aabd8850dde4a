import {
  type BinaryOperationNode,
  OperatorNode,
  PostgresDialect,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
} from 'kysely';
import { LRUCache } from 'lru-cache';
import type { PoolClient, QueryResult } from 'pg';
import { StorageUnavailableError } from '../database.js';
import { codeOf, lockTimeout, translatePostgresError } from './postgres-error.js';

/**
 * Returns a client in use, for Kysely's driver. It prepares each statement once, and closes a connection that
 * must not be used again or has too many statements.
 *
 * `localSettings` are statements that each transaction begins with, because it may reach another
 * session than the one before. Statements are not prepared then.
 */
export function preparedClient(client: PoolClient, localSettings: string | undefined) {
  let brokenBy: Error | undefined;
  return {
    async query(text: string, values: readonly unknown[]): Promise<Partial<QueryResult>> {
      const isRollback = text === 'rollback';
      // Closing the connection rolls back, too, and does not wait for a server that hangs.
      if (isRollback && brokenBy) return {};
      try {
        if (values.length === 0) {
          const hasSettings = localSettings !== undefined && begin.test(text);
          return await client.query(hasSettings ? `${text}; ${localSettings}` : text);
        }
        const name = localSettings === undefined ? nameOf(client, text) : undefined;
        return await client.query({ name, text, values: values as unknown[] });
      } catch (error) {
        const translated = translatePostgresError(error);
        // A late response would reach the next user of the connection.
        const isUnavailable = translated instanceof StorageUnavailableError;
        const isBroken = isUnavailable && codeOf(translated) !== lockTimeout;
        if (isBroken || isRollback) brokenBy = error as Error;
        // The server rolls back the transaction of a lost connection.
        if (isRollback) return {};
        throw translated;
      }
    },
    release(): void {
      client.release(brokenBy ?? (preparedBy.get(client)?.size ?? 0) > maxPrepared);
    },
  };
}

/** Returns the name of a prepared statement, and notes that the client has it. */
function nameOf(client: PoolClient, text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    nameCount += 1;
    name = `shorty_${nameCount}`;
    names.set(text, name);
  }
  const prepared = preparedBy.get(client) ?? new Set<string>();
  preparedBy.set(client, prepared.add(name));
  return name;
}

const begin = /^(?:begin|start transaction)\b/;
// More than the statements that a server repeats.
const maxPrepared = 500;
const names = new LRUCache<string, string>({ max: maxPrepared });
let nameCount = 0;
// A connection with more statements is closed after its use, which frees their memory on both sides.
const preparedBy = new WeakMap<PoolClient, Set<string>>();

/** Passes the list of an `in` as one array, so that lists of all lengths are one prepared statement. */
class ArrayCompiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { leftOperand, operator, rightOperand } = node;
    const name = OperatorNode.is(operator) ? operator.operator : undefined;
    if (!PrimitiveValueListNode.is(rightOperand) || (name !== 'in' && name !== 'not in')) {
      super.visitBinaryOperation(node);
      return;
    }
    this.visitNode(leftOperand);
    this.append(name === 'in' ? ' = any(' : ' <> all(');
    this.appendValue(rightOperand.values);
    this.append(')');
  }
}

export class ArrayDialect extends PostgresDialect {
  override createQueryCompiler() {
    return new ArrayCompiler();
  }
}
