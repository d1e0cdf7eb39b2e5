/** Evaluates the checks of a scenario. Every evaluation reads the API server and the cloud; nothing is cached. */
import {
  conditionOf,
  EVENTS,
  type KubeClient,
  NODES,
  PODS,
  type Pod,
  type ResourceRef,
  type Stored,
} from '@chandler/kube';
import { NODE_CLAIMS, NODE_POOLS } from '../../api/index.ts';
import { type PlaygroundCloud, zoneOf } from '../clouds/playground-cloud.ts';
import { CostMeter } from '../cost-meter.ts';
import type { ScenarioTargets } from './actions.ts';
import type { Check, ConditionCheck } from './scenario.ts';

export interface CheckTargets extends Pick<ScenarioTargets, 'client' | 'cloud'> {
  readonly prices: PriceHistory;
}

/** The price of all instances now, and the highest that was read. */
export class PriceHistory {
  readonly #meter: CostMeter;
  #highest = 0;

  constructor(cloud: PlaygroundCloud) {
    this.#meter = new CostMeter(cloud);
  }

  read(): { readonly now: number; readonly highest: number } {
    const { perHour } = this.#meter.read();
    this.#highest = Math.max(this.#highest, perHour);
    return { now: perHour, highest: this.#highest };
  }
}

/** Undefined when the check passes; else what was observed. */
export async function failureOf(
  check: Check,
  { client, cloud, prices }: CheckTargets,
): Promise<string | undefined> {
  if ('pods' in check) return podsFailure(client, check.pods);
  if ('runningAtLeast' in check) return runningFailure(client, check.runningAtLeast);
  if ('noPodIn' in check) return podsInZone(client, check.noPodIn.app, zoneOf(cloud, check.noPodIn.zone));
  if ('noClaimIn' in check) return claimsInZone(client, zoneOf(cloud, check.noClaimIn.zone));
  if ('claims' in check)
    return countFailure('NodeClaims', (await client.list(NODE_CLAIMS)).items.length, check.claims);
  if ('instances' in check)
    return countFailure(`${cloud.instanceNoun}s`, cloud.instances().length, check.instances);
  if ('price' in check) return priceFailure(prices, check.price.atMostShare);
  if ('disrupting' in check) return disruptingFailure(client, check.disrupting.atMost);
  if ('everyClaimHas' in check) return labelFailure(client, check.everyClaimHas);
  if ('noClaimHas' in check) return labelledClaims(client, check.noClaimHas);
  if ('condition' in check) return conditionFailure(client, cloud, check.condition);
  if ('event' in check) return eventFailure(client, check.event);
  if ('nothingProvisioned' in check) return provisionedLeft(client, cloud);
  return cloud.failureOf(check, async (app) =>
    inPhase(await podsOf(client, app), 'Running').flatMap(({ spec }) => spec.nodeName ?? []),
  );
}

// ---------------------------------------------------------------------------------------------------

const ZONE_LABEL = 'topology.kubernetes.io/zone';
const DISRUPTED_TAINT = 'karpenter.sh/disrupted';
const POOL_LABEL = 'karpenter.sh/nodepool';

async function podsOf(client: KubeClient, app: string): Promise<readonly Stored<Pod>[]> {
  const { items } = await client.list(PODS, { namespace: 'default', labelSelector: `app=${app}` });
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

const inPhase = (pods: readonly Stored<Pod>[], phase: string) =>
  pods.filter(({ status }) => status?.phase === phase);

async function podsFailure(
  client: KubeClient,
  { app, running, pending }: Extract<Check, { pods: object }>['pods'],
): Promise<string | undefined> {
  const pods = await podsOf(client, app);
  const has = { running: inPhase(pods, 'Running').length, pending: inPhase(pods, 'Pending').length };
  const right = has.running === (running ?? has.running) && has.pending === (pending ?? has.pending);
  return right ? undefined : `${app}: ${has.running} pods running, ${has.pending} pending`;
}

async function runningFailure(
  client: KubeClient,
  { app, pods: min }: { readonly app: string; readonly pods: number },
): Promise<string | undefined> {
  const running = inPhase(await podsOf(client, app), 'Running').length;
  return running >= min ? undefined : `${app}: only ${running} pods running`;
}

async function podsInZone(client: KubeClient, app: string, zone: string): Promise<string | undefined> {
  const nodes = new Map((await client.list(NODES)).items.map((node) => [node.metadata.name, node]));
  const inside = inPhase(await podsOf(client, app), 'Running').filter(
    ({ spec }) => nodes.get(spec.nodeName ?? '')?.metadata.labels?.[ZONE_LABEL] === zone,
  );
  return inside.length === 0 ? undefined : `${inside.length} pods of ${app} run in zone ${zone}`;
}

async function claimsInZone(client: KubeClient, zone: string): Promise<string | undefined> {
  const inside = (await client.list(NODE_CLAIMS)).items.filter(
    ({ metadata }) => metadata.labels?.[ZONE_LABEL] === zone,
  );
  return inside.length === 0 ? undefined : `${inside.length} NodeClaims are in zone ${zone}`;
}

function countFailure(
  what: string,
  count: number,
  { atLeast = 0, exactly = count }: { readonly atLeast?: number; readonly exactly?: number },
): string | undefined {
  return count >= atLeast && count === exactly ? undefined : `there are ${count} ${what}`;
}

function priceFailure(prices: PriceHistory, share: number): string | undefined {
  const { now, highest } = prices.read();
  if (now <= share * highest) return undefined;
  return `the nodes cost $${now.toFixed(3)} per hour, at most they cost $${highest.toFixed(3)}`;
}

async function disruptingFailure(client: KubeClient, most: number): Promise<string | undefined> {
  const { items } = await client.list(NODES);
  const claims = (await client.list(NODE_CLAIMS)).items;
  const counted = new Set(
    claims
      .filter((claim) => conditionOf(claim, 'InstanceTerminating')?.status !== 'True')
      .map(({ status }) => status?.nodeName),
  );
  const names = items
    .filter(
      ({ metadata, spec }) =>
        counted.has(metadata.name) &&
        (metadata.deletionTimestamp !== undefined ||
          (spec?.taints ?? []).some(({ key }) => key === DISRUPTED_TAINT)),
    )
    .map(({ metadata }) => metadata.name);
  return names.length <= most ? undefined : `${names.length} nodes are disrupted: ${names.join(', ')}`;
}

async function labelFailure(
  client: KubeClient,
  { label, value }: { readonly label: string; readonly value: string },
): Promise<string | undefined> {
  const others = (await client.list(NODE_CLAIMS)).items.filter(
    ({ metadata }) => metadata.deletionTimestamp !== undefined || metadata.labels?.[label] !== value,
  );
  return others.length === 0
    ? undefined
    : `${others.length} NodeClaims are deleted or lack ${label}=${value}`;
}

async function labelledClaims(
  client: KubeClient,
  { label, value }: { readonly label: string; readonly value: string },
): Promise<string | undefined> {
  const { items } = await client.list(NODE_CLAIMS, { labelSelector: `${label}=${value}` });
  return items.length === 0 ? undefined : `${items.length} NodeClaims have ${label}=${value}`;
}

async function conditionFailure(
  client: KubeClient,
  cloud: PlaygroundCloud,
  check: ConditionCheck,
): Promise<string | undefined> {
  const { name, type, status, reason } = check;
  const kinds = { NodePool: NODE_POOLS, NodeClaim: NODE_CLAIMS, NodeClass: cloud.nodeClasses };
  const resource = kinds[check.kind] as ResourceRef;
  const objects = (await client.list(resource)).items.filter(
    ({ metadata }) => name === undefined || metadata.name === name,
  );
  const found = objects.flatMap((object) => {
    const { conditions = [] } = (object['status'] ?? {}) as { conditions?: readonly Condition[] };
    return conditions.filter((each) => each.type === type);
  });
  if (found.some((each) => each.status === status && each.reason === (reason ?? each.reason)))
    return undefined;
  const have = found.map((each) => `${each.status} (${each.reason ?? ''}: ${each.message ?? ''})`);
  return `${resource.kind} ${name ?? ''}: ${type} is ${have.join(', ') || 'not set'}`;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

async function eventFailure(
  client: KubeClient,
  { reason, message = '' }: { readonly reason: string; readonly message?: string },
): Promise<string | undefined> {
  const { items } = await client.list(EVENTS);
  const found = items.some(
    (event) => event['reason'] === reason && String(event['message']).includes(message),
  );
  return found ? undefined : `no event ${reason}${message === '' ? '' : ` with "${message}"`}`;
}

async function provisionedLeft(client: KubeClient, cloud: PlaygroundCloud): Promise<string | undefined> {
  const nodes = (await client.list(NODES, { labelSelector: POOL_LABEL })).items;
  const counts = {
    NodeClaims: (await client.list(NODE_CLAIMS)).items.length,
    nodes: nodes.length,
    ...cloud.leftovers(),
  };
  const left = Object.entries(counts).filter(([, count]) => count > 0);
  return left.length === 0 ? undefined : left.map(([what, count]) => `${count} ${what}`).join(', ');
}
