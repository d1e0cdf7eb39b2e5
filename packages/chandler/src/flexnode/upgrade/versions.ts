/** The installed versions, the target versions, and whether an upgrade from one to the other is allowed. */
import type { FlexConfig } from '../config/config.ts';
import { FlexError } from '../flex-error.ts';
import type { Host } from '../host/host.ts';
import { compareVersions, kubeletSkew, parseVersion } from '../kubelet/version.ts';
import { CONTAINERD } from '../steps/containerd.ts';
import { KUBERNETES } from '../steps/kubernetes.ts';
import { type Program, versionThere } from '../steps/programs.ts';
import { RUNC } from '../steps/runc.ts';

export const COMPONENTS = ['runc', 'containerd', 'kubernetes'] as const;
export type Component = (typeof COMPONENTS)[number];
export type Versions = Readonly<Record<Component, string>>;

/** A missing version is read from the config. */
export interface UpgradeTarget extends Partial<Versions> {
  readonly allowDowngrade?: boolean;
}

/** Empty: the program is not there, or does not say. */
export async function installedVersions(host: Host): Promise<Versions> {
  const [runc, containerd, kubernetes] = await Promise.all(
    COMPONENTS.map((component) => versionThere(host, PROGRAMS[component])),
  );
  return { runc: runc ?? '', containerd: containerd ?? '', kubernetes: kubernetes ?? '' };
}

export function targetConfig(config: FlexConfig, target: UpgradeTarget): FlexConfig {
  return {
    ...config,
    runc: { ...config.runc, version: target.runc ?? config.runc.version },
    containerd: { ...config.containerd, version: target.containerd ?? config.containerd.version },
    kubernetes: { ...config.kubernetes, version: target.kubernetes ?? config.kubernetes.version },
  };
}

export function versionsOf(config: FlexConfig): Versions {
  return {
    runc: config.runc.version,
    containerd: config.containerd.version,
    kubernetes: config.kubernetes.version,
  };
}

export function changedComponents(from: Versions, to: Versions): readonly Component[] {
  return COMPONENTS.filter((component) => !sameVersion(from[component], to[component]));
}

export function sameVersion(one: string, other: string): boolean {
  const [left, right] = [parseVersion(one), parseVersion(other)];
  return left === undefined || right === undefined ? one === other : compareVersions(left, right) === 0;
}

/** @throws {FlexError} what is refused, before anything is fetched. */
export function checkUpgradePath(
  from: Versions,
  to: Versions,
  options: { readonly serverVersion?: string; readonly allowDowngrade: boolean },
): void {
  for (const component of COMPONENTS) {
    const [there, wanted] = [parseVersion(from[component]), parseVersion(to[component])];
    if (wanted === undefined) {
      throw refused(
        'upgrade.version',
        `"${to[component]}" is not a valid version of ${component}`,
        'Use the format 1.32.7.',
      );
    }
    if (there !== undefined && compareVersions(wanted, there) < 0 && !options.allowDowngrade) {
      throw refused(
        'upgrade.downgrade',
        `${component} ${to[component]} is older than the installed ${from[component]}`,
        'Use `--allow-downgrade` to continue. An older version may not be able to read the state of a newer version.',
      );
    }
  }
  const [kubelet, server] = [parseVersion(to.kubernetes)!, parseVersion(options.serverVersion ?? '')];
  if (server === undefined) return;
  const skew = kubeletSkew(kubelet, server);
  if (skew.ok) return;
  const what = skew.problem === 'newer-than-server' ? 'newer than' : 'too old for';
  throw refused(
    'upgrade.version-skew',
    `kubelet ${to.kubernetes} is ${what} the API server ${options.serverVersion}`,
    `Choose ${skew.oldest} or later, but not later than the API server. Or upgrade the cluster first.`,
  );
}

/** What to know, and no reason to refuse. */
export function notesOf(from: Versions, to: Versions, config: FlexConfig): readonly string[] {
  const notes: string[] = [];
  const minor = (text: string) => parseVersion(text)?.minor;
  if (minor(from.kubernetes) !== minor(to.kubernetes)) {
    notes.push(
      `the minor version of kubelet changes: drain the node first (kubectl drain ${config.agent.nodeName})`,
    );
  }
  for (const component of COMPONENTS) {
    const configured = versionsOf(config)[component];
    if (sameVersion(configured, to[component])) continue;
    notes.push(
      `the config still has ${component} ${configured}: change it to ${to[component]}, or the next bootstrap installs the old version`,
    );
  }
  return notes;
}

// ---------------------------------------------------------------------------------------------------

const PROGRAMS: Readonly<Record<Component, Program>> = {
  runc: RUNC,
  containerd: CONTAINERD,
  kubernetes: KUBERNETES.kubelet,
};

function refused(code: string, message: string, remedy: string): FlexError {
  return new FlexError({ class: 'usage', code, message, remedy });
}
