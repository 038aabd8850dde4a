import type { Command, Option } from 'commander';
import type { CommandRow } from '../command.js';

// Each script asks this command for the completions of a line. A line `:files` stands for files.
const bash = `# bash completion of shorty
_shorty() {
  local IFS=$'\\n' line files=""
  COMPREPLY=()
  for line in $(shorty completion bash -- "\${COMP_WORDS[@]:1:$COMP_CWORD}" 2>/dev/null); do
    if [[ $line == :files ]]; then files=1; else COMPREPLY+=("$line"); fi
  done
  # Without candidates, bash offers files unless this turns them off. bash 3 and zsh do not have it.
  [[ $files ]] || compopt +o default 2>/dev/null
}
complete -o default -F _shorty shorty
`;

const scripts = {
  bash,
  zsh: `autoload -Uz compinit bashcompinit
(( $+functions[compdef] )) || compinit
bashcompinit
${bash}`,
  fish: `# fish completion of shorty
function __shorty_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -g __shorty_lines (shorty completion fish -- $words[2..-1] "$current" 2>/dev/null)
    # Without -f, fish offers files.
    not contains :files $__shorty_lines
end
complete -c shorty -f -n __shorty_complete -a '$__shorty_lines'
`,
};

type Shell = keyof typeof scripts;

export const completion: CommandRow = {
  summary: 'Print a completion script for a shell',
  examples: [
    "echo 'source <(shorty completion bash)' >> ~/.bashrc",
    "echo 'source <(shorty completion zsh)' >> ~/.zshrc",
    'shorty completion fish > ~/.config/fish/completions/shorty.fish',
  ],
  args: {
    '<shell>': { text: 'shell', choices: Object.keys(scripts) },
    '[words...]': 'words of a line, whose last one the script completes',
  },
  run: async (
    { program, output },
    { shell, words = [] }: { readonly shell: Shell; readonly words?: readonly string[] },
  ) => {
    if (words.length === 0) return output.write(scripts[shell]);
    const lines = Array.from(complete(program, words), ([word, summary]) =>
      shell === 'fish' && word !== files ? `${word}\t${summary}\n` : `${word}\n`,
    );
    await output.write(lines.join(''));
  },
};

const files = ':files';

/** Returns what can complete the last word, with what it means. */
function complete(program: Command, words: readonly string[]): Map<string, string> {
  const help = program.createHelp();
  const optionsOf = (command: Command) => [
    ...help.visibleOptions(command),
    ...help.visibleOptions(program),
  ];
  let command = program;
  let option: Option | undefined;
  const [, flag, value] = /^(--[\w-]+)=(.*)$/s.exec(words.at(-1) ?? '') ?? [];
  // Bash splits `--output=nd` at the sign.
  const earlier = [...words.slice(0, -1), ...(flag ? [flag] : [])].filter((word) => word !== '=');
  const current = value ?? words.at(-1)?.replace(/^=$/, '') ?? '';
  for (const word of earlier) {
    if (option) option = undefined;
    else if (word.startsWith('-')) {
      option = optionsOf(command).find(
        (each) => each.required && (word === each.long || word === each.short),
      );
    } else command = command.commands.find((child) => child.name() === word) ?? command;
  }
  const candidates = new Map<string, string>();
  const add = (word: string, summary = '') => {
    // The other shells replace the whole word.
    const whole = flag ? `${flag}=${word}` : word;
    if (word.startsWith(current) && !candidates.has(whole)) candidates.set(whole, summary);
  };
  if (option) {
    for (const choice of option.argChoices ?? []) add(choice);
    if (/<(?:file|folder)>/.test(option.flags)) candidates.set(files, '');
  } else if (current.startsWith('-')) {
    // Options are offered after a hyphen only.
    for (const { long, description } of optionsOf(command)) add(long ?? '', description);
  } else {
    for (const argument of command.registeredArguments) {
      for (const choice of argument.argChoices ?? []) add(choice);
      const isFile = /\bfile\b/i.test(`${argument.name()} ${argument.description}`);
      if (isFile) candidates.set(files, '');
    }
    for (const child of command.commands) add(child.name(), child.description());
  }
  return candidates;
}
