/** `chandler crds`: the kinds, ready for kubectl. */
import { defineVerb, EXIT_OK } from '../verb.ts';

export const crds = defineVerb({
  name: 'crds',
  summary: 'Print the CustomResourceDefinitions',
  description:
    'Prints the CustomResourceDefinitions of NodePool, NodeClaim, NodeOverlay, CapacityBuffer, AKSNodeClass and\n' +
    'EC2NodeClass: the same text as the files of the chart chandler-crd.',
  positionals: '',
  examples: [
    { command: 'chandler crds | kubectl apply --server-side -f -', does: 'install or update the kinds' },
    { command: 'chandler crds -o json', does: 'as a JSON List' },
  ],
  options: {
    output: {
      flag: 'output',
      short: 'o',
      type: 'string',
      default: 'yaml',
      choices: ['yaml', 'json'],
      doc: 'How to print them',
    },
  },
  async run({ options, terminal }) {
    if (options.output.value === 'json') {
      const { builtinCrds } = await import('../../api/kinds/index.ts');
      terminal.out(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: builtinCrds() }, null, 2)}\n`);
    } else {
      const { crdFiles } = await import('../../api/kinds/crd-files.ts');
      terminal.out(
        crdFiles()
          .map((file) => file.text)
          .join('---\n'),
      );
    }
    return EXIT_OK;
  },
});
