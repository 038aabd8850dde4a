import { type Kysely, sql } from 'kysely';
import { v7 as newUuid } from 'uuid';
import type { z } from 'zod';
import type { FoundCaller } from '../auth/client-repository.js';
import { hashSecret, newSecret } from '../auth/secrets.js';
import { ApiError } from '../contract/api-error.js';
import { presentAs, withIsoTimes } from '../contract/present.js';
import { type Role, roleScopes } from '../contract/roles.js';
import { refuseTooMany } from '../idempotency/refuse-too-many.js';
import { Refusal, type WriteContext, writeOnce } from '../idempotency/with-idempotency-key.js';
import type { Database, Schema, WriteTransaction } from '../storage/database.js';
import { listOf } from '../storage/list-page.js';
import { rowReader } from '../storage/prepared.js';
import { bulkInsert, findWhere, updateWhere } from '../storage/statements.js';
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
export function createUserRepository(database: Database) {
  const { read } = database;
  // Prepared, because every request of the dashboard runs it.
  const readBySession = rowReader(
    read,
    read
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .innerJoin('organizations', 'organizations.id', 'users.organization_id')
      .select(['token_hash', 'users.id', 'email', 'role'])
      .select(['organization_id as organizationId', 'expires_at as expiresAt'])
      .select(['suspended_at as suspendedAt', 'password_hash as passwordHash'])
      .where('removed_at', 'is', null),
    ['token_hash'],
  );

  /** Changes a person, and ends the sessions. The result is null if there is no such person. Throws LAST_OWNER. */
  function change(
    id: string,
    mayEndOwnership: boolean,
    context: WriteContext,
    work: (transaction: WriteTransaction, found: User) => Promise<User | null>,
  ) {
    const options = { ...context, audit: { type: 'user', id } } as const;
    return writeOnce(database, options, async (transaction) => {
      const found = await findUser(transaction, { ...context, id });
      if (!found) return null;
      // Transactions of an organization run one after another, so two owners cannot remove each other.
      if (mayEndOwnership && found.role === 'owner') {
        const others = await selectUsers(transaction, context.organizationId)
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

  return {
    /** Adds a person with an open invitation. Throws EMAIL_CONFLICT or QUOTA_EXCEEDED. */
    invite(
      { email, role }: { readonly email: string | null; readonly role: Role },
      context: WriteContext,
    ) {
      const person = { id: newUuid(), organizationId: context.organizationId };
      const audit = { type: 'user', id: person.id } as const;
      const options = { ...context, audit, holdsSecret: true };
      return writeOnce(database, options, async (transaction) => {
        const people = sql`users where organization_id = ${person.organizationId}`;
        await refuseTooMany(transaction, people, maxUsers, 'people', 'Remove one first');
        const fields = { organization_id: person.organizationId, email, role };
        const row = { id: person.id, ...fields, created_at: context.now };
        const inserted = await transaction
          .insertInto('users')
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        if (inserted.numInsertedOrUpdatedRows === 0n) throw new Refusal(emailConflict(email ?? ''));
        return openInvitation(transaction, person, context.now);
      });
    },

    /** Makes a new link for a person, which replaces the one before. Returns null if there is no such person. */
    inviteAgain(id: string, context: WriteContext) {
      const person = { id, organizationId: context.organizationId };
      const options = { ...context, audit: { type: 'user', id }, holdsSecret: true } as const;
      return writeOnce(database, options, async (transaction) =>
        (await findUser(transaction, person))
          ? openInvitation(transaction, person, context.now)
          : null,
      );
    },

    changeRole: (id: string, role: Role, context: WriteContext) =>
      change(id, role !== 'owner', context, async (transaction) => {
        await updateWhere(transaction, 'users', { id }, { role });
        return findUser(transaction, { ...context, id });
      }),

    delete: (id: string, context: WriteContext) =>
      change(id, true, context, async (transaction, found) => {
        await transaction
          .deleteFrom('users')
          .where('id', '=', id)
          .where('oidc_subject', 'is', null)
          .execute();
        // An identity stays, so that its provider cannot bring the person back.
        const nothing = { email: null, password_hash: null, invitation_hash: null };
        await updateWhere(transaction, 'users', { id }, { ...nothing, removed_at: context.now });
        return found;
      }),

    /** Finds a person with the stored password, by the id or the address. */
    find: (column: 'users.id' | 'email', value: string) =>
      selectWithPassword(read).where(column, '=', value).executeTakeFirst(),

    /** Finds the person whose invitation has this token and has not expired. */
    findInvited: (token: string, now: number) => selectInvited(read, token, now).executeTakeFirst(),

    /**
     * Uses an invitation up: stores the password, and the address if the person has none. Ends the sessions
     * of the person, and begins one. Returns null if the token does not exist any more, and 'taken' if
     * somebody else has the address.
     */
    accept: (
      { organizationId }: Person,
      token: string,
      email: string | undefined,
      passwordHash: string,
      now: number,
    ) =>
      database.write(organizationId, async (transaction) => {
        const found = await selectInvited(transaction, token, now).executeTakeFirst();
        if (!found) return null;
        if (found.email === null && (await isTaken(transaction, email))) return 'taken';
        const usedUp = { invitation_hash: null, invitation_expires_at: null };
        const accepted = { email: found.email ?? email, password_hash: passwordHash, ...usedUp };
        await updateWhere(transaction, 'users', { id: found.id }, accepted);
        await endSessions(transaction, found.id);
        return beginSession(transaction, found, now);
      }),

    /**
     * Begins a session of the person with an identity of OpenID Connect. Somebody new becomes a person of the
     * organization with the role. Returns null for somebody removed, and for somebody new without a role.
     */
    async signInByIdentity(
      { issuer, subject, email }: OidcIdentity,
      organizationId: string,
      role: Role | undefined,
      now: number,
    ): Promise<WithToken | null> {
      const identity = { oidc_issuer: issuer, oidc_subject: subject };
      const known = await findWhere(read, 'users', identity);
      if (known ? known.removed_at !== null : role === undefined) return null;
      const person = known
        ? { id: known.id, organizationId: known.organization_id }
        : { id: newUuid(), organizationId };
      return database.write(person.organizationId, async (transaction) => {
        if (!known && role !== undefined) {
          // An address identifies nobody: somebody else may have it.
          const ownEmail = email && !(await isTaken(transaction, email)) ? email : null;
          const row = { ...identity, organization_id: organizationId, role, created_at: now };
          await bulkInsert(transaction, 'users', [{ ...row, id: person.id, email: ownEmail }]);
        }
        return beginSession(transaction, person, now);
      });
    },

    /**
     * Begins a session of a person whose password has been verified by this hash. Returns null if it was
     * changed, or the person removed, meanwhile.
     */
    signIn: (person: Person & { readonly passwordHash: string | null }, now: number) =>
      database.write(person.organizationId, async (transaction) => {
        const current = await selectWithPassword(transaction)
          .where('users.id', '=', person.id)
          .executeTakeFirst();
        if (!current || current.passwordHash !== person.passwordHash) return null;
        return beginSession(transaction, person, now);
      }),

    /** Stores a new password, ends all sessions of the person, and begins one. */
    changePassword: (person: Person, passwordHash: string, now: number) =>
      database.write(person.organizationId, async (transaction) => {
        await updateWhere(transaction, 'users', { id: person.id }, { password_hash: passwordHash });
        await endSessions(transaction, person.id);
        return beginSession(transaction, person, now);
      }),

    /** Ends a session, and returns its person. */
    signOut: (person: Person, token: string) =>
      database.write(person.organizationId, async (transaction) => {
        const ended = transaction
          .deleteFrom('sessions')
          .where('token_hash', '=', hashSecret(token));
        await ended.execute();
        return getUser(transaction, person);
      }),

    /** Finds the caller of a session that has not expired. */
    async findCaller(token: string, now: number): Promise<FoundCaller | undefined> {
      const row = await readBySession(hashSecret(token));
      if (!row || row.expiresAt <= now) return undefined;
      const { organizationId, suspendedAt, id, email, passwordHash } = row;
      const role = row.role as Role;
      const caller = {
        organizationId,
        scopes: new Set<string>(roleScopes[role]),
        user: { id, email, role, hasPassword: passwordHash !== null },
      };
      return { caller, suspendedAt };
    },
  };
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
  person: Person,
  now: number,
): Promise<WithToken> {
  const token = newSecret('invitation');
  const end = { invitation_expires_at: now + invitationLifetimeMs };
  const invitation = { invitation_hash: hashSecret(token), ...end };
  await updateWhere(transaction, 'users', { id: person.id }, invitation);
  return { user: await getUser(transaction, person), token };
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

async function findUser(db: Db, { organizationId, id }: Person): Promise<User | null> {
  const row = await selectUsers(db, organizationId).where('id', '=', id).executeTakeFirst();
  return row ? fromRow(row) : null;
}

async function getUser(db: Db, person: Person): Promise<User> {
  const found = await findUser(db, person);
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
