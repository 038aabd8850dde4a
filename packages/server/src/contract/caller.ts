/** The organization of a request, and its client or API key. Exactly one of these is set. */
export interface Caller {
  readonly organizationId: string;
  readonly scopes: ReadonlySet<string>;
  readonly client: { readonly id: string } | null;
  readonly apiKey: {
    readonly id: string;
    readonly name: string;
    readonly expiresAt: number | null;
  } | null;
}
