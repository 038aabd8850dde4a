import { readConfig } from '../../config.js';
import { ConfigError } from '../../config-error.js';
import { emailAddress, type PageRange } from '../../contract/fields.js';
import type { Role } from '../../contract/roles.js';
import { createOrganizationRepository } from '../../organizations/organization-repository.js';
import { invitationUrlOf } from '../../people/session-cookie.js';
import {
  createUserRepository,
  listUsers,
  toUserRecord,
  type User,
  type WithToken,
} from '../../people/user-repository.js';
import type { Database } from '../../storage/database.js';
import { fromCommand, withDatabase, withOrganization } from './open-database.js';
import { print, printRecords } from './print.js';

interface JsonOption {
  readonly json?: boolean;
}

interface InviteOptions extends JsonOption {
  readonly org: string;
  readonly email?: string;
  readonly role: Role;
}

/** Adds a person to an organization, and prints the link by which the person sets a password. */
export async function inviteUser({ org, email, role, json }: InviteOptions): Promise<void> {
  const address = email === undefined ? null : parseEmail(email);
  const { result } = await withOrganization(org, (database, organizationId) =>
    createUserRepository(database).invite(
      { email: address, role },
      { organizationId, now: Date.now(), write: fromCommand('inviteUser') },
    ),
  );
  printLink(result, json);
}

/** Prints a new link by which a person sets a password. It replaces the one before. */
export async function resetUser(email: string, { json }: JsonOption): Promise<void> {
  const address = parseEmail(email);
  const invited = await withDatabase(async (database) => {
    const users = createUserRepository(database);
    const found = await users.find('email', address);
    if (!found) throw new ConfigError(`nobody has the address ${address}: see users list`);
    const { organizationId } = found;
    const context = { organizationId, now: Date.now(), write: fromCommand('resetUserPassword') };
    return (await users.inviteAgain(found.id, context)).result;
  });
  if (!invited) throw new ConfigError(`${address} was removed meanwhile`);
  printLink(invited, json);
}

export async function printUsers({ org, json }: JsonOption & { readonly org?: string }) {
  const found =
    org === undefined
      ? await withDatabase(async (database) => {
          const organizations = await createOrganizationRepository(database).list();
          return (await Promise.all(organizations.map(({ id }) => readUsers(database, id)))).flat();
        })
      : await withOrganization(org, readUsers);
  const records = found.map((user) => ({
    ...toUserRecord(user),
    organizationId: user.organizationId,
  }));
  const header = ['ADDRESS', 'ROLE', 'ORGANIZATION', 'LAST SIGN-IN'];
  printRecords(json, records, header, ({ email, role, organizationId, lastSignedInAt }) => [
    ...[email ?? '(invited)', role, organizationId, lastSignedInAt ?? 'never'],
  ]);
}

async function readUsers(database: Database, organizationId: string) {
  const users: User[] = [];
  let after: PageRange['after'];
  do {
    const page = await listUsers(database, organizationId, { limit: 100, offset: 0, after });
    users.push(...page.items);
    after = page.next;
  } while (after);
  return users;
}

function parseEmail(text: string): string {
  const parsed = emailAddress.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new ConfigError(`${text}: ${parsed.error.issues[0]?.message}`);
}

function printLink({ token, user }: WithToken, json: boolean | undefined): void {
  const { baseUrl, port } = readConfig(process.env);
  // That of the running server, whose port this process knows from its settings only.
  const address = baseUrl ?? `http://localhost:${port}`;
  const invitationUrl = invitationUrlOf(address, token, user.email);
  print(
    json
      ? JSON.stringify({ invitationUrl })
      : `Open this link to set the password. It works once, until tomorrow:\n${invitationUrl}`,
  );
}
