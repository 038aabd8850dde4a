/** A file that cannot be imported as it is, with the next step. */
export class FileError extends Error {
  override readonly name = 'FileError';

  constructor(
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }
}
