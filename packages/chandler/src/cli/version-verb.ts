/** The command `version` of chandler and of chandler-flexnode: the same facts, each with its own text. */
import { arch, platform, versions } from 'node:process';
import manifest from '../../package.json' with { type: 'json' };
import { defineVerb, EXIT_OK, OUTPUT_OPTION, type Verb } from './verb.ts';

export interface VersionFacts {
  readonly version: string;
  readonly commit: string;
  readonly buildTime: string;
  readonly node: string;
  readonly platform: string;
}

export function versionVerb(about: {
  /** `chandler`. */
  readonly program: string;
  readonly description: string;
  readonly text: (facts: VersionFacts) => string;
}): Verb {
  return defineVerb({
    name: 'version',
    summary: 'Print the version',
    description: about.description,
    positionals: '',
    examples: [
      { command: `${about.program} version`, does: 'print the version' },
      { command: `${about.program} version -o json`, does: 'print it as JSON' },
    ],
    options: { output: OUTPUT_OPTION },
    async run({ options, terminal }) {
      const facts: VersionFacts = {
        version: manifest.version,
        commit: builtFrom('commit'),
        buildTime: builtFrom('time'),
        node: versions.node,
        platform: `${platform}/${arch}`,
      };
      terminal.out(options.output.value === 'json' ? `${JSON.stringify(facts)}\n` : about.text(facts));
      return EXIT_OK;
    },
  });
}

// ---------------------------------------------------------------------------------------------------

/** Defined by the build; undefined when run from source. */
declare const CHANDLER_BUILD: { readonly commit: string; readonly time: string } | undefined;

function builtFrom(what: 'commit' | 'time'): string {
  return typeof CHANDLER_BUILD === 'undefined' ? 'unknown' : CHANDLER_BUILD[what];
}
