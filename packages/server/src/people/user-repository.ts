import { type Kysely, sql } from 'kysely';
import { v7 as newUuid } from 'uuid';
import type { z } from 'zod';
import type { FoundCaller } from '../auth/client-repository.js';
import { hashSecret, newSecret } from '../auth/secrets.js';
import { ApiError, tooMany } from '../contract/api-error.js';
import { presentAs, withIsoTimes } from '../contract/present.js';
import { type Role, roleScopes } from '../contract/roles.js';
import {
  type IdempotentResult,
  Refusal,
  type WriteContext,
  writeOnce,
} from '../idempotency/with-idempotency-key.js';
import type { Database, Schema, WriteTransaction } from '../storage/database.js';
import { listOf } from '../storage/list-page.js';
import { rowReader } from '../storage/prepared.js';
import { findWhere, updateWhere } from '../storage/statements.js';
import type { OidcIdentity } from './oidc.js';
import { invitationLifetimeMs, maxUsers, sessionLifetimeMs, user } from './user-contract.js';

/** A person without secrets. Instants are milliseconds since 1970. */
export type User = ReturnType<typeof fromRow>;

/** A person, and the token of a link that was made, or of a session that has begun, just now. */
export interface WithToken {
  readonly user: User;
  readonly token: string;
}

type Person = Pick<User, 'organizationId' | 'id'>;

type Db = Kysely<Schema>;

/** Stores people, their invitations and their sessions. Tokens are stored as hashes only. */
export class UserRepository {
  readonly #database: Database;
  // Prepared, because every request of the dashboard runs it.
  readonly #readBySession;

