import type { Command } from 'commander';
import type { CommandRow } from '../command.js';
import { type CompletionWords, completionScript, shells } from '../completion-script.js';

export const completion: CommandRow = {
  summary: 'Print a completion script for a shell',
  examples: [
    "echo 'source <(shorty completion bash)' >> ~/.bashrc",
    "echo 'source <(shorty completion zsh)' >> ~/.zshrc",
    'shorty completion fish > ~/.config/fish/completions/shorty.fish',
  ],
  args: { '<shell>': { text: 'shell', choices: shells } },
  run: async ({ program, output }, { shell }: { readonly shell: string }) => {
    await output.write(completionScript(shell, collectWords(program, program, '')));
  },
};

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
