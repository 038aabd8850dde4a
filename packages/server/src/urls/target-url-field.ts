import { byteLimit, checkedText, webAddress } from '../contract/fields.js';
import { findTargetUrlError, maxTargetUrlBytes } from '../network/target-url.js';

export const targetUrl = checkedText(findTargetUrlError).meta({
  description: `Where the link leads: http or https, at most ${maxTargetUrlBytes} bytes. It must not lead to a host of short links on this server. Returned exactly as it was sent.`,
  pattern: webAddress,
  ...byteLimit(maxTargetUrlBytes),
  example: 'https://example.com/spring?ref=mail#offers',
});
