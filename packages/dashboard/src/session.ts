import { signal } from '@preact/signals';
import { type Me, type SessionState, Shorty } from '@shorty/sdk';

/** The API of the server that has sent the page, by the session of the browser. */
export const api = new Shorty({
  baseUrl: location.origin,
  // The cookie of the session counts only without a token, which the client requires.
  accessToken: 'session',
  fetch(input, init) {
    const headers = new Headers(init?.headers);
    headers.delete('authorization');
    return fetch(input, { ...init, headers });
  },
});

/** Who is signed in: undefined until it is known, null for nobody. */
export const me = signal<Me | null | undefined>(undefined);

/** What the server offers to people with a browser. */
export const state = signal<SessionState | undefined>(undefined);

/** Returns whether the person who is signed in may do something, such as `urls:write`. */
export const may = (scope: Me['scopes'][number]): boolean =>
  me.value?.scopes.includes(scope) === true;

/** Finds out who is signed in. */
export async function readSession(): Promise<void> {
  state.value = await api.session.get();
  me.value = state.value.isSignedIn ? await api.me() : null;
}

export async function signOut(): Promise<void> {
  // The session may have ended, or somebody has signed out in another tab.
  if ((await api.session.get()).isSignedIn) await api.session.delete();
  me.value = null;
}
