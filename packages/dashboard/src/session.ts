import { computed, signal } from '@preact/signals';
import type { Me, SessionState } from '@shorty/sdk';
import { api } from './api.js';

/** Who is signed in: undefined until it is known, null for nobody. */
export const me = signal<Me | null | undefined>(undefined);

/** What the server offers to people with a browser. */
export const state = signal<SessionState | undefined>(undefined);

const scopes = computed(() => new Set<string>(me.value?.scopes));

/** Returns whether the person who is signed in may do something, such as `urls:write`. */
export const may = (scope: Me['scopes'][number]): boolean => scopes.value.has(scope);

/** Finds out who is signed in. */
export async function readSession(): Promise<void> {
  state.value = await api.session.get();
  me.value = state.value.isSignedIn ? await api.me() : null;
}

export async function signOut(): Promise<void> {
  await api.session.delete();
  me.value = null;
}
