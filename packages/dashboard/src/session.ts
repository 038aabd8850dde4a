import { computed, signal } from '@preact/signals';
import type { Me } from '@shorty/sdk';
import { api } from './api.js';

/** Who is signed in: undefined until it is known, null for nobody. */
export const me = signal<Me | null | undefined>(undefined);

/** Where people sign in by the provider of their organization; null without one. */
export const providerUrl = signal<string | null>(null);

const scopes = computed(() => new Set<string>(me.value?.scopes));

/** Returns whether the person who is signed in may do something, such as `urls:write`. */
export const may = (scope: Me['scopes'][number]): boolean => scopes.value.has(scope);

/** Finds out who is signed in. */
export async function readSession(): Promise<void> {
  const { isSignedIn, signInUrl } = await api.session.get();
  providerUrl.value = signInUrl;
  me.value = isSignedIn ? await api.me() : null;
}

export async function signOut(): Promise<void> {
  await api.session.delete();
  me.value = null;
}
