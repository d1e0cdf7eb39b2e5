/** Step 5: the runtime that starts containers, one program at `/usr/local/sbin/runc`. A distribution's own stays where it is. */
import type { ArtifactRequest } from '../artifacts/artifacts.ts';
import { knownHash } from '../artifacts/known-hash.ts';
import type { Step, StepContext } from '../step.ts';
import {
  confirmVersion,
  isInstalled,
  notFetched,
  PROGRAM_MODE,
  type Program,
  readVerified,
} from './programs.ts';
import { forgetRun } from './services.ts';

export const RUNC: Program = { path: '/usr/local/sbin/runc', asks: ['--version'] };

export const runc: Step = {
  id: 'runc',
  name: 'Runc_Installer',
  title: 'Install runc',
  phase: 'installation',

  inputs: (context) => ({
    version: context.config.runc.version,
    architecture: context.architecture,
    sha256: knownHash(requestOf(context), context.config.downloads)?.sha256,
  }),

  async validate() {},

  isCompleted: ({ host, config }) => isInstalled(host, RUNC, config.runc.version),

  async execute(context) {
    const { host, config, artifacts } = context;
    const file = await artifacts.obtain(requestOf(context), host);
    // Step 11 restarts containerd, and the kubelet with it.
    await forgetRun(context.facts, 'kubelet');
    const content = context.dryRun ? notFetched(file, 'runc') : await readVerified(host, file);
    await host.writeFile(RUNC.path, content, { mode: PROGRAM_MODE });
    await confirmVersion(context, RUNC, config.runc.version);
  },

  undo: async () => [],
};

// ---------------------------------------------------------------------------------------------------

function requestOf({ config, architecture }: StepContext): ArtifactRequest {
  return { kind: 'runc', version: config.runc.version, architecture };
}
