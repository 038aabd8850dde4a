import { type Scope, scopes } from './define-route.js';

const links = ['urls:read', 'urls:write', 'qr:read', 'qr:write', 'domains:read', 'domains:write'];

export const roleScopes = {
  owner: scopes,
  editor: scopes.filter((scope) => links.includes(scope) || scope.endsWith(':read')),
  viewer: scopes.filter((scope) => scope.endsWith(':read')),
} as const satisfies Readonly<Record<string, readonly Scope[]>>;

export type Role = keyof typeof roleScopes;

export const roles = Object.keys(roleScopes) as [Role, ...Role[]];
