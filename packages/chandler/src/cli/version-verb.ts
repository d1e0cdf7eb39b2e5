/** The command `version` of chandler and of chandler-flexnode: the same facts, each with its own text. */
import { arch, platform, versions } from 'node:process';
import { BUILD } from '../settings/index.ts';
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
        version: BUILD.version,
        commit: BUILD.commit,
        buildTime: BUILD.time,
        node: versions.node,
        platform: `${platform}/${arch}`,
      };
      terminal.out(options.output.value === 'json' ? `${JSON.stringify(facts)}\n` : about.text(facts));
      return EXIT_OK;
    },
  });
}
