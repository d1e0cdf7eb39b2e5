/** `chandler takeover start`: Karpenter stops, Chandler leads. */
import { defineVerb } from '../verb.ts';
import { ACCEPT_OPTION, checkAccepted, checkConfirmable, RUN_OPTIONS, SHARED_OPTIONS } from './options.ts';

export const start = defineVerb({
  name: 'start',
  summary: 'Stop Karpenter and let Chandler lead; on a failure Karpenter is put back',
  description:
    'Takes over from Karpenter, if the plan is clean: scales its Deployment to 0, waits until its pods are gone and the lease is\n' +
    'free, starts Chandler without --observe, waits until it leads, and checks that no node drifts. If a step fails, Karpenter is\n' +
    'put back. At no moment may both lead.\n' +
    'The state is an annotation of the Deployment of Karpenter. A run that was interrupted is finished by the next one, from any\n' +
    'machine, or undone by "chandler takeover back".\n' +
    'Exit codes: 0 Chandler leads, 1 not (the error says what leads), 2 usage error, 130 interrupted.',
  positionals: '',
  examples: [
    { command: 'chandler takeover start', does: 'take over, after a confirmation' },
    {
      command: 'chandler takeover start --yes --accept SettingDiffers -o json',
      does: 'without a confirmation, with a warning that is accepted, and the steps as JSON',
    },
  ],
  options: {
    ...SHARED_OPTIONS,
    ...ACCEPT_OPTION,
    ...RUN_OPTIONS,
    replicas: {
      flag: 'replicas',
      type: 'integer',
      minimum: 1,
      default: undefined as number | undefined,
      doc: 'Replicas of Chandler. Default: as it has; if 0, as Karpenter has',
    },
    verifyFor: {
      flag: 'verify-for',
      type: 'duration',
      default: 60_000,
      minimum: 0,
      doc: 'How long no node may drift after Chandler leads; otherwise Karpenter is put back',
    },
  },
  whenOutputCloses: () => 'finish',
  async run({ options, terminal, env, interrupted, world }) {
    const accepted = options.accept.value;
    checkAccepted(accepted);
    checkConfirmable(options.yes.value);
    const { runSequence } = await import('./run-sequence.ts');
    return runSequence({
      verb: 'start',
      terminal,
      env,
      interrupted,
      world,
      values: options,
      accepted,
      asks: !options.yes.value,
      settings: {
        timeoutMs: options.timeout.value,
        verifyMs: options.verifyFor.value,
        chandlerReplicas: options.replicas.value,
      },
    });
  },
});
