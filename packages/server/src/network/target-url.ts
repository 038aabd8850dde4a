import { byteLimit, checkedText, webAddress } from '../contract/fields.js';
import { parseUrl } from './parse-url.js';

/** The limit of a target in UTF-8. Specification, "Limits". */
export const maxTargetUrlBytes = 8192;

// The URL parser removes tabs, line breaks and outer spaces without an error, so they are refused.
const forbidden = /[\p{Cc}\u2028\u2029]|^\s|\s$/u;

/** Returns why a text is not a valid target, or undefined when it is one. */
export function findTargetUrlError(text: string): string | undefined {
  if (text === '') return 'must not be empty';
  if (forbidden.test(text)) {
    return 'must not contain control characters or line breaks, or begin or end with a space';
  }
  if (!text.isWellFormed())
    return 'must be well-formed Unicode (it contains an unpaired surrogate)';
  // A UTF-16 unit takes at most three bytes in UTF-8, so the bytes of a short text are not counted.
  if (text.length * 3 > maxTargetUrlBytes && Buffer.byteLength(text) > maxTargetUrlBytes) {
    return `must be at most ${maxTargetUrlBytes} bytes long`;
  }
  if (!/^https?:\/\//i.test(text)) return 'must start with http:// or https://';
  return parseUrl(text) ? undefined : 'must be a valid URL';
}

export const targetUrl = checkedText(findTargetUrlError).meta({
  description: `Where the link leads: http or https, at most ${maxTargetUrlBytes} bytes. It must not lead to a host of short links on this server. Returned exactly as it was sent.`,
  pattern: webAddress,
  ...byteLimit(maxTargetUrlBytes),
  example: 'https://example.com/spring?ref=mail#offers',
});

/** A web address of at most `maxLength` characters. */
export function webUrl(maxLength: number) {
  const findError = (text: string) =>
    text.length > maxLength
      ? `must be at most ${maxLength} characters long`
      : findTargetUrlError(text);
  return checkedText(findError).meta({ pattern: webAddress, maxLength });
}
