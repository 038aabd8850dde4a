/**
 * Returns a secret in the form of Standard Webhooks: the base64 of the bytes that X-Service-Signature
 * is keyed with. Both kinds of signatures therefore have the same key.
 */
export function standardSecretOf(secret: string): string {
  return `whsec_${Buffer.from(secret).toString('base64')}`;
}
