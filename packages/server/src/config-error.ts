/** A setting or a command of an operator is invalid. The message names it, its value and the rule. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
