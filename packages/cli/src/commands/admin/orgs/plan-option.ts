import { Option } from 'commander';

/** The option that names a plan. */
export function planOption(purpose: string): Option {
  return new Option('--plan <plan>', purpose).choices(['free', 'developer', 'scale', 'enterprise']);
}
