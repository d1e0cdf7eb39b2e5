/** `chandler takeover back`: Chandler stops, Karpenter leads. */
import { defineVerb } from '../verb.ts';
import { checkConfirmable, RUN_OPTIONS, SHARED_OPTIONS } from './options.ts';

export const back = defineVerb({
  name: 'back',
  summary: 'Stop Chandler and let Karpenter lead again; also undoes a takeover that was interrupted',
  description:
    'Hands the cluster back to Karpenter: scales Chandler to 0, waits until its pods are gone and the lease is free, scales\n' +
    'Karpenter to the replicas that it had, and waits until it leads. Chandler runs with --observe again, if it did before. If\n' +
    'Karpenter does not lead in time, Chandler is put back. At no moment may both lead.\n' +
    'Exit codes: 0 Karpenter leads, 1 not (the error says what leads), 2 usage error, 130 interrupted.',
  positionals: '',
  examples: [
    { command: 'chandler takeover back', does: 'hand back, after a confirmation' },
    {
      command: 'chandler takeover back --yes --karpenter-replicas 2',
      does: 'after Karpenter was scaled to 0 by hand, so that its replicas are not recorded',
    },
  ],
  options: {
    ...SHARED_OPTIONS,
    ...RUN_OPTIONS,
    karpenterReplicas: {
      flag: 'karpenter-replicas',
      type: 'integer',
      minimum: 1,
      default: undefined as number | undefined,
      doc: 'Replicas of Karpenter. Default: as many as it had before the takeover',
    },
  },
  whenOutputCloses: () => 'finish',
  async run({ options, terminal, env, interrupted, world }) {
    checkConfirmable(options.yes.value);
    const { runSequence } = await import('./run-sequence.ts');
    return runSequence({
      verb: 'back',
      terminal,
      env,
      interrupted,
      world,
      values: options,
      accepted: [],
      asks: !options.yes.value,
      settings: {
        timeoutMs: options.timeout.value,
        verifyMs: 0,
        karpenterReplicas: options.karpenterReplicas.value,
      },
    });
  },
});
