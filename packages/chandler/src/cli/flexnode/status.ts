/** `flexnode status`: how the node stands. */
import { defineVerb } from '../verb.ts';
import { guarded } from './guarded.ts';
import { COMMON_OPTIONS } from './options.ts';

export const status = defineVerb({
  name: 'status',
  summary: 'How this node stands: steps, services, versions, Ready',
  description:
    'Looks at the journal, the services, the programs, the Arc agent and the Node, and changes nothing.\n' +
    'Exit code 0 when all is well, 7 when something is not, 4 when this machine was never bootstrapped.',
  positionals: '',
  examples: [
    { command: 'sudo chandler flexnode status', does: 'for people' },
    { command: 'sudo chandler flexnode status -o json', does: 'for programs' },
  ],
  options: COMMON_OPTIONS,
  async run(call) {
    return guarded(call, 'status', async () => {
      const [{ openAgent }, { readStatus, statusExitCode, statusJson, statusText }] = await Promise.all([
        import('./open-agent.ts'),
        import('../../flexnode/index.ts'),
      ]);
      const { parts } = await openAgent(call);
      const found = await readStatus(parts, { signal: call.interrupted });
      call.terminal.out(call.options.output.value === 'json' ? statusJson(found) : statusText(found));
      return statusExitCode(found);
    });
  },
});
