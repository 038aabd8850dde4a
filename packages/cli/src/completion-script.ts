import { UsageError } from './cli-error.js';

export const shells = ['bash', 'zsh', 'fish'] as const;

/** The completion candidates of a command. */
export interface CompletionWords {
  /** The words of the command joined by spaces. Empty for the program itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  /** The allowed values of the argument, if it has a fixed set. */
  readonly choices: readonly string[];
  /** True when an argument can be a file. */
  readonly takesFile: boolean;
  readonly options: readonly {
    readonly name: string;
    readonly summary: string;
    readonly takesValue: boolean;
    /** True when the value is a file or a folder. */
    readonly takesFile: boolean;
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
${valueCases(words, {
  choices: (choices) =>
    `COMPREPLY=($(compgen -W ${quote(choices.join(' '))} -- "$current")); return`,
  file: 'return',
  text: `${bashNoFiles}; return`,
})}
  esac
  case "$path" in
${words.map((entry) => `    ${quote(entry.path)}) ${bashWords(entry)} ;;`).join('\n')}
  esac
}
complete -o default -F _shorty shorty
`;
}

/** Without candidates, bash offers files unless this turns them off. bash 3 does not have it. */
const bashNoFiles = 'compopt +o default 2>/dev/null';

/** Offers options after a hyphen only. */
function bashWords({ commands, options, choices, takesFile }: CompletionWords): string {
  const offer = (words: readonly string[]) =>
    `COMPREPLY=($(compgen -W ${quote(words.join(' '))} -- "$current"))`;
  const names = [...choices, ...commands.map(({ name }) => name)];
  return `if [[ $current == -* ]]; then ${offer(options.map(({ name }) => name))}; else ${offer(names)}; ${takesFile ? '' : `${bashNoFiles}; `}fi`;
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
  local -a candidates options
  local files=""
  case "$chain:\${words[CURRENT-1]}" in
${valueCases(words, {
  choices: (choices) => `compadd -- ${choices.join(' ')}; return`,
  file: '_files; return',
  text: 'return',
})}
  esac
  case "$chain" in
${words
  .map((set) => {
    const named = set.commands.map(({ name, summary }) => entry(name, summary));
    const plain = set.choices.map((choice) => entry(choice, ''));
    const options = set.options.map(({ name, summary }) => entry(name, summary));
    const files = set.takesFile ? ' files=1' : '';
    return `    ${quote(set.path)}) candidates=(${[...plain, ...named].join(' ')}) options=(${options.join(' ')})${files} ;;`;
  })
  .join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then
    _describe 'option' options
    return
  fi
  _describe 'shorty' candidates
  [[ -z "$files" ]] || _files
}
if [ "\${funcstack[1]}" = "_shorty" ]; then _shorty "$@"; else compdef _shorty shorty; fi
`;
}

function fishScript(words: readonly CompletionWords[]): string {
  const lines = words.flatMap((set) => {
    const condition = `-n ${quote(`__shorty_path ${quoteFish(set.path)}`)}`;
    return [
      ...(set.takesFile ? [] : [`complete -c shorty -f ${condition}`]),
      ...set.choices.map((choice) => `complete -c shorty -f ${condition} -a ${quote(choice)}`),
      ...set.commands.map(
        ({ name, summary }) =>
          `complete -c shorty -f ${condition} -a ${quote(name)} -d ${quote(summary)}`,
      ),
      ...set.options.map(({ name, summary, takesValue, takesFile, choices }) => {
        const anyValue = takesFile ? ' -r -F' : takesValue ? ' -x' : '';
        const value = choices.length > 0 ? ` -x -a ${quote(choices.join(' '))}` : anyValue;
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

/** What a shell does for the value of an option. */
interface ValueActions {
  readonly choices: (choices: readonly string[]) => string;
  readonly file: string;
  /** For a value that nothing completes. */
  readonly text: string;
}

/**
 * Returns the cases for the value of an option: its choices, files or nothing. A command whose values
 * differ from those of other commands has its own case, which comes first.
 */
function valueCases(words: readonly CompletionWords[], actions: ValueActions): string {
  const usual = new Map<string, string>();
  const own: string[] = [];
  for (const { path, options } of words) {
    for (const { name, takesValue, takesFile, choices } of options) {
      if (!takesValue) continue;
      const other = takesFile ? actions.file : actions.text;
      const action = choices.length > 0 ? actions.choices(choices) : other;
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
