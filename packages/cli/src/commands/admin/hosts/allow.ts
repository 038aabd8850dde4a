import type { DefineCommand } from '../../../command.js';
import { defineSetRule } from './set-rule.js';

export const define: DefineCommand = (command, start) =>
  defineSetRule(command, start, '/api/v1/admin/allowed-hosts');
