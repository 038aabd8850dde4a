import { CommanderError } from 'commander';
import { buildProgram } from './command-tree.js';
import { createContext } from './context.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import type { Io } from './io.js';
import { allowsColor, resolveFormat } from './output.js';
import { reportError } from './report-error.js';

/**
 * Runs one command line, given without the names of node and the script, and answers the exit
 * code. Never throws and never exits.
 */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.done;
  const program = buildProgram(io, async (work) => {
    const flags = program.opts();
    const context = createContext(io, flags, {
      format: resolveFormat(flags),
      isQuiet: flags.quiet === true,
      allowsColor: allowsColor(flags, io.env),
    });
    exitCode = (await work(context)) ?? exitCodes.done;
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has told by now what is wrong with the command line.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
    const flags = program.opts();
    return reportError(error, io, flags.json === true || flags.output === 'json');
  }
}
