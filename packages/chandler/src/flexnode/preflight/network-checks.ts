/** Checks of the network: DNS, proxies, the endpoints of bootstrap and of the node, and the clock. */
import { rethrowProgramError } from '@chandler/kube';
import { sourcesOf } from '../artifacts/sources.ts';
import { environmentOf } from '../azure/environment.ts';
import { ask } from '../kubelet/live.ts';
import { INSTALLING_STEPS, type StepId } from '../step.ts';
import { artifactsToInstall } from './artifact-checks.ts';
import {
  type Check,
  error,
  type Inspection,
  isAnyToInstall,
  isAnyToRun,
  ok,
  outputOf,
  warning,
} from './check.ts';
import type { Finding } from './report.ts';

/** Tokens and certificates begin to fail beyond five minutes. */
const MAX_SKEW_MS = 5 * 60_000;
const NOTABLE_SKEW_MS = 30_000;
const WITHIN_MS = 10_000;

/** Those that use Azure. Later changes of settings need no more than the API server. */
const AZURE_STEPS: readonly StepId[] = ['arc', 'credentials'];

/** Those that cannot complete without the API server. */
const CLUSTER_STEPS: readonly StepId[] = ['credentials', 'start-services'];

export const NETWORK_CHECKS: readonly Check[] = [
  { name: 'dns', look: dns },
  { name: 'proxy', look: proxy },
  { name: 'azure-endpoints', neededBy: AZURE_STEPS, look: azureEndpoints },
  { name: 'download-endpoints', installedBy: INSTALLING_STEPS, look: downloadEndpoints },
  { name: 'api-server-reachable', neededBy: CLUSTER_STEPS, look: apiServer },
  { name: 'clock-skew', look: clockSkew },
];

/** Any response of both endpoints counts. */
export async function isAzureReachable(inspection: Inspection): Promise<boolean> {
  const answers = await Promise.all(azureUrls(inspection).map((url) => probeEndpoints(inspection, url)));
  return answers.every((answer) => answer !== undefined);
}

// ---------------------------------------------------------------------------------------------------

function azureUrls({ config }: Inspection): readonly string[] {
  const { resourceManagerUrl, authorityHost } = environmentOf(config.azure);
  return [resourceManagerUrl, authorityHost];
}

function downloadUrls(inspection: Inspection): readonly string[] {
  const { config } = inspection;
  if (config.downloads.bundle !== undefined) return [];
  const first = artifactsToInstall(inspection).flatMap((request) => sourcesOf(request, config).slice(0, 1));
  return [...new Set(first.map((url) => new URL(url).origin))].sort();
}

async function dns(inspection: Inspection): Promise<readonly Finding[]> {
  const server = inspection.facts.get('cluster.server');
  const urls = [
    ...(isAnyToRun(inspection, AZURE_STEPS) ? azureUrls(inspection) : []),
    ...(isAnyToInstall(inspection, INSTALLING_STEPS) ? downloadUrls(inspection) : []),
    ...(server !== undefined && isAnyToRun(inspection, CLUSTER_STEPS) ? [server] : []),
  ];
  const names = [...new Set(urls.map((url) => new URL(url).hostname))].filter((name) => !isAddress(name));
  const proxied = inspection.config.proxy.https !== undefined || inspection.config.proxy.http !== undefined;
  const findings = await Promise.all(
    names.map(async (name) => {
      if ((await outputOf(inspection, 'getent', 'ahosts', name)) !== undefined) return [];
      const remedy = 'Configure a DNS server that can resolve the name (resolvectl query <name>)';
      const message = 'the name cannot be resolved';
      // The proxy looks up names by itself.
      return [
        proxied
          ? warning(message, `${remedy} (the proxy may be able to resolve it)`, name)
          : error(message, remedy, name),
      ];
    }),
  );
  const bad = findings.flat();
  return bad.length > 0 ? bad : [ok(`${names.length} names can be resolved`)];
}

