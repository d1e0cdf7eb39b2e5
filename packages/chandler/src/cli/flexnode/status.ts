/** `flexnode status`: the state of the node. */
import { defineVerb } from '../verb.ts';
import { guarded } from './guarded.ts';
import { COMMON_OPTIONS } from './options.ts';

export const status = defineVerb({
  name: 'status',
  summary: 'Show the state of this node: steps, services, versions, conditions',
  description:
    'Shows the completed steps, the services, the installed versions, the Arc agent and the Node. Changes nothing.\n' +
    'Exit code 0 if the node is healthy, 7 if it is not, 4 if this machine has never been bootstrapped.',
  positionals: '',
  examples: [
    { command: 'sudo chandler flexnode status', does: 'Show the state of this node' },
    { command: 'sudo chandler flexnode status -o json', does: 'Print it as JSON' },
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
