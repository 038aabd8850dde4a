import { z } from 'zod';
import { defineRoute } from '../contract/define-route.js';
import {
  emailAddress,
  instant,
  newPassword,
  pageOf,
  paging,
  uuidParam,
  uuidText,
} from '../contract/fields.js';
import { roles } from '../contract/roles.js';

export const maxUsers = 1_000;

/** How long an invitation or a reset can be used. */
export const invitationLifetimeMs = 24 * 60 * 60 * 1000;

/** How long a session lasts, however much it is used. */
export const sessionLifetimeMs = 30 * 24 * 60 * 60 * 1000;

const minPasswordLength = 10;
const maxPasswordLength = 200;

const role = z.enum(roles, { error: `must be one of ${roles.join(', ')}` }).meta({
  id: 'Role',
  description:
    'owner: everything. editor: links, QR codes and domains, and reads the rest. viewer: reads.',
});

const password = newPassword(maxPasswordLength, minPasswordLength).meta({
  format: 'password',
  example: 'correct horse battery',
});

/** A password that somebody has set before. It is compared, and has no other rule. */
const givenPassword = z
  .string()
  .min(1, 'must not be empty')
  .max(maxPasswordLength)
  .meta({ format: 'password', example: 'correct horse battery' });

const email = emailAddress.meta({ example: 'ada@example.com' });

const fields = {
  id: uuidText,
  email: z.string().nullable().meta({
    description: 'The address that a person signs in with. Null: the invitation asks for it.',
    example: 'ada@example.com',
  }),
  role,
  createdAt: instant,
  lastSignedInAt: instant.nullable().describe('Null: never.'),
  hasPassword: z.boolean().describe('False until the person has accepted the invitation.'),
  invitationExpiresAt: instant
    .nullable()
    .describe('Until when the last link can be used. Null: no link is open.'),
};

export const user = z.object(fields).meta({ id: 'User' });

const invitation = z
  .object({
    ...fields,
    invitationUrl: z.string().meta({
      description:
        'Opens the page on which the person sets a password. It can be used once, within a day, until the next link is made. Only this response contains it.',
      example: 'https://sho.rt/dashboard/welcome#shorty_in_4fQZ',
    }),
  })
  .meta({ id: 'Invitation' });

const sessionStarted = z.object({ user }).meta({ id: 'Session' });

const sessionState = z
  .object({
    isSignedIn: z.boolean().describe('Whether the cookie is that of a session.'),
    signInUrl: z.string().nullable().meta({
      description:
        'Where a browser signs in by the provider of the organization. Null: by a password only.',
      example: '/dashboard/oidc',
    }),
    servesAdministration: z
      .boolean()
      .describe('Whether this address has the administration API, which needs the operator key.'),
  })
  .meta({ id: 'SessionState' });

const people = { tag: 'People', params: z.strictObject({ id: uuidParam }) } as const;
const session = { tag: 'Sessions' } as const;
const writes = { scope: 'people:write' } as const;

export const userRoutes = [
  defineRoute('inviteUser', 'POST /api/v1/people', {
    tag: people.tag,
    access: writes,
    summary: 'Invite a person to the organization',
    description: `No mail is sent: pass the link of the response on. An address belongs to one person on a server. An organization has at most ${maxUsers} people.`,
    body: z.strictObject({ email, role }).meta({ id: 'UserInviteRequest' }),
    responses: { 201: { description: 'The person, and the link', data: invitation } },
    errors: ['EMAIL_CONFLICT', 'QUOTA_EXCEEDED'],
  }),
  defineRoute('listUsers', 'GET /api/v1/people', {
    tag: people.tag,
    access: { scope: 'people:read' },
    summary: 'List the people of the organization, newest first',
    query: z.strictObject(paging),
    responses: { 200: { description: 'One page of people', data: pageOf(user) } },
  }),
  defineRoute('changeUserRole', 'PUT /api/v1/people/{id}/role', {
    ...people,
    access: writes,
    summary: 'Change the role of a person',
    description: 'Ends the sessions of the person. The last owner keeps the role.',
    body: z.strictObject({ role }).meta({ id: 'UserRoleRequest' }),
    responses: { 200: { description: 'The changed person', data: user } },
    errors: ['LAST_OWNER'],
  }),
  defineRoute('deleteUser', 'DELETE /api/v1/people/{id}', {
    ...people,
    access: writes,
    summary: 'Remove a person from the organization',
    description: 'Ends the sessions of the person. The last owner cannot be removed.',
    responses: { 200: { description: 'The removed person', data: user } },
    errors: ['LAST_OWNER'],
  }),
  defineRoute('resetUserPassword', 'POST /api/v1/people/{id}/invitation', {
    ...people,
    access: writes,
    summary: 'Make a new link by which a person sets a password',
    description: 'Replaces the link before. The sessions of the person end when it is used.',
    responses: { 201: { description: 'The person, and the link', data: invitation } },
  }),
  defineRoute('acceptInvitation', 'POST /api/v1/session/invitation', {
    ...session,
    access: 'public',
    summary: 'Set a password by the token of a link, and sign in',
    description: 'Uses the link up, and ends the other sessions of the person.',
    body: z
      .strictObject({
        token: z.string().min(1).max(200).meta({
          description: 'What follows # in the link.',
          example: 'shorty_in_4fQZ',
        }),
        email: email.optional().describe('Required if the invitation has no address.'),
        password,
      })
      .meta({ id: 'InvitationAcceptRequest' }),
    responses: { 201: { description: 'The session, in a cookie', data: sessionStarted } },
    errors: ['UNAUTHORIZED', 'ORGANIZATION_SUSPENDED', 'EMAIL_CONFLICT', 'CROSS_ORIGIN'],
  }),
  defineRoute('getSession', 'GET /api/v1/session', {
    ...session,
    access: 'public',
    summary: 'Read whether the browser is signed in',
    responses: { 200: { description: 'Whether it is signed in', data: sessionState } },
  }),
  defineRoute('createSession', 'POST /api/v1/session', {
    ...session,
    access: 'public',
    summary: 'Sign in with an address and a password',
    description:
      'The cookie of the response is for browsers: it lasts 30 days, and is accepted where a token is. Failed attempts are limited per address of the person and of the network.',
    body: z.strictObject({ email, password: givenPassword }).meta({ id: 'SessionCreateRequest' }),
    responses: { 201: { description: 'The session, in a cookie', data: sessionStarted } },
    errors: ['UNAUTHORIZED', 'ORGANIZATION_SUSPENDED', 'RATE_LIMITED', 'CROSS_ORIGIN'],
  }),
  defineRoute('deleteSession', 'DELETE /api/v1/session', {
    ...session,
    access: 'session',
    summary: 'Sign out',
    description: 'Ends the session of the cookie.',
    responses: { 200: { description: 'The person who has signed out', data: sessionStarted } },
  }),
  defineRoute('changePassword', 'PUT /api/v1/session/password', {
    ...session,
    access: 'session',
    summary: 'Change the password of the person who is signed in',
    description: 'Ends all sessions of the person, and starts a new one.',
    body: z
      .strictObject({ currentPassword: givenPassword, newPassword: password })
      .meta({ id: 'PasswordChangeRequest' }),
    responses: { 200: { description: 'The new session, in a cookie', data: sessionStarted } },
    errors: ['RATE_LIMITED'],
  }),
] as const;
