/** `chandler version`. */
import { arch, platform, versions } from 'node:process';
import manifest from '../../../package.json' with { type: 'json' };
import { defineVerb, EXIT_OK, OUTPUT_OPTION } from '../verb.ts';

export const version = defineVerb({
  name: 'version',
  summary: 'Print the version',
  description: 'Prints the version of chandler, and of the Node.js it runs on.',
  positionals: '',
  examples: [
    { command: 'chandler version', does: 'for people' },
    { command: 'chandler version -o json', does: 'for scripts' },
  ],
  options: { output: OUTPUT_OPTION },
  async run({ options, terminal }) {
    const facts = { version: manifest.version, node: versions.node, platform: `${platform}/${arch}` };
    terminal.out(
      options.output.value === 'json'
        ? `${JSON.stringify(facts)}\n`
        : `chandler ${facts.version} (Node.js ${facts.node}, ${facts.platform})\n`,
    );
    return EXIT_OK;
  },
});