  constructor(database: Database) {
    this.#database = database;
    this.#readBySession = rowReader(
      database.read,
      database.read
        .selectFrom('sessions')
        .innerJoin('users', 'users.id', 'sessions.user_id')
        .innerJoin('organizations', 'organizations.id', 'users.organization_id')
        .select(['token_hash', 'users.id', 'email', 'role'])
        .select(['organization_id as organizationId', 'expires_at as expiresAt'])
        .select(['suspended_at as suspendedAt', 'password_hash as passwordHash'])
        .where('removed_at', 'is', null),
      ['token_hash'],
    );
  }

  /** Adds a person with an open invitation. Throws EMAIL_CONFLICT or QUOTA_EXCEEDED. */
  async invite(
    { email, role }: { readonly email: string | null; readonly role: Role },
    { organizationId, now, write }: WriteContext,
  ): Promise<IdempotentResult<WithToken>> {
    const id = newUuid();
    const audit = { type: 'user', id } as const;
    const options = { organizationId, write, audit, holdsSecret: true };
    return writeOnce<WithToken>(this.#database, options, async (transaction) => {
      const { count } = await transaction
        .selectFrom('users')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('organization_id', '=', organizationId)
        .executeTakeFirstOrThrow();
      if (Number(count) >= maxUsers) {
        throw new Refusal(tooMany(maxUsers, 'people', 'Remove one first'));
      }
      const row = { id, organization_id: organizationId, email, role, created_at: now };
      const inserted = await transaction
        .insertInto('users')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      if (inserted.numInsertedOrUpdatedRows === 0n) throw new Refusal(emailConflict(email ?? ''));
      return openInvitation(transaction, organizationId, id, now);
    });
  }

  /** Makes a new link for a person, which replaces the one before. Returns null if there is no such person. */
  inviteAgain(
    id: string,
    { organizationId, now, write }: WriteContext,
  ): Promise<IdempotentResult<WithToken | null>> {
    const audit = { type: 'user', id } as const;
    const options = { organizationId, write, audit, holdsSecret: true };
    return writeOnce(this.#database, options, async (transaction) => {
      if (!(await findUser(transaction, organizationId, id))) return null;
      return openInvitation(transaction, organizationId, id, now);
    });
  }

  /** Changes the role of a person, and ends the sessions. Throws LAST_OWNER. */
  changeRole(
    id: string,
    role: Role,
    context: WriteContext,
  ): Promise<IdempotentResult<User | null>> {
    return this.#change(id, role !== 'owner', context, async (transaction) => {
      await updateWhere(transaction, 'users', { id }, { role });
      return findUser(transaction, context.organizationId, id);
    });
  }

  /** Removes a person. Throws LAST_OWNER. */
  delete(id: string, context: WriteContext): Promise<IdempotentResult<User | null>> {
    return this.#change(id, true, context, async (transaction, found) => {
      await transaction
        .deleteFrom('users')
        .where('id', '=', id)
        .where('oidc_subject', 'is', null)
        .execute();
      // An identity stays, so that its provider cannot bring the person back.
      const nothing = { email: null, password_hash: null, invitation_hash: null };
      await updateWhere(transaction, 'users', { id }, { ...nothing, removed_at: context.now });
      return found;
    });
  }

  #change(
    id: string,
    mayEndOwnership: boolean,
    { organizationId, write }: WriteContext,
    work: (transaction: WriteTransaction, found: User) => Promise<User | null>,
  ): Promise<IdempotentResult<User | null>> {
    const options = { organizationId, write, audit: { type: 'user', id } } as const;
    return writeOnce(this.#database, options, async (transaction) => {
      const found = await findUser(transaction, organizationId, id);
      if (!found) return null;
      // Transactions of an organization run one after another, so two owners cannot remove each other.
      if (mayEndOwnership && found.role === 'owner') {
        const others = await selectUsers(transaction, organizationId)
          .where('role', '=', 'owner')
          .where('id', '<>', id)
          .executeTakeFirst();
        const message = 'The organization has no other owner: make another person an owner first';
        if (!others) throw new Refusal(new ApiError('LAST_OWNER', message));
      }
      await endSessions(transaction, id);
      return work(transaction, found);
    });
  }

  /** Finds a person with the stored password, by the id or the address. */
  async find(column: 'users.id' | 'email', value: string) {
    return selectWithPassword(this.#database.read).where(column, '=', value).executeTakeFirst();
  }

  /** Finds the person whose invitation has this token and has not expired. */
  async findInvited(token: string, now: number) {
    return selectInvited(this.#database.read, token, now).executeTakeFirst();
  }

  /**
   * Uses an invitation up: stores the password, and the address if the person has none. Ends the sessions
   * of the person, and begins one. Returns null if the token does not exist any more, and 'taken' if
   * somebody else has the address.
   */
  accept(
    { organizationId }: Person,
    token: string,
    { email, passwordHash }: { readonly email: string | undefined; readonly passwordHash: string },
    now: number,
  ): Promise<WithToken | 'taken' | null> {
    return this.#database.write(organizationId, async (transaction) => {
      const found = await selectInvited(transaction, token, now).executeTakeFirst();
      if (!found) return null;
      if (found.email === null && (await isTaken(transaction, email))) return 'taken';
      const usedUp = { invitation_hash: null, invitation_expires_at: null };
      const accepted = { email: found.email ?? email, password_hash: passwordHash, ...usedUp };
      await updateWhere(transaction, 'users', { id: found.id }, accepted);
      await endSessions(transaction, found.id);
      return beginSession(transaction, found, now);
    });
  }

  /**
   * Begins a session of the person with an identity of OpenID Connect. Somebody new becomes a person of the
   * organization with the role. Returns null for somebody removed, and for somebody new without a role.
   */
  async signInByIdentity(
    { issuer, subject, email }: OidcIdentity,
    { organizationId, role }: { readonly organizationId: string; readonly role: Role | undefined },
    now: number,
  ): Promise<WithToken | null> {
    const known = this.#database.read
      .selectFrom('users')
      .select(['id', 'organization_id as organizationId', 'removed_at as removedAt'])
      .where('oidc_issuer', '=', issuer)
      .where('oidc_subject', '=', subject);
    const found = await known.executeTakeFirst();
    if (found) {
      if (found.removedAt !== null) return null;
      return this.#database.write(found.organizationId, (transaction) =>
        beginSession(transaction, found, now),
      );
    }
    if (role === undefined) return null;
    return this.#database.write(organizationId, async (transaction) => {
      const person = { id: newUuid(), organizationId };
      // An address identifies nobody: somebody else may have it.
      const ownEmail = (await isTaken(transaction, email)) ? null : email;
      const identity = { oidc_issuer: issuer, oidc_subject: subject };
      const row = { ...identity, organization_id: organizationId, role, created_at: now };
      await transaction
        .insertInto('users')
        .values({ ...row, id: person.id, email: ownEmail })
        .execute();
      return beginSession(transaction, person, now);
    });
  }

  /**
   * Begins a session of a person whose password has been verified by this hash. Returns null if it was
   * changed, or the person removed, meanwhile.
   */
  signIn(
    person: Person & { readonly passwordHash: string | null },
    now: number,
  ): Promise<WithToken | null> {
    return this.#database.write(person.organizationId, async (transaction) => {
      const current = await selectWithPassword(transaction)
        .where('users.id', '=', person.id)
        .executeTakeFirst();
      if (!current || current.passwordHash !== person.passwordHash) return null;
      return beginSession(transaction, person, now);
    });
  }

  /** Stores a new password, ends all sessions of the person, and begins one. */
  changePassword(person: Person, passwordHash: string, now: number): Promise<WithToken> {
    return this.#database.write(person.organizationId, async (transaction) => {
      await updateWhere(transaction, 'users', { id: person.id }, { password_hash: passwordHash });
      await endSessions(transaction, person.id);
      return beginSession(transaction, person, now);
    });
  }

  /** Ends a session, and returns its person. */
  signOut(person: Person, token: string): Promise<User> {
    return this.#database.write(person.organizationId, async (transaction) => {
      await transaction
        .deleteFrom('sessions')
        .where('token_hash', '=', hashSecret(token))
        .execute();
      return getUser(transaction, person);
    });
  }

  /** Finds the caller of a session that has not expired. */
  async findCaller(token: string, now: number): Promise<FoundCaller | undefined> {
    const row = await this.#readBySession(hashSecret(token));
    if (!row || row.expiresAt <= now) return undefined;
    const { organizationId, suspendedAt, id, email, passwordHash } = row;
    const role = row.role as Role;
    const scopes = new Set<string>(roleScopes[role]);
    const caller = {
      restriction: undefined,
      organizationId,
      scopes,
      client: null,
      apiKey: null,
      user: { id, email, role, hasPassword: passwordHash !== null },
    };
    return { caller, suspendedAt };
  }
}

