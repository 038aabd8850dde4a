/** The links that an API key is restricted to. */
export interface LinkRestriction {
  /** Those on this custom domain; null: on any. */
  readonly domainId: string | null;
  /** Those that this API key created; null: that anybody created. */
  readonly createdBy: string | null;
}

/** Whose links a request may read and write: all of an organization, or those within a restriction. */
export interface LinkOwner {
  readonly organizationId: string;
  readonly restriction?: LinkRestriction | undefined;
}

/**
 * The organization of a request, and its client, API key or person. Exactly one of these is set. Only a
 * restricted API key has a restriction.
 */
export interface Caller extends LinkOwner {
  readonly scopes: ReadonlySet<string>;
  readonly client?: { readonly id: string };
  readonly apiKey?: {
    readonly id: string;
    readonly name: string;
    readonly expiresAt: number | null;
    readonly domainId: string | null;
    readonly onlyOwnLinks: boolean;
  };
  /** The person of the session. */
  readonly user?: {
    readonly id: string;
    readonly email: string | null;
    readonly role: string;
    readonly hasPassword: boolean;
  };
}
