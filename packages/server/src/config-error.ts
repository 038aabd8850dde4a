/** An operator's setting or command is wrong. The message names it, its value and the rule. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
