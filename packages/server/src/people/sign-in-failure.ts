/** Why a sign-in by the provider failed. The page of the sign-in has a text for each. */
export type SignInFailureCode = 'unknown' | 'expired' | 'refused' | 'unavailable';

/** A sign-in by the provider that failed. The message and the cause are for the operator. */
export class SignInFailure extends Error {
  readonly code: SignInFailureCode;

  constructor(code: SignInFailureCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
