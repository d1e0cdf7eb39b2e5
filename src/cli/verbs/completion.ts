/** `chandler completion`: scripts made from the verbs' own tables, so they never lag behind. */
import type { OptionTable } from '../../settings/option-table.ts';
import { defineVerb, EXIT_OK, UsageError, type Verb } from '../verb.ts';

export function completionVerb(verbs: () => readonly Verb[]): Verb {
  return defineVerb({
    name: 'completion',
    summary: 'Print a completion script for bash, zsh or fish',
    description: 'Prints a script that lets your shell complete verbs and flags.',
    positionals: 'bash|zsh|fish',
    examples: [
      { command: 'source <(chandler completion bash)', does: 'for this bash session' },
      {
        command: 'chandler completion fish > ~/.config/fish/completions/chandler.fish',
        does: 'for fish, for good',
      },
    ],
    options: {},
    async run({ positionals, terminal }) {
      const [shell, ...rest] = positionals;
      const render = shell === undefined ? undefined : SHELLS[shell];
      if (render === undefined || rest.length > 0) {
        const where = shell ?? 'completion';
        throw new UsageError([{ where, message: 'name one shell: bash, zsh or fish' }]);
      }
      terminal.out(render(verbs()));
      return EXIT_OK;
    },
  });
}

// ---------------------------------------------------------------------------------------------------

const SHELLS: Readonly<Record<string, (verbs: readonly Verb[]) => string>> = { bash, zsh, fish };

function flagsOf(options: OptionTable): string[] {
  return [...Object.values(options).map((row) => `--${row.flag}`), '--help'];
}

function bash(verbs: readonly Verb[]): string {
  const cases = verbs.map((verb) => `    ${verb.name}) words="${flagsOf(verb.options).join(' ')}" ;;`);
  return `_chandler() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${verbs.map((verb) => verb.name).join(' ')} --help"
  else
    case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    esac
  fi
  if [[ "$current" == -* || "$COMP_CWORD" -eq 1 ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o default -F _chandler chandler
`;
}

function zsh(verbs: readonly Verb[]): string {
  const names = verbs.map((verb) => `    '${verb.name}:${verb.summary.replaceAll("'", '')}'`);
  const cases = verbs.map(
    (verb) =>
      `    ${verb.name}) _arguments ${flagsOf(verb.options)
        .map((flag) => `'${flag}'`)
        .join(' ')} '*:file:_files' ;;`,
  );
  return `#compdef chandler
_chandler() {
  local -a verbs
  verbs=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'verb' verbs
    return
  fi
  case "$words[2]" in
${cases.join('\n')}
  esac
}
compdef _chandler chandler
`;
}

function fish(verbs: readonly Verb[]): string {
  const lines = verbs.flatMap((verb) => [
    `complete -c chandler -n __fish_use_subcommand -f -a ${verb.name} -d '${verb.summary.replaceAll("'", '')}'`,
    ...Object.values(verb.options).map(
      (row) =>
        `complete -c chandler -n '__fish_seen_subcommand_from ${verb.name}' -l ${row.flag}` +
        `${row.short === undefined ? '' : ` -s ${row.short}`} -d '${row.doc.replaceAll("'", '')}'`,
    ),
  ]);
  return `${lines.join('\n')}\n`;
}
