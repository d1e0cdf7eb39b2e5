/** Checks for conflicts: other runtimes, ports, an existing installation, the Arc agent. */
import type { ArtifactRequest } from '../artifacts/artifacts.ts';
import { bundleProblems, leftOutRemedy } from '../artifacts/bundle.ts';
import { artifactKey, knownHash } from '../artifacts/known-hash.ts';
import { agentVersion, isRegisteredAs, showAgent } from '../azure/azcmagent.ts';
import { FlexError } from '../flex-error.ts';
import { KUBELET_UNIT } from '../kubelet/paths.ts';
import { foreignKubeletDir } from '../steps/directories.ts';
import { unitState } from '../steps/services.ts';
import { type Check, error, type Inspection, ok, textOf, warning } from './check.ts';
import { KUBEADM_FILES, OTHER_SOFTWARE, type OtherSoftware } from './other-software.table.ts';
import type { Finding } from './report.ts';

export const SERVICE_CHECKS: readonly Check[] = [
  { name: 'existing-deployment', look: existingDeployment },
  { name: 'docker-active', look: docker },
  { name: 'other-distributions', look: otherSoftware },
  {
    name: 'kubelet-bind-address',
    neededBy: ['start-services'],
    look: (inspection) => port(inspection, 10250, 'kubelet', 'the kubelet'),
  },
  {
    name: 'kubelet-healthz-bind-address',
    neededBy: ['start-services'],
    look: (inspection) => port(inspection, 10248, 'kubelet', 'the health endpoint of the kubelet'),
  },
  { name: 'containerd-metrics-bind-address', neededBy: ['start-services'], look: metricsPort },
  { name: 'himds-bind-address', neededBy: ['arc'], look: himdsPort },
  { name: 'arc-agent', neededBy: ['arc'], look: arcAgent },
];

// ---------------------------------------------------------------------------------------------------

async function existingDeployment({ host, config, ours }: Inspection): Promise<readonly Finding[]> {
  if (ours) return [ok('this machine was bootstrapped before; bootstrap resumes')];
  const [kubelet, containerd] = await Promise.all([
    unitState(host, 'kubelet.service'),
    unitState(host, 'containerd.service'),
  ]);
  const findings: Finding[] = [];
  const foreign = (await foreignKubeletDir(host, config))?.facts;
  if (foreign !== undefined) findings.push(error(foreign.message, foreign.remedy ?? '', foreign.where));
  if (kubelet.active || (await host.lstat(KUBELET_UNIT)) !== undefined) {
    findings.push(
      warning(
        'a kubelet that was not installed by flexnode exists',
        'Bootstrap stops it and saves its files; `flexnode unbootstrap` restores them. If it belongs to a cluster, remove it from that cluster first (kubeadm reset).',
        'kubelet.service',
      ),
    );
  }
  if (containerd.active) {
    findings.push(
      warning(
        'a containerd that was not installed by flexnode exists',
        'Bootstrap replaces it and stops its containers; `flexnode unbootstrap` restores its files.',
        'containerd.service',
      ),
    );
  } else findings.push(...(await stoppedContainerd({ host })));
  return findings.length > 0 ? findings : [ok('no existing kubelet or containerd')];
}

async function docker(inspection: Inspection): Promise<readonly Finding[]> {
  const found = await softwareOf(inspection, 'docker-active');
  return found.length > 0 ? found : [ok('Docker is not running')];
}

async function otherSoftware(inspection: Inspection): Promise<readonly Finding[]> {
  const found = [
    ...(await softwareOf(inspection, 'other-distributions')),
    ...(await stoppedKubeadm(inspection)),
    ...(await staticPods(inspection)),
  ];
  return found.length > 0 ? found : [ok('no other Kubernetes distribution and no other container runtime')];
}

async function softwareOf(
  inspection: Inspection,
  check: OtherSoftware['check'],
): Promise<readonly Finding[]> {
  const rows = OTHER_SOFTWARE.filter((each) => each.check === check);
  return (await Promise.all(rows.map((each) => installed(inspection, each)))).flat();
}

async function installed(
  { host }: Inspection,
  { name, units, files, running, remedy }: OtherSoftware,
): Promise<readonly Finding[]> {
  for (const unit of units) {
    const { active, enabled } = await unitState(host, unit);
    if (!active && !enabled) continue;
    const what = active ? 'is running' : 'starts when the machine boots';
    return [
      running === 'error' ? error(`${name} ${what}`, remedy, unit) : warning(`${name} ${what}`, remedy, unit),
    ];
  }
  for (const file of files) {
    if ((await host.lstat(file)) !== undefined)
      return [warning(`${name} is installed, but not running`, remedy, file)];
  }
  return [];
}

async function stoppedKubeadm({ host, ours }: Inspection): Promise<readonly Finding[]> {
  if (ours) return [];
  for (const file of KUBEADM_FILES) {
    if ((await host.lstat(file)) === undefined) continue;
    const remedy = 'If the machine is a node of another cluster, remove it there, and run kubeadm reset.';
    return [warning('kubeadm joined this machine to a cluster', remedy, file)];
  }
  return [];
}

/** The kubelet starts every file there, and ignores names with a dot in front. */
async function staticPods({ host, config, ours }: Inspection): Promise<readonly Finding[]> {
  if (ours) return [];
  const { manifestsDir } = config.paths.kubernetes;
  const names = (await host.list(manifestsDir)).filter((name) => !name.startsWith('.'));
  const kinds = await Promise.all(
    names.map(async (name) => (await host.lstat(`${manifestsDir}/${name}`))?.kind),
  );
  // The kubelet does not look into folders.
  const files = names.filter((_, at) => kinds[at] !== 'directory');
  if (files.length === 0) return [];
  const remedy =
    'Remove the former cluster (kubeadm reset) or these files, or set paths.kubernetes.manifestsDir to another directory.';
  return [error(`the kubelet would start the static pods ${files.join(', ')}`, remedy, manifestsDir)];
}

