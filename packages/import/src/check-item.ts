import { type FieldRules, fieldRules } from './url-fields.js';

/**
 * Returns the rules of the contract that a new link breaks, or undefined. The server checks more: whether
 * a slug is taken or reserved, for example.
 */
export function findItemError(item: Readonly<Record<string, unknown>>): string | undefined {
  const errors = typeof item.targetUrl === 'string' ? [] : ['targetUrl is required'];
  for (const [name, value] of Object.entries(item)) {
    const rules = fieldRules[name];
    const rule = rules && value !== undefined ? brokenRule(value, rules) : undefined;
    if (rule === undefined) continue;
    const isShown = name !== 'password' && typeof value !== 'object';
    errors.push(isShown ? `${name} is ${JSON.stringify(value)}: it ${rule}` : `${name} ${rule}`);
  }
  return errors.length === 0 ? undefined : errors.join('; ');
}

function brokenRule(value: unknown, rules: FieldRules): string | undefined {
  const { minLength = 0, maxLength, minimum, maximum, maxItems, pattern } = rules;
  if (rules.enum && !rules.enum.includes(value)) return `must be ${rules.enum.join(', ')}`;
  if (Array.isArray(value) && maxItems !== undefined && value.length > maxItems) {
    return `must have at most ${maxItems} values`;
  }
  if (typeof value === 'number') {
    if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`;
    if (maximum !== undefined && value > maximum) return `must be at most ${maximum}`;
  }
  if (typeof value !== 'string') return undefined;
  if (value.length < minLength) return `must have at least ${minLength} characters`;
  if (maxLength !== undefined && value.length > maxLength) {
    return `must have at most ${maxLength} characters`;
  }
  if (pattern === undefined || new RegExp(pattern).test(value)) return undefined;
  if (pattern.includes('[Hh][Tt][Tt][Pp]')) return 'must start with http:// or https://';
  return pattern.includes('\\d{4}-')
    ? 'must be a time such as 2030-12-31'
    : 'has other characters than are allowed';
}
