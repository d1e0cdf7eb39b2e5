/** `chandler completion`: scripts rendered from the tables of the commands, so they are always up to date. */
import type { OptionTable } from '../../settings/index.ts';
import { defineVerb, EXIT_OK, UsageError, type Verb } from '../verb.ts';

export function completionVerb(verbs: () => readonly Verb[]): Verb {
  return defineVerb({
    name: 'completion',
    summary: 'Print a completion script for bash, zsh or fish',
    description: 'Prints a script that completes the commands and flags of chandler in your shell.',
    positionals: 'bash|zsh|fish',
    examples: [
      {
        command: 'source <(chandler completion bash)',
        does: 'enable completion in the current bash session',
      },
      {
        command: 'chandler completion fish > ~/.config/fish/completions/chandler.fish',
        does: 'enable completion in fish permanently',
      },
    ],
    options: {},
    async run({ positionals, terminal }) {
      const [shell, ...rest] = positionals;
      const render = SHELLS.get(shell ?? '');
      if (render === undefined || rest.length > 0) {
        const where = shell ?? 'completion';
        throw new UsageError([{ where, message: 'requires one shell: bash, zsh or fish' }]);
      }
      terminal.out(render(verbs()));
      return EXIT_OK;
    },
  });
}

// ---------------------------------------------------------------------------------------------------

const SHELLS: ReadonlyMap<string, (verbs: readonly Verb[]) => string> = new Map(
  Object.entries({ bash, zsh, fish }),
);

function flagsOf(options: OptionTable): string[] {
  return [...Object.values(options).map((row) => `--${row.flag}`), '--help'];
}

/** The values that are offered after a flag. */
function valuesOf({ suggestions, choices }: OptionTable[string]): readonly string[] {
  return (suggestions ?? choices ?? []).filter((value) => /^[\w.-]+$/.test(value));
}

const namesOf = (verbs: readonly Verb[]): string => verbs.map((verb) => verb.name).join(' ');
const quiet = (text: string): string => text.replaceAll("'", '');

function bash(verbs: readonly Verb[]): string {
  return `_chandler() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words names=no values=
${bashLevel(verbs, 1, '  ')}
  if [[ -n "$values" ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$current"))
  elif [[ "$current" == -* || "$names" == yes ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o default -F _chandler chandler
`;
}

/** The word at this position names a command, which determines what may follow. */
function bashLevel(verbs: readonly Verb[], at: number, margin: string): string {
  const cases = verbs.map((verb) =>
    verb.verbs === undefined
      ? `${margin}    ${verb.name}) words="${flagsOf(verb.options).join(' ')}"${bashValues(verb.options)} ;;`
      : `${margin}    ${verb.name})\n${bashLevel(verb.verbs, at + 1, `${margin}      `)}\n${margin}      ;;`,
  );
  return `${margin}if [ "$COMP_CWORD" -eq ${at} ]; then
${margin}  names=yes words="${namesOf(verbs)} --help"
${margin}else
${margin}  case "\${COMP_WORDS[${at}]}" in
${cases.join('\n')}
${margin}  esac
${margin}fi`;
}

/** After a flag with known values, these are offered. */
function bashValues(options: OptionTable): string {
  const cases = Object.values(options).flatMap((row) => {
    const values = valuesOf(row);
    return values.length === 0 ? [] : [`--${row.flag}) values="${values.join(' ')}" ;;`];
  });
  return cases.length === 0 ? '' : `; case "$previous" in ${cases.join(' ')} esac`;
}

function zsh(verbs: readonly Verb[]): string {
  return `#compdef chandler
_chandler() {
  local -a verbs
${zshLevel(verbs, 2, '  ')}
}
compdef _chandler chandler
`;
}

function zshLevel(verbs: readonly Verb[], at: number, margin: string): string {
  const names = verbs.map((verb) => `${margin}    '${verb.name}:${quiet(verb.summary)}'`);
  const cases = verbs.map((verb) =>
    verb.verbs === undefined
      ? `${margin}  ${verb.name}) _arguments ${zshFlags(verb.options)} '*:file:_files' ;;`
      : `${margin}  ${verb.name})\n${zshLevel(verb.verbs, at + 1, `${margin}    `)}\n${margin}    ;;`,
  );
  return `${margin}if (( CURRENT == ${at} )); then
${margin}  verbs=(
${names.join('\n')}
${margin}  )
${margin}  _describe 'verb' verbs
${margin}  return
${margin}fi
${margin}case "$words[${at}]" in
${cases.join('\n')}
${margin}esac`;
}

function zshFlags(options: OptionTable): string {
  const flags = Object.values(options).map((row) => {
    const values = valuesOf(row);
    return values.length === 0 ? `'--${row.flag}'` : `'--${row.flag}:value:(${values.join(' ')})'`;
  });
  return [...flags, "'--help'"].join(' ');
}

function fish(verbs: readonly Verb[]): string {
  const lines = verbs.flatMap((verb) => [
    fishVerb(verb, '__fish_use_subcommand'),
    ...fishFlags(verb, `__fish_seen_subcommand_from ${verb.name}`),
    ...(verb.verbs ?? []).flatMap((inner) => [
      fishVerb(
        inner,
        `'__fish_seen_subcommand_from ${verb.name}; and not __fish_seen_subcommand_from ${namesOf(verb.verbs!)}'`,
      ),
      ...fishFlags(
        inner,
        `__fish_seen_subcommand_from ${verb.name}; and __fish_seen_subcommand_from ${inner.name}`,
      ),
    ]),
  ]);
  return `${lines.join('\n')}\n`;
}

function fishVerb(verb: Verb, when: string): string {
  return `complete -c chandler -n ${when} -f -a ${verb.name} -d '${quiet(verb.summary)}'`;
}

function fishFlags(verb: Verb, when: string): string[] {
  return Object.values(verb.options).map(
    (row) =>
      `complete -c chandler -n '${when}' -l ${row.flag}` +
      `${row.short === undefined ? '' : ` -s ${row.short}`}` +
      `${valuesOf(row).length === 0 ? '' : ` -x -a '${valuesOf(row).join(' ')}'`} -d '${quiet(row.doc)}'`,
  );
}
