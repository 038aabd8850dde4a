import { Argument, type Command } from 'commander';
import type { DefineCommand } from '../command.js';
import { type CompletionWords, completionScript, shells } from '../completion-script.js';
import type { Context } from '../context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';

export const define: DefineCommand = (command, start) => {
  command
    .addArgument(new Argument('<shell>', 'shell').choices(shells))
    .action((shell: string) => start((context) => printCompletion(context, shell)));
};

async function printCompletion(context: Context, shell: string): Promise<ExitCode> {
  const { program } = context;
  await context.loadCommands();
  await context.output.write(completionScript(shell, collectWords(program, program, '')));
  return exitCodes.done;
}

function collectWords(command: Command, program: Command, path: string): CompletionWords[] {
  const shadowed = new Set(command.options.map(({ long }) => long));
  const own = [
    ...command.options,
    ...(command === program ? [] : program.options.filter(({ long }) => !shadowed.has(long))),
  ];
  const options = own
    .filter((option) => !option.hidden && option.long)
    .map((option) => ({
      name: option.long ?? '',
      summary: option.description,
      takesValue: option.required || option.optional,
      takesFile: /<(?:file|folder)>/.test(option.flags),
      choices: option.argChoices ?? [],
    }));
  const commands = command.commands.map((child) => ({
    name: child.name(),
    summary: child.description(),
  }));
  const help = {
    name: '--help',
    summary: 'show help',
    takesValue: false,
    takesFile: false,
    choices: [],
  };
  const choices = command.registeredArguments.flatMap((argument) => argument.argChoices ?? []);
  const takesFile = command.registeredArguments.some((argument) =>
    /\bfile\b/i.test(`${argument.name()} ${argument.description}`),
  );
  const words = { path, commands, choices, takesFile, options: [...options, help] };
  return [
    words,
    ...command.commands.flatMap((child) =>
      collectWords(child, program, path === '' ? child.name() : `${path} ${child.name()}`),
    ),
  ];
}
