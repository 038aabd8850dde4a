/** The organization of a request, and its client, API key or person. Exactly one of these is set. */
export interface Caller {
  readonly organizationId: string;
  readonly scopes: ReadonlySet<string>;
  readonly client: { readonly id: string } | null;
  readonly apiKey: {
    readonly id: string;
    readonly name: string;
    readonly expiresAt: number | null;
  } | null;
  /** The person of the session. */
  readonly user: {
    readonly id: string;
    readonly email: string | null;
    readonly role: string;
    readonly hasPassword: boolean;
  } | null;
}
