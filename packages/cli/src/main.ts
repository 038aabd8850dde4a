import { CommanderError } from 'commander';
import { UsageError } from './cli-error.js';
import { buildProgram, type GlobalFlags } from './command-tree.js';
import { createContext } from './context.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import type { Io } from './io.js';
import { allowsColor, outputFormats, resolveFormat } from './output.js';
import { reportError } from './report-error.js';

/**
 * Runs one command line, given without the names of node and the script, and answers the exit
 * code. Never throws and never exits.
 */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.done;
  const program = buildProgram(io, async (work, { ownsOutput = false } = {}) => {
    const flags = program.opts();
    const context = createContext(io, flags, {
      format: ownsOutput ? 'table' : resolveFormat(flags, outputFormats),
      isQuiet: flags.quiet === true,
      allowsColor: allowsColor(flags, io.env),
    });
    exitCode = (await work(context)) ?? exitCodes.done;
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    const asJson = wantsJson(program.opts(), argv);
    if (!(error instanceof CommanderError)) return reportError(error, io, asJson);
    if (error.exitCode === 0) return exitCodes.done;
    // Help that was shown for want of a command says all there is to say.
    if (error.code === 'commander.help') return exitCodes.usage;
    return reportError(toUsageError(error), io, asJson);
  }
}

// A command line that cannot be parsed leaves flags unread that stand behind its fault.
function wantsJson(flags: GlobalFlags, argv: readonly string[]): boolean {
  return flags.json === true || flags.output === 'json' || argv.includes('--json');
}

function toUsageError({ message }: CommanderError): UsageError {
  const [fault = '', suggestion] = message.replace(/^error: /, '').split('\n');
  return new UsageError(fault, suggestion?.replace(/^\((.*)\)$/, '$1'));
}
