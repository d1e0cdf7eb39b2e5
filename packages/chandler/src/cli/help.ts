/** Help pages, rendered from the tables of the commands. */
import { optionHelp } from '../settings/index.ts';
import type { Verb } from './verb.ts';

export function overview(verbs: readonly Verb[]): string {
  const width = Math.max(...verbs.map((verb) => verb.name.length));
  return [
    'chandler provisions Kubernetes nodes, removes them when they are no longer needed, and explains why a node does not become Ready.',
    '',
    'Usage: chandler COMMAND [flags]',
    '',
    'Commands:',
    ...verbs.map((verb) => `  ${verb.name.padEnd(width)}  ${verb.summary}`),
    '',
    'Examples:',
    '  # run a simulated cluster on this machine\n  chandler playground\n',
    '  # install the CustomResourceDefinitions\n  chandler crds | kubectl apply --server-side -f -\n',
    '  # explain why a pod is pending\n  chandler why pod/web-0\n',
    'Use "chandler COMMAND --help" for more information about a command.',
    'Exit codes: 0 success, 1 failure, 2 usage error. Some commands document further codes.',
    '',
  ].join('\n');
}

/** The help page of a command that has subcommands. */
export function familyHelp(family: Verb, program = `chandler ${family.name}`): string {
  const verbs = family.verbs ?? [];
  const width = Math.max(...verbs.map((verb) => verb.name.length));
  return [
    family.description,
    '',
    `Usage: ${program} COMMAND [flags]`,
    '',
    'Commands:',
    ...verbs.map((verb) => `  ${verb.name.padEnd(width)}  ${verb.summary}`),
    '',
    'Examples:',
    ...family.examples.map((example) => `  # ${example.does}\n  ${example.command}\n`),
    `Use "${program} COMMAND --help" for more information about a command.`,
    '',
  ].join('\n');
}

export function verbHelp(verb: Verb, program = 'chandler'): string {
  const usage = [program, verb.name, verb.positionals, '[flags]'].filter((part) => part !== '').join(' ');
  return [
    verb.description,
    '',
    `Usage: ${usage}`,
    '',
    'Examples:',
    ...verb.examples.map((example) => `  # ${example.does}\n  ${example.command}\n`),
    'Flags:',
    ...optionHelp(verb.options),
    '  -h, --help  Print this help',
    '',
  ].join('\n');
}