export const listUsers = listOf('users', selectUsers, fromRow, sql`removed_at is null`);

export function toUserRecord(found: User): z.input<typeof user> {
  return presentAs(user, withIsoTimes(found));
}

export function emailConflict(email: string): ApiError {
  return new ApiError('EMAIL_CONFLICT', `Somebody on this server has the address ${email} already`);
}

async function openInvitation(
  transaction: WriteTransaction,
  organizationId: string,
  id: string,
  now: number,
): Promise<WithToken> {
  const token = newSecret('invitation');
  const invitation = {
    invitation_hash: hashSecret(token),
    invitation_expires_at: now + invitationLifetimeMs,
  };
  await updateWhere(transaction, 'users', { id }, invitation);
  return { user: await getUser(transaction, { organizationId, id }), token };
}

async function beginSession(
  transaction: WriteTransaction,
  person: Person,
  now: number,
): Promise<WithToken> {
  await updateWhere(transaction, 'users', { id: person.id }, { last_signed_in_at: now });
  // Throws if the person was removed meanwhile.
  const user = await getUser(transaction, person);
  const token = newSecret('session');
  const times = { created_at: now, expires_at: now + sessionLifetimeMs };
  const row = { token_hash: hashSecret(token), user_id: person.id, ...times };
  await transaction.insertInto('sessions').values(row).execute();
  return { user, token };
}

async function isTaken(db: Db, email = ''): Promise<boolean> {
  return (await findWhere(db, 'users', { email })) !== undefined;
}

async function endSessions(transaction: WriteTransaction, userId: string): Promise<void> {
  await transaction.deleteFrom('sessions').where('user_id', '=', userId).execute();
}

async function findUser(db: Db, organizationId: string, id: string): Promise<User | null> {
  const row = await selectUsers(db, organizationId).where('id', '=', id).executeTakeFirst();
  return row ? fromRow(row) : null;
}

async function getUser(db: Db, { organizationId, id }: Person): Promise<User> {
  const found = await findUser(db, organizationId, id);
  if (!found) throw new ApiError('UNAUTHORIZED', 'The person has been removed');
  return found;
}

function selectInvited(db: Db, token: string, now: number) {
  return selectWithPassword(db)
    .where('invitation_hash', '=', hashSecret(token))
    .where('invitation_expires_at', '>', now);
}

function selectWithPassword(db: Db) {
  return db
    .selectFrom('users')
    .innerJoin('organizations', 'organizations.id', 'users.organization_id')
    .select(['users.id', 'email', 'organization_id as organizationId'])
    .select(['password_hash as passwordHash', 'suspended_at as suspendedAt']);
}

function selectUsers(db: Db, organizationId: string) {
  return db
    .selectFrom('users')
    .select(['id', 'organization_id as organizationId', 'email', 'role', 'created_at as createdAt'])
    .select(['last_signed_in_at as lastSignedInAt', 'password_hash as passwordHash'])
    .select('invitation_expires_at as invitationExpiresAt')
    .where('removed_at', 'is', null)
    .where('organization_id', '=', organizationId);
}

type UserRow = Awaited<ReturnType<ReturnType<typeof selectUsers>['execute']>>[number];

function fromRow({ passwordHash, role, ...row }: UserRow) {
  return { ...row, role: role as Role, hasPassword: passwordHash !== null };
}
