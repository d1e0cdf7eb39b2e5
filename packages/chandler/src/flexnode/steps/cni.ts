/**
 * Step 8: the CNI plugins, and a local bridge network with the lowest priority, so that the Node becomes Ready before the
 * network plugin of the cluster writes its configuration, which then takes precedence. Files of others are not changed.
 */
import type { ArtifactRequest } from '../artifacts/artifacts.ts';
import { knownHash } from '../artifacts/known-hash.ts';
import { readTar } from '../artifacts/tar.ts';
import { BRIDGE_FILE, bridgeNetwork, NETWORK_NAME, podRange } from '../containerd/bridge-network.ts';
import { FlexError } from '../flex-error.ts';
import type { Step, StepContext } from '../step.ts';
import {
  isAsWanted,
  isProgram,
  maySayVersion,
  notFetched,
  PROGRAM_MODE,
  readVerified,
  type WantedFile,
} from './programs.ts';

export const cni: Step = {
  id: 'cni',
  name: 'CNISetup',
  title: 'Install CNI plugins',
  phase: 'installation',

  inputs: (context) => ({
    version: context.config.cni.version,
    architecture: context.architecture,
    sha256: knownHash(requestOf(context), context.config.downloads)?.sha256,
    binDir: context.config.paths.cni.binDir,
    network: network(context),
  }),

  async validate({ config }) {
    podRange(config);
  },

  async isCompleted(context) {
    if (!(await hasPlugins(context))) return false;
    const file = network(context);
    return file === undefined ? !(await isStale(context)) : await isAsWanted(context.host, file);
  },

  installs: async (context) => !(await hasPlugins(context)),

  async execute(context) {
    const { host } = context;
    if (!(await hasPlugins(context))) await installPlugins(context);
    const file = network(context);
    if (file === undefined) return await removeStale(context);
    await host.writeFile(file.path, file.content, { mode: file.mode });
  },

  /** The bridge itself and what the plugins did to the firewall are made by running pods: the last step's business. */
  undo: async () => [],
};

// ---------------------------------------------------------------------------------------------------

/** Without these no pod gets a network; the archive holds more. */
const NEEDED = ['bridge', 'host-local', 'loopback', 'portmap'];
/** Of ours for certain: network plugins that run as a DaemonSet replace others, such as host-local, with their own. */
const ASKED = 'bridge';
/** The version of which plugins are being written: a run that is killed in between is repeated, with any version. */
const INSTALLING = 'cni.installing';

function requestOf({ config, architecture }: StepContext): ArtifactRequest {
  return { kind: 'cni-plugins', version: config.cni.version, architecture };
}

function network({ config }: StepContext): WantedFile | undefined {
  if (config.cni.bridge?.write === false) return undefined;
  return {
    path: `${config.paths.cni.confDir}/${BRIDGE_FILE}`,
    content: bridgeNetwork(config),
    mode: 0o644,
  };
}

/** The plugins say their version when they are run with nothing to do; a build of one's own may not. */
async function hasPlugins({ host, config, facts }: StepContext): Promise<boolean> {
  if (facts.get(INSTALLING) !== undefined) return false;
  const { binDir } = config.paths.cni;
  for (const name of NEEDED) if (!(await isProgram(host, `${binDir}/${name}`))) return false;
  return await maySayVersion(host, { path: `${binDir}/${ASKED}`, asks: [] }, config.cni.version);
}

async function installPlugins(context: StepContext): Promise<void> {
  const { host, config } = context;
  const { binDir } = config.paths.cni;
  const file = await context.artifacts.obtain(requestOf(context), host);
  const plugins = new Map<string, string | Uint8Array>();
  if (context.dryRun) for (const name of NEEDED) plugins.set(name, notFetched(file, name));
  else {
    const archive = [await readVerified(host, file)];
    const wants = (path: string) => /^[a-z][a-z0-9-]*$/.test(path);
    for await (const member of readTar(archive, { gzip: true, what: file.from, wants })) {
      plugins.set(member.path, member.content);
    }
  }
  const missing = NEEDED.filter((name) => !plugins.has(name));
  if (missing.length > 0) throw incomplete(file.from, missing);
  await context.facts.set(INSTALLING, config.cni.version);
  const others = [...plugins.keys()].filter((name) => name !== ASKED);
  for (const name of [...others, ASKED]) {
    await host.writeFile(`${binDir}/${name}`, plugins.get(name)!, { mode: PROGRAM_MODE });
  }
  await context.facts.delete(INSTALLING);
}

/** The config no longer wants our network: only the file that is exactly of our making goes. */
async function removeStale(context: StepContext): Promise<void> {
  const path = `${context.config.paths.cni.confDir}/${BRIDGE_FILE}`;
  if (await isStale(context)) await context.host.remove(path);
}

async function isStale({ host, config }: StepContext): Promise<boolean> {
  const bytes = await host.readFile(`${config.paths.cni.confDir}/${BRIDGE_FILE}`);
  return bytes !== undefined && new TextDecoder().decode(bytes).includes(`"name": "${NETWORK_NAME}"`);
}

function incomplete(from: string, missing: readonly string[]): FlexError {
  return new FlexError({
    class: 'step',
    code: 'archive.incomplete',
    where: from,
    message: `the archive ${from} does not contain ${missing.join(', ')}`,
    remedy: 'Check the version and the URL in the config.',
  });
}