async function stoppedContainerd({ host }: Pick<Inspection, 'host'>): Promise<readonly Finding[]> {
  for (const file of ['/usr/bin/containerd', '/usr/local/bin/containerd']) {
    if ((await host.lstat(file)) === undefined) continue;
    return [
      warning(
        'a containerd that was not installed by flexnode exists, but is not running',
        'Bootstrap installs its own in /usr/local/bin; `flexnode unbootstrap` restores replaced files. Remove it if nothing needs it: apt-get remove containerd containerd.io.',
        file,
      ),
    ];
  }
  return [];
}

/** The Arc agent serves tokens of the machine on this port. */
async function himdsPort(inspection: Inspection): Promise<readonly Finding[]> {
  const target = String(HIMDS_PORT);
  if (!(await listeningPorts(inspection)).has(HIMDS_PORT))
    return [ok('the port of the Arc agent is free', target)];
  if ((await unitState(inspection.host, 'himdsd.service')).active)
    return [ok('the port of the Arc agent is used by the Arc agent', target)];
  return [
    error(
      'the port of the Arc agent is used by another process',
      `Find the process (ss -ltnp "sport = :${target}") and stop it.`,
      target,
    ),
  ];
}

const HIMDS_PORT = 40342;

async function metricsPort(inspection: Inspection): Promise<readonly Finding[]> {
  const address = inspection.config.containerd.metricsAddress;
  const number = Number(/:(\d+)$/.exec(address)?.[1]);
  if (!(number > 0)) return [];
  const findings = await port(inspection, number, 'containerd', 'the containerd metrics');
  if (!/^(?:0\.0\.0\.0|\[::\]|):/.test(address)) return findings;
  return [
    ...findings,
    warning(
      'the containerd metrics are accessible from the network without authentication',
      'Set containerd.metricsAddress to 127.0.0.1:10257.',
      String(number),
    ),
  ];
}

async function port(
  inspection: Inspection,
  number: number,
  unit: 'kubelet' | 'containerd',
  what: string,
): Promise<readonly Finding[]> {
  const target = String(number);
  if (!(await listeningPorts(inspection)).has(number)) return [ok(`the port for ${what} is free`, target)];
  if ((await unitState(inspection.host, `${unit}.service`)).active) {
    return [ok(`the port for ${what} is used by ${unit}, which is already running`, target)];
  }
  return [
    error(
      `the port for ${what} is used by another process`,
      `Find the process (ss -ltnp "sport = :${number}") and stop it.`,
      target,
    ),
  ];
}

/** From the kernel's own tables: no program is needed, and nothing is opened. */
async function listeningPorts(inspection: Inspection): Promise<ReadonlySet<number>> {
  const ports = new Set<number>();
  for (const path of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of (await textOf(inspection, path)).split('\n').slice(1)) {
      const [, local, , state] = line.trim().split(/\s+/);
      if (state !== '0A' || local === undefined) continue;
      ports.add(Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16));
    }
  }
  return ports;
}

async function arcAgent(inspection: Inspection): Promise<readonly Finding[]> {
  try {
    return await arcAgentState(inspection);
  } catch (failure) {
    if (!(failure instanceof FlexError)) throw failure;
    return [error(failure.facts.message, failure.facts.remedy ?? 'Check systemctl status himdsd.')];
  }
}

async function arcAgentState(inspection: Inspection): Promise<readonly Finding[]> {
  const { host, config } = inspection;
  if ((await agentVersion(host)) === undefined) return [await withoutAgent(inspection)];
  const state = await showAgent(host);
  if (!state.connected && state.resourceName === undefined)
    return [ok('the Arc agent is installed and not connected yet')];
  if (!isRegisteredAs(state, config.azure))
    return [
      error(
        `the Arc agent is registered as another machine (${state.resourceName ?? 'unknown'})`,
        'Set azure.arc to that machine, or disconnect it: azcmagent disconnect.',
      ),
    ];
  if (!state.connected)
    return [
      warning(
        'the Arc agent is registered but not connected',
        'Check azcmagent check, azcmagent config get proxy.url and systemctl status himdsd. If the identity has expired, disconnect the agent first.',
      ),
    ];
  return [ok('the Arc agent is connected as the machine of the config')];
}

async function withoutAgent({ config, architecture, host }: Inspection): Promise<Finding> {
  const { install, agentVersion: version } = config.azure.arc;
  if (!install) {
    return error(
      'the Arc agent is not installed, and azure.arc.install is false',
      'Install azcmagent, or set azure.arc.install to true.',
    );
  }
  const request: ArtifactRequest = { kind: 'azcmagent', version, architecture };
  const hasBundle = config.downloads.bundle !== undefined;
  if (knownHash(request, config.downloads) === undefined) {
    return error(
      `the Arc agent is not installed, and bootstrap cannot ${hasBundle ? 'install' : 'download'} it because the hash of its package is not known`,
      hasBundle
        ? leftOutRemedy(request)
        : `Set downloads.sha256["${artifactKey(request)}"] to its hash, or install azcmagent manually.`,
      artifactKey(request),
    );
  }
  const [problem] = hasBundle ? await bundleProblems([request], config, host) : [];
  return problem === undefined
    ? ok('the Arc agent is not installed; bootstrap installs it')
    : error(`the Arc agent is not installed, and ${problem.message}`, problem.remedy ?? '', problem.where);
}
