import { expect, it } from 'vitest';
import { decodeError, encodeError } from './error-transfer.js';

class KnownError extends Error {}

it('decodes an error of a registered class, with its properties and its cause', () => {
  const sent = Object.assign(new KnownError('x', { cause: new RangeError('y') }), { code: 'E1' });
  const decoded = decodeError(structuredClone(encodeError(sent, [KnownError])), [KnownError]);
  expect(decoded).toBeInstanceOf(KnownError);
  expect(decoded).toMatchObject({ message: 'x', code: 'E1', stack: sent.stack });
  expect(decoded.cause).toMatchObject({ message: 'y' });
});
