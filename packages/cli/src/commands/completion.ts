import type { Argument, Command, Option } from 'commander';
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
    const lines = complete(program, words).map(({ word, summary = '' }) =>
      shell === 'fish' && word !== files.word ? `${word}\t${summary}\n` : `${word}\n`,
    );
    await output.write(lines.join(''));
  },
};

interface Candidate {
  readonly word: string;
  readonly summary?: string;
}

const files: Candidate = { word: ':files' };
const help: Candidate = { word: '--help', summary: 'show help' };

/** Returns what can complete the last word. */
function complete(program: Command, words: readonly string[]): Candidate[] {
  let command = program;
  let option: Option | undefined;
  const [, flag, value] = /^(--[\w-]+)=(.*)$/s.exec(words.at(-1) ?? '') ?? [];
  // Bash splits `--output=nd` at the sign.
  const earlier = [...words.slice(0, -1), ...(flag ? [flag] : [])].filter((word) => word !== '=');
  const current = value ?? words.at(-1)?.replace(/^=$/, '') ?? '';
  for (const word of earlier) {
    if (option) option = undefined;
    else if (word.startsWith('-')) {
      option = optionsOf(command, program).find(
        ({ long, short, required }) => required && (word === long || word === short),
      );
    } else command = command.commands.find((child) => child.name() === word) ?? command;
  }
  const candidates = option ? valuesOf(option) : wordsOf(command, program, current);
  const found = candidates.filter((each) => each === files || each.word.startsWith(current));
  // The other shells replace the whole word.
  const start = flag ? `${flag}=` : '';
  return found.map((each) => (each === files ? each : { ...each, word: start + each.word }));
}

function valuesOf({ argChoices, flags }: Option): Candidate[] {
  if (argChoices) return argChoices.map((word) => ({ word }));
  return /<(?:file|folder)>/.test(flags) ? [files] : [];
}

function wordsOf(command: Command, program: Command, current: string): Candidate[] {
  // Options are offered after a hyphen only.
  if (current.startsWith('-')) {
    const options = optionsOf(command, program).map(({ long, description }) => ({
      word: long ?? '',
      summary: description,
    }));
    return [...options, help];
  }
  const isFile = (argument: Argument) =>
    /\bfile\b/i.test(`${argument.name()} ${argument.description}`);
  return [
    ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    ...(command.registeredArguments.some(isFile) ? [files] : []),
    ...command.commands.map((child) => ({ word: child.name(), summary: child.description() })),
  ].map((each) => (typeof each === 'string' ? { word: each } : each));
}

/** Returns the options of a command, before those of every command. */
function optionsOf({ options }: Command, program: Command): readonly Option[] {
  if (options === program.options) return options;
  const isShadowed = (option: Option) => options.some(({ long }) => long === option.long);
  return [...options, ...program.options.filter((each) => !isShadowed(each))];
}
