import { UsageError } from './cli-error.js';

export const shells = ['bash', 'zsh', 'fish'] as const;

/** The completion candidates of a command. */
export interface CompletionWords {
  /** The words of the command joined by spaces. Empty for the program itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  /** The allowed values of the argument, if it has a fixed set. */
  readonly choices: readonly string[];
  readonly options: readonly {
    readonly name: string;
    readonly summary: string;
    readonly takesValue: boolean;
    readonly choices: readonly string[];
  }[];
}

export function completionScript(shell: string, words: readonly CompletionWords[]): string {
  if (shell === 'bash') return bashScript(words);
  if (shell === 'zsh') return zshScript(words);
  if (shell === 'fish') return fishScript(words);
  throw new UsageError(`${shell}: unsupported shell`, `use ${shells.join(', ')}`);
}

function bashScript(words: readonly CompletionWords[]): string {
  return `# bash completion of shorty
_shorty() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local path="" i word
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "\${path:+$path }$word" in
      ${paths(words)}) path="\${path:+$path }$word" ;;
    esac
  done
  COMPREPLY=()
  case "$path:$previous" in
${valueCases(words, (choices) => `COMPREPLY=($(compgen -W ${quote(choices.join(' '))} -- "$current")); return`)}
  esac
  case "$path" in
${words.map((entry) => `    ${quote(entry.path)}) ${bashWords(entry)} ;;`).join('\n')}
  esac
}
complete -o default -F _shorty shorty
`;
}

/** Offers options after a hyphen only. Without candidates, bash offers files. */
function bashWords({ commands, options, choices }: CompletionWords): string {
  const offer = (words: readonly string[]) =>
    `COMPREPLY=($(compgen -W ${quote(words.join(' '))} -- "$current"))`;
  const names = [...choices, ...commands.map(({ name }) => name)];
  return `if [[ $current == -* ]]; then ${offer(options.map(({ name }) => name))}; else ${offer(names)}; fi`;
}

// The variable is not named `path`, because zsh ties that name to PATH.
function zshScript(words: readonly CompletionWords[]): string {
  const entry = (name: string, summary: string) =>
    quote(`${name.replaceAll(':', '\\:')}:${summary.replaceAll('\n', ' ')}`);
  return `#compdef shorty
_shorty() {
  local chain="" word i
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    case "\${chain:+$chain }$word" in
      ${paths(words)}) chain="\${chain:+$chain }$word" ;;
    esac
  done
  local -a candidates
  case "$chain:\${words[CURRENT-1]}" in
${valueCases(words, (choices) => `compadd -- ${choices.join(' ')}; return`, '_files; return')}
  esac
  case "$chain" in
${words
  .map((set) => {
    const named = [...set.commands, ...set.options].map(({ name, summary }) =>
      entry(name, summary),
    );
    const plain = set.choices.map((choice) => entry(choice, ''));
    return `    ${quote(set.path)}) candidates=(${[...plain, ...named].join(' ')}) ;;`;
  })
  .join('\n')}
  esac
  _describe 'shorty' candidates
  _files
}
if [ "\${funcstack[1]}" = "_shorty" ]; then _shorty "$@"; else compdef _shorty shorty; fi
`;
}

function fishScript(words: readonly CompletionWords[]): string {
  const lines = words.flatMap((set) => {
    const condition = `-n ${quote(`__shorty_path ${quoteFish(set.path)}`)}`;
    return [
      ...set.choices.map((choice) => `complete -c shorty -f ${condition} -a ${quote(choice)}`),
      ...set.commands.map(
        ({ name, summary }) =>
          `complete -c shorty -f ${condition} -a ${quote(name)} -d ${quote(summary)}`,
      ),
      ...set.options.map(({ name, summary, takesValue, choices }) => {
        const value =
          choices.length > 0 ? ` -x -a ${quote(choices.join(' '))}` : takesValue ? ' -r' : '';
        return `complete -c shorty ${condition} -l ${name.slice(2)}${value} -d ${quote(summary)}`;
      }),
    ];
  });
  const known = words.flatMap(({ path }) => (path === '' ? [] : [quote(path)])).join(' ');
  return `# fish completion of shorty
function __shorty_path
    set -l path
    for word in (commandline -opc)[2..-1]
        set -l next (string join -- ' ' $path $word)
        contains -- "$next" ${known}; and set path $path $word
    end
    test "$path" = "$argv[1]"
end
${lines.join('\n')}
`;
}

function paths(words: readonly CompletionWords[]): string {
  return words.flatMap(({ path }) => (path === '' ? [] : [quote(path)])).join('|');
}

/**
 * Returns the cases for the value of an option: its choices, or files. A command whose choices
 * differ from those of other commands has its own case, which comes first.
 */
function valueCases(
  words: readonly CompletionWords[],
  complete: (choices: readonly string[]) => string,
  otherwise = 'return',
): string {
  const usual = new Map<string, string>();
  const own: string[] = [];
  for (const { path, options } of words) {
    for (const { name, takesValue, choices } of options) {
      if (!takesValue) continue;
      const action = choices.length > 0 ? complete(choices) : otherwise;
      const known = usual.get(name);
      if (known === undefined) usual.set(name, action);
      else if (known !== action) own.push(`    ${quote(`${path}:${name}`)}) ${action} ;;`);
    }
  }
  return [...own, ...[...usual].map(([name, action]) => `    *:${name}) ${action} ;;`)].join('\n');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function quoteFish(text: string): string {
  return `"${text}"`;
}
