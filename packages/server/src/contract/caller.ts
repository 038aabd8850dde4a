/** The client that an access token identifies. */
export interface Caller {
  readonly clientId: string;
  readonly organizationId: string;
  readonly scopes: ReadonlySet<string>;
}
