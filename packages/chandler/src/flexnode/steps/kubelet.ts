/**
 * Step 10: the kubelet's files, from the config and what the cluster said, and our own program beside them, which the
 * token helper calls. What the files say is decided in `../kubelet/`; nothing is started here.
 */

import { fingerprint, sha256 } from '../engine/fingerprint.ts';
import { FlexError } from '../flex-error.ts';
import type { Host } from '../host/host.ts';
import { sameContent } from '../host/same-content.ts';
import {
  clusterFacts,
  kubeletFiles,
  kubeletVersion,
  obsoleteKubeletFiles,
  type RenderedFile,
} from '../kubelet/files.ts';
import { KUBECONFIG_USER } from '../kubelet/kubeconfig.ts';
import { isKubeconfigStale } from '../kubelet/node-certificate.ts';
import { KUBELET_BINARY, KUBELET_DROP_INS, kubeletPaths, OWN_PROGRAM } from '../kubelet/paths.ts';
import { checkKubeletSkew, SERVER_VERSION } from '../kubelet/server-version.ts';
import { hasKubeletRun } from '../kubelet/stop-pods.ts';
import { renderOwnProgram } from '../kubelet/unit.ts';
import type { Step, StepContext } from '../step.ts';
import { forgetRun, systemctl } from './services.ts';

export const kubeletStep: Step = {
  id: 'kubelet',
  name: 'KubeletInstaller',
  title: 'Configure the kubelet',
  phase: 'activation',
  inputs,
  validate,
  isCompleted,
  execute,
  /** Only files: the engine restores them, and step 2, which is undone after this one, reloads systemd. */
  async undo() {
    return [];
  },
};

/** Where pods learn their DNS servers: the real list, where systemd-resolved keeps one, since its stub is no use in a pod. */
export async function resolvConfOf(host: Pick<Host, 'lstat'>): Promise<string> {
  return (await host.lstat(RESOLVED_LIST)) === undefined ? '/etc/resolv.conf' : RESOLVED_LIST;
}

/** The files as this config would have them, hashed; empty while the cluster is not known. */
export function kubeletFilesHash(context: Pick<StepContext, 'config' | 'facts'>): string {
  if (context.facts.get('cluster.server') === undefined) return '';
  const files = kubeletFiles(context.config, clusterFacts(context.facts), { resolvConf: RESOLVED_LIST });
  return fingerprint(files.map(({ path, mode, content }) => [path, mode, sha256(content)]));
}

// ---------------------------------------------------------------------------------------------------

const RESOLVED_LIST = '/run/systemd/resolve/resolv.conf';

function inputs(context: StepContext): unknown {
  const { config, self } = context;
  return {
    kubernetes: config.kubernetes.version,
    files: kubeletFilesHash(context),
    // Where an executable was started from makes no difference: what it is, the machine itself shows.
    self: self.copyFrom === undefined ? self.argv : 'executable',
  };
}

/** Before a file is touched: what the API server would refuse later anyhow. */
async function validate({ config, facts, host }: StepContext): Promise<void> {
  kubeletVersion(config);
  clusterFacts(facts);
  if ((await host.lstat(KUBELET_BINARY)) === undefined) {
    throw new FlexError({
      class: 'step',
      code: 'kubelet.no-binary',
      message: `${KUBELET_BINARY} does not exist`,
      remedy: 'Run the kubernetes step before this one (`--only kubernetes,kubelet,start-services`).',
      where: KUBELET_BINARY,
    });
  }
  checkKubeletSkew(config, { version: facts.get(SERVER_VERSION) });
}

async function isCompleted(context: StepContext): Promise<boolean> {
  if (context.facts.get('cluster.server') === undefined) return false;
  return (await areFilesThere(context)) && (await isOwnProgramThere(context));
}

/** What the kubelet reads when it starts. */
async function areFilesThere(context: StepContext): Promise<boolean> {
  const { host, config, facts } = context;
  for (const file of await wantedFiles(context)) if (!(await isThere(host, file))) return false;
  if (config.security.tlsBootstrap && (await isKubeconfigStale(host, config, clusterFacts(facts))))
    return false;
  for (const path of obsoleteKubeletFiles(config)) if ((await host.lstat(path)) !== undefined) return false;
  return true;
}

