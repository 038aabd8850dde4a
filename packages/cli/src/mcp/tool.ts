import type { QrImage, Shorty } from '@shorty/sdk';
import type { z } from 'zod';

/** What the call of a tool works with. */
export interface ToolCall {
  readonly client: Shorty;
  /** Aborted when the assistant cancels the call, or the command ends. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export interface ToolResult {
  readonly data: object;
  readonly image?: QrImage;
}

/** A tool that the assistant can call. */
export interface Tool<Input = unknown> {
  readonly name: string;
  readonly title: string;
  /** Assistants select a tool by this text alone. */
  readonly description: string;
  /** `add` creates records only. `change` also overwrites fields, and may be repeated. */
  readonly access: 'read' | 'add' | 'change';
  /** The token needs one of these scopes; any token suffices if there are none. */
  readonly scopes: readonly string[];
  readonly input: z.ZodType<Input>;
  /** The schema of `data`: an object, or a union of objects. */
  readonly output: z.ZodType;
  readonly run: (input: Input, call: ToolCall) => Promise<ToolResult>;
}

/** Returns the tool for a list of tools, whose inputs differ. */
export function defineTool<Input>(tool: Tool<Input>): Tool {
  // The MCP server has validated the input.
  return { ...tool, run: (input, call) => tool.run(input as Input, call) };
}