async function proxy({ config, world, signal }: Inspection): Promise<readonly Finding[]> {
  const urls = [...new Set([config.proxy.http, config.proxy.https].filter((url) => url !== undefined))];
  if (urls.length === 0) return [ok('no proxy is configured')];
  return Promise.all(
    urls.map(async (url) => {
      const target = new URL(url).hostname;
      // Any response counts.
      const plain = new URL(url);
      plain.username = '';
      plain.password = '';
      const answer = await ask(world, plain.href, signal, { withinMs: WITHIN_MS });
      return answer === undefined
        ? error(
            'the proxy does not respond',
            'Correct the proxy section of the config, or allow connections to the proxy.',
            target,
          )
        : ok('the proxy responds', target);
    }),
  );
}

function azureEndpoints(inspection: Inspection): Promise<readonly Finding[]> {
  const remedy = 'Allow outbound connections to it on port 443, or set the proxy section of the config.';
  return reach(inspection, azureUrls(inspection), (target) => error('cannot be reached', remedy, target));
}

function downloadEndpoints(inspection: Inspection): Promise<readonly Finding[]> {
  const remedy =
    'Allow outbound connections to it, configure a mirror (downloads.mirrors), or use a bundle (downloads.bundle).';
  return reach(inspection, downloadUrls(inspection), (target) => error('cannot be reached', remedy, target));
}

async function reach(
  inspection: Inspection,
  urls: readonly string[],
  failed: (target: string) => Finding,
): Promise<readonly Finding[]> {
  return Promise.all(
    urls.map(async (url) => {
      const target = new URL(url).host;
      return (await probeEndpoints(inspection, url)) === undefined
        ? failed(target)
        : ok('can be reached', target);
    }),
  );
}

/** Any response counts, including 401. Certificates are verified where the endpoint is used. */
async function apiServer(inspection: Inspection): Promise<readonly Finding[]> {
  const { facts, cluster, signal } = inspection;
  const [server, caData] = [facts.get('cluster.server'), facts.get('cluster.caData')];
  if (server === undefined || caData === undefined) {
    return [ok('skipped: the URL of the API server is not known before the credentials step')];
  }
  const target = new URL(server).host;
  try {
    await cluster.serverVersion({ server, caData }, signal);
    return [ok('can be reached', target)];
  } catch (failure) {
    if (signal.aborted) throw failure;
    rethrowProgramError(failure);
    const { class: kind, message } =
      (failure as { facts?: { class?: string; message?: string } }).facts ?? {};
    if (kind === 'auth') return [ok('can be reached', target)];
    return [
      error(
        `cannot be reached: ${(message ?? 'no response').replaceAll(/https?:\/\/\S+/g, 'the API server')}`,
        'Allow outbound connections to port 443 of the API server. A private cluster requires a VPN or a private route.',
        target,
      ),
    ];
  }
}

async function clockSkew(inspection: Inspection): Promise<readonly Finding[]> {
  const [url] = azureUrls(inspection);
  const answer = await probeEndpoints(inspection, url!);
  const theirs = Date.parse(answer?.headers.get('date') ?? '');
  if (Number.isNaN(theirs)) {
    return [warning('the clock could not be compared: no endpoint returned the time', 'Check timedatectl.')];
  }
  const skewMs = inspection.world.clock.now() - theirs;
  const words = `the clock is ${Math.round(Math.abs(skewMs) / 1000)} s ${skewMs > 0 ? 'ahead' : 'behind'}`;
  const remedy = 'Run timedatectl set-ntp true, and allow connections to a time server.';
  if (Math.abs(skewMs) > MAX_SKEW_MS) return [error(words, remedy)];
  if (Math.abs(skewMs) > NOTABLE_SKEW_MS) return [warning(words, remedy)];
  return [ok('the clock matches the clock of Azure')];
}

function probeEndpoints({ world, fetch, signal }: Inspection, url: string): Promise<Response | undefined> {
  return ask({ ...world, fetch: fetch ?? world.fetch }, url, signal, { withinMs: WITHIN_MS, method: 'HEAD' });
}

function isAddress(host: string): boolean {
  return host.startsWith('[') || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host) || host === 'localhost';
}
