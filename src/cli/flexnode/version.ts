/** `flexnode version`: the four lines that scripts around the original read, and the same as JSON. */
import { arch, platform, versions } from 'node:process';
import manifest from '../../../package.json' with { type: 'json' };
import { defineVerb, EXIT_OK, OUTPUT_OPTION } from '../verb.ts';

export const version = defineVerb({
  name: 'version',
  summary: 'Print the version',
  description: 'Prints the version of the agent. Reads no config.',
  positionals: '',
  examples: [
    { command: 'chandler flexnode version', does: 'for people' },
    { command: 'chandler flexnode version -o json', does: 'for scripts' },
  ],
  options: { output: OUTPUT_OPTION },
  async run({ options, terminal }) {
    const facts = {
      version: manifest.version,
      commit: builtFrom('commit'),
      buildTime: builtFrom('time'),
      node: versions.node,
      platform: `${platform}/${arch}`,
    };
    terminal.out(
      options.output.value === 'json'
        ? `${JSON.stringify(facts)}\n`
        : `AKS Flex Node Agent\nVersion: ${facts.version}\nGit Commit: ${facts.commit}\nBuild Time: ${facts.buildTime}\n`,
    );
    return EXIT_OK;
  },
});

// ---------------------------------------------------------------------------------------------------

/** Put in place by the build; started from the sources there is none. */
declare const CHANDLER_BUILD: { readonly commit: string; readonly time: string } | undefined;

function builtFrom(what: 'commit' | 'time'): string {
  return typeof CHANDLER_BUILD === 'undefined' ? 'unknown' : CHANDLER_BUILD[what];
}