async function execute(context: StepContext): Promise<void> {
  const { host, config } = context;
  const paths = kubeletPaths(config);
  if (!(await areFilesThere(context))) await forgetRun(context.facts, 'kubelet');
  await installOwnProgram(context);
  for (const path of obsoleteKubeletFiles(config)) await host.remove(path);
  if (config.security.tlsBootstrap) await leaveCredentialsToKubelet(context);
  for (const [folder, mode] of [
    [paths.dir, 0o750],
    [config.paths.kubernetes.certsDir, 0o755],
    [KUBELET_DROP_INS, 0o755],
  ] as const) {
    // Those that are there may be stricter than ours.
    if ((await host.lstat(folder)) === undefined) await host.makeDirectory(folder, mode);
  }
  for (const { path, content, mode } of await wantedFiles(context)) {
    await host.writeFile(path, content, { mode });
    context.say('written', { path });
  }
  await systemctl(host, 'daemon-reload');
}

/** With `tlsBootstrap` the kubelet writes its kubeconfig and its certificates; one of ours from before must not stay. */
async function leaveCredentialsToKubelet({ host, config, facts }: StepContext): Promise<void> {
  const paths = kubeletPaths(config);
  const old = await host.readFile(paths.kubeconfig);
  const ours = old !== undefined && Buffer.from(old).includes(`name: ${KUBECONFIG_USER}`);
  const stale = ours || (await isKubeconfigStale(host, config, clusterFacts(facts)));
  if (stale) await host.remove(paths.kubeconfig);
  // A certificate for the cluster as it was, or of an earlier kubelet (kubeadm keeps its kubeconfig elsewhere): the kubelet
  // would use it instead of requesting a new one. The kubelet makes the link anew, and undo puts the earlier one back.
  const earlier = old === undefined && !hasKubeletRun(facts);
  if ((stale || earlier) && (await host.lstat(paths.clientCertificate)) !== undefined) {
    await host.remove(paths.clientCertificate);
    await host.claim(paths.clientCertificate);
  }
  await host.claim(paths.kubeconfig);
  await host.claim(paths.pki);
}

async function wantedFiles({ config, facts, host }: StepContext): Promise<readonly RenderedFile[]> {
  return kubeletFiles(config, clusterFacts(facts), { resolvConf: await resolvConfOf(host) });
}

async function isThere(host: Host, { path, mode, content }: RenderedFile): Promise<boolean> {
  const info = await host.lstat(path);
  if (info?.kind !== 'file' || info.mode !== mode || info.size !== Buffer.byteLength(content)) return false;
  return Buffer.from((await host.readFile(path)) ?? []).equals(Buffer.from(content));
}

async function installOwnProgram({ host, self, say }: StepContext): Promise<void> {
  if (self.copyFrom === OWN_PROGRAM) return;
  if ((await host.lstat('/usr/local/bin')) === undefined) await host.makeDirectory('/usr/local/bin', 0o755);
  if (self.copyFrom === undefined) {
    await host.writeFile(OWN_PROGRAM, renderOwnProgram(self.argv), { mode: 0o755 });
    return;
  }
  const program = await host.readFile(self.copyFrom);
  if (program === undefined) {
    throw new FlexError({
      class: 'step',
      code: 'kubelet.own-program',
      message: `the running program no longer exists at ${self.copyFrom}`,
      remedy: 'Start it again from its current path.',
      where: self.copyFrom,
    });
  }
  await host.writeFile(OWN_PROGRAM, program, { mode: 0o755 });
  say('written', { path: OWN_PROGRAM });
}

async function isOwnProgramThere({ host, self }: StepContext): Promise<boolean> {
  if (self.copyFrom === OWN_PROGRAM) return true;
  const there = await host.lstat(OWN_PROGRAM);
  if (there?.kind !== 'file' || there.mode !== 0o755) return false;
  if (self.copyFrom === undefined) {
    const text = renderOwnProgram(self.argv);
    return Buffer.from((await host.readFile(OWN_PROGRAM)) ?? []).equals(Buffer.from(text));
  }
  if ((await host.lstat(self.copyFrom))?.size !== there.size) return false;
  return sameContent(host, self.copyFrom, OWN_PROGRAM);
}
