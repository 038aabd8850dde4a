import type { Database } from '../storage/database.js';

export interface Domain {
  readonly id: string;
  readonly organizationId: string;
  /** Lower case, without a port. */
  readonly hostname: string;
  readonly isActive: boolean;
  readonly createdAt: number;
}

export class DomainRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  create(domain: Domain): Promise<void> {
    return this.#database.write(async (transaction) => {
      await transaction
        .insertInto('domains')
        .values({
          id: domain.id,
          organization_id: domain.organizationId,
          hostname: domain.hostname,
          is_active: domain.isActive ? 1 : 0,
          created_at: domain.createdAt,
        })
        .execute();
    });
  }

  /** The id of the active domain with this name. */
  async findActiveId(hostname: string): Promise<string | undefined> {
    const row = await this.#database.read
      .selectFrom('domains')
      .select('id')
      .where('hostname', '=', hostname)
      .where('is_active', '=', 1)
      .executeTakeFirst();
    return row?.id;
  }
}
