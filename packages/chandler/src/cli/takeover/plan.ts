/** `chandler takeover plan`: whether Chandler can take over from Karpenter. It only reads. */
import { defineVerb, EXIT_FAILURE, EXIT_OK } from '../verb.ts';
import { ACCEPT_OPTION, checkAccepted, SHARED_OPTIONS } from './options.ts';

export const plan = defineVerb({
  name: 'plan',
  summary: 'Check whether Chandler can take over from Karpenter; changes nothing',
  description:
    'Reads the cluster and prints what a takeover depends on: both Deployments, the lease, CRDs and webhooks, hashes of\n' +
    'NodePools, node classes and NodeClaims, options that differ, and the permissions of Chandler. Each finding says what to do.\n' +
    'A blocker must be fixed. A warning must be fixed, or accepted with --accept. A note is for information.\n' +
    'Exit codes: 0 ready, 1 not ready or the cluster cannot be read, 2 usage error.',
  positionals: '',
  examples: [
    { command: 'chandler takeover plan', does: 'check the cluster of the current context' },
    {
      command: 'chandler takeover plan --karpenter karpenter/karpenter -o json',
      does: 'name the Deployment of Karpenter, and print JSON',
    },
    { command: 'chandler takeover plan --accept SettingDiffers', does: 'accept that settings differ' },
  ],
  options: { ...SHARED_OPTIONS, ...ACCEPT_OPTION },
  async run({ options, terminal, env, interrupted, world }) {
    const accepted = options.accept.value;
    checkAccepted(accepted);
    const { inTakeover } = await import('./open-takeover.ts');
    const { planOf } = await import('./takeover-plan.ts');
    const { renderPlan } = await import('./render-plan.ts');
    const found = await inTakeover({ env, interrupted, world }, options, async ({ picture }) =>
      planOf(picture, accepted),
    );
    const json = options.output.value === 'json';
    terminal.out(json ? `${JSON.stringify(found, null, 2)}\n` : renderPlan(found));
    return found.ready || found.record !== undefined ? EXIT_OK : EXIT_FAILURE;
  },
});
