/**
 * Step 6: containerd in `/usr/local/bin`, its configuration and its unit. A containerd that runs while its programs or
 * settings change is restarted here; one that does not is started by the last step.
 */
import type { ArtifactRequest } from '../artifacts/artifacts.ts';
import { knownHash } from '../artifacts/known-hash.ts';
import type { FlexConfig } from '../config/config.ts';
import { extraConfig, REGISTRY_FOLDER, renderConfigToml, schemaOf } from '../containerd/config-toml.ts';
import {
  CONTAINERD_PROXY_DROP_IN,
  CONTAINERD_PROXY_ENVIRONMENT,
  CONTAINERD_UNIT,
  containerdProxyEnvironment,
  renderContainerdProxyDropIn,
  renderContainerdUnit,
} from '../containerd/unit.ts';
import type { Host } from '../host/host.ts';
import type { Step, StepContext } from '../step.ts';
import {
  confirmVersion,
  installMembers,
  isAsWanted,
  isInstalled,
  isProgram,
  maySayVersion,
  type Program,
  type WantedFile,
  type WantedMember,
} from './programs.ts';
import { forgetRun, RETURNED, systemctl, unitState } from './services.ts';

export const CONTAINERD: Program = { path: '/usr/local/bin/containerd', asks: ['--version'] };

/** Written first, as containerd is written last: with both of one version, all are of it. */
const CTR: Program = { path: '/usr/local/bin/ctr', asks: ['--version'] };

export const containerd: Step = {
  id: 'containerd',
  name: 'ContainerdInstaller',
  title: 'Install containerd',
  phase: 'installation',

  inputs: (context) => ({
    version: context.config.containerd.version,
    architecture: context.architecture,
    sha256: knownHash(requestOf(context), context.config.downloads)?.sha256,
    files: wantedFiles(context.config).map(({ path, mode, content }) => ({
      path,
      mode,
      // A proxy's address may hold a password, and a fingerprint is kept: the file itself says whether it changed.
      content: path === CONTAINERD_PROXY_ENVIRONMENT ? undefined : content,
    })),
  }),

  async validate({ config }) {
    extraConfig(config);
  },

  installs: async (context) => !(await areProgramsThere(context)),

  async isCompleted(context) {
    const { host, config } = context;
    if (!(await areProgramsThere(context))) return false;
    return (await filesAsWanted(host, config)) && (await staleFiles(host, config)).length === 0;
  },

  async execute(context) {
    const { host, config, facts } = context;
    // It is restarted with containerd: until then, the status of the Node is from before.
    await forgetRun(facts, 'kubelet');
    const { active } = await unitState(host, 'containerd.service');
    for (const path of FILLED_BY_CONTAINERD) await host.claim(path);
    if (!(await areProgramsThere(context))) {
      const file = await context.artifacts.obtain(requestOf(context), host);
      await installMembers(context, file, programsOf(config));
    }
    if ((await host.lstat(REGISTRY_FOLDER)) === undefined) await host.makeDirectory(REGISTRY_FOLDER, 0o755);
    for (const { path, content, mode } of wantedFiles(config)) await host.writeFile(path, content, { mode });
    for (const path of await staleFiles(host, config)) await host.remove(path);
    await confirmVersion(context, CONTAINERD, config.containerd.version);
    await systemctl(host, 'daemon-reload');
    if (!active) return;
    context.say('restarting containerd');
    await systemctl(host, 'restart', 'containerd.service');
  },

  /** The last step stops pods and their shims; here only a runtime that still uses our files is stopped. */
  async undo({ host, facts }) {
    if (facts.get(RETURNED) !== undefined) return [];
    if ((await unitState(host, 'containerd.service')).active)
      await systemctl(host, 'stop', 'containerd.service');
    return [];
  },
};

export function wantedFiles(config: FlexConfig): readonly WantedFile[] {
  const proxy = containerdProxyEnvironment(config);
  return [
    { path: '/etc/containerd/config.toml', content: renderConfigToml(config), mode: 0o644 },
    { path: CONTAINERD_UNIT, content: renderContainerdUnit(), mode: 0o644 },
    ...(proxy === undefined
      ? []
      : [
          { path: CONTAINERD_PROXY_ENVIRONMENT, content: proxy, mode: 0o600 },
          { path: CONTAINERD_PROXY_DROP_IN, content: renderContainerdProxyDropIn(), mode: 0o644 },
        ]),
  ];
}

// ---------------------------------------------------------------------------------------------------

/** 2.x has no `containerd-shim` any more. */
const PROGRAMS: readonly WantedMember[] = [
  { member: 'bin/containerd', path: CONTAINERD.path },
  { member: 'bin/containerd-shim', path: '/usr/local/bin/containerd-shim', optional: true },
  { member: 'bin/containerd-shim-runc-v2', path: '/usr/local/bin/containerd-shim-runc-v2' },
  { member: 'bin/ctr', path: CTR.path },
];

const FILLED_BY_CONTAINERD = ['/var/lib/containerd', '/run/containerd', '/opt/containerd', '/run/nri'];

/** Files that only a proxy needs, when there is none any more. Their names are ours alone. */
const PROXY_FILES = [CONTAINERD_PROXY_DROP_IN, CONTAINERD_PROXY_ENVIRONMENT];

/** A dry run opens no archive, and should name what is in it. */
function programsOf({ containerd: { version } }: FlexConfig): readonly WantedMember[] {
  return schemaOf(version) === 2 ? PROGRAMS : PROGRAMS.filter((program) => program.optional !== true);
}

function requestOf({ config, architecture }: StepContext): ArtifactRequest {
  return { kind: 'containerd', version: config.containerd.version, architecture };
}

async function areProgramsThere({ host, config }: StepContext): Promise<boolean> {
  if (!(await isInstalled(host, CONTAINERD, config.containerd.version))) return false;
  for (const { path, optional } of PROGRAMS) {
    if (optional !== true && !(await isProgram(host, path))) return false;
  }
  return await maySayVersion(host, CTR, config.containerd.version);
}

async function filesAsWanted(host: Host, config: FlexConfig): Promise<boolean> {
  for (const file of wantedFiles(config)) if (!(await isAsWanted(host, file))) return false;
  return true;
}

async function staleFiles(host: Host, config: FlexConfig): Promise<readonly string[]> {
  const wanted = new Set(wantedFiles(config).map((file) => file.path));
  const stale: string[] = [];
  for (const path of PROXY_FILES) {
    if (!wanted.has(path) && (await host.lstat(path)) !== undefined) stale.push(path);
  }
  return stale;
}
