/**
 * Step 7: kubelet, kubectl and kubeadm in `/usr/local/bin`, from three single files or from one archive. A running kubelet
 * is not stopped: files are replaced by rename, and a step before the last may fail. The last step restarts it.
 */

import { KUBERNETES_PROGRAMS, kubernetesRequests } from '../artifacts/artifact-requests.ts';
import type { VerifiedFile } from '../artifacts/artifacts.ts';
import { knownHash } from '../artifacts/known-hash.ts';
import { kubernetesForm } from '../artifacts/sources.ts';
import { FlexError } from '../flex-error.ts';
import type { NodeTokenSource } from '../kubelet/live.ts';
import {
  checkKubeletSkew,
  SERVER_VERSION,
  type ServerVersion,
  serverVersionNow,
  skewProblem,
} from '../kubelet/server-version.ts';
import type { Step, StepContext } from '../step.ts';
import {
  confirmVersion,
  installMembers,
  isInstalled,
  notFetched,
  PROGRAM_MODE,
  type Program,
  readVerified,
} from './programs.ts';
import { forgetRun } from './services.ts';

type Name = (typeof KUBERNETES_PROGRAMS)[number];

export const KUBERNETES: Readonly<Record<Name, Program>> = {
  kubelet: { path: '/usr/local/bin/kubelet', asks: ['--version'] },
  kubectl: { path: '/usr/local/bin/kubectl', asks: ['version', '--client'] },
  kubeadm: { path: '/usr/local/bin/kubeadm', asks: ['version', '-o', 'short'] },
};

export interface KubernetesOptions {
  /** Default: the Arc agent of this machine. */
  readonly nodeToken?: NodeTokenSource;
}

export function createKubernetes(options: KubernetesOptions = {}): Step {
  return {
    id: 'kubernetes',
    name: 'KubernetesComponentsInstaller',
    title: 'Install kubelet, kubectl and kubeadm',
    phase: 'installation',

    inputs: ({ config, architecture }) => ({
      version: config.kubernetes.version,
      architecture,
      sha256: kubernetesRequests(config, architecture).map(
        (request) => knownHash(request, config.downloads)?.sha256,
      ),
    }),

    /** Before the programs are replaced: later steps would reject the version. */
    async validate(context) {
      checkKubeletSkew(context.config, await serverVersion(context, options));
    },

    async isCompleted({ host, config }) {
      const { version } = config.kubernetes;
      const there = await Promise.all(
        KUBERNETES_PROGRAMS.map((name) => isInstalled(host, KUBERNETES[name], version)),
      );
      return there.every(Boolean);
    },

    async execute(context) {
      const { config } = context;
      // All of them are here and verified before the first is replaced.
      const files = await obtainAll(context);
      await noteServerVersion(context, options);
      await forgetRun(context.facts, 'kubelet');
      if (kubernetesForm(config) === 'node-archive') await installMembers(context, files[0]!, NODE_ARCHIVE);
      else
        for (const [at, name] of KUBERNETES_PROGRAMS.entries()) await installOne(context, name, files[at]!);
      for (const name of KUBERNETES_PROGRAMS) {
        await confirmVersion(context, KUBERNETES[name], config.kubernetes.version);
      }
    },

    undo: async () => [],
  };
}

// ---------------------------------------------------------------------------------------------------

const NODE_ARCHIVE = KUBERNETES_PROGRAMS.map((name) => ({
  member: `kubernetes/node/bin/${name}`,
  path: KUBERNETES[name].path,
}));

/** If the API server cannot be read, Azure decides whether the cluster has been upgraded since the version was recorded. */
async function serverVersion(context: StepContext, options: KubernetesOptions): Promise<ServerVersion> {
  const { azure, config, signal } = context;
  const known = await serverVersionNow({ ...context, ...options });
  if (known.unread === undefined || skewProblem(config, known)?.problem !== 'newer-than-server') return known;
  try {
    const { kubernetesVersion } = await azure.cluster(signal);
    return { version: `v${kubernetesVersion.replace(/^v/, '')}` };
  } catch (error) {
    if (signal.aborted || !(error instanceof FlexError)) throw error;
    return known;
  }
}

/** The next steps compare with the recorded version. */
async function noteServerVersion(context: StepContext, options: KubernetesOptions): Promise<void> {
  const { config, facts } = context;
  const server = await serverVersion(context, options);
  checkKubeletSkew(config, server);
  const { version } = server;
  if (version !== undefined && version !== facts.get(SERVER_VERSION))
    await facts.set(SERVER_VERSION, version);
}

async function obtainAll({ artifacts, config, architecture, host }: StepContext): Promise<VerifiedFile[]> {
  const files: VerifiedFile[] = [];
  const requests = kubernetesRequests(config, architecture);
  artifacts.prefetch(requests);
  for (const request of requests) files.push(await artifacts.obtain(request, host));
  return files;
}

async function installOne(context: StepContext, name: Name, file: VerifiedFile): Promise<void> {
  const content = context.dryRun ? notFetched(file, name) : await readVerified(context.host, file);
  await context.host.writeFile(KUBERNETES[name].path, content, { mode: PROGRAM_MODE });
}
