/**
 * Decides for each layer whether it was passed, one function per layer: a created VM proves its configuration, a
 * registered node proves its boot. Without proof the layer is unknown or was not reached. Only a cause makes it broken.
 */
import {
  conditionOf,
  type EvidenceSet,
  firstLoss,
  isTrue,
  type Layer,
  type NodeClaimEvidence,
  podIsWell,
  type Unread,
} from '../causes/index.ts';
import type { CloudDiagnosis } from '../cloud/index.ts';

import { durationText } from './duration-text.ts';
import { absentNode } from './node-of-claim.ts';
import { isNamespaced, type Subject } from './subject.ts';
import { closedNode } from './usable-node.ts';

export interface LayerProof {
  readonly state: 'ok' | 'unknown' | 'notReached';
  readonly detail: string;
}

export function proofOf(
  layer: Layer,
  subject: Subject,
  evidence: EvidenceSet,
  cloud: Pick<CloudDiagnosis, 'title' | 'layerStages' | 'valuePaths'>,
): LayerProof {
  const scene = sceneOf(subject, evidence, cloud);
  if (scene.foreignNode !== undefined && layer !== 'scheduling' && layer !== 'readiness')
    return ok(`not needed: node ${scene.foreignNode} has no NodeClaim`);
  return PROOFS[layer](scene);
}

// ---------------------------------------------------------------------------------------------------

interface Scene {
  readonly cloud: Pick<CloudDiagnosis, 'title' | 'layerStages' | 'valuePaths'>;
  readonly subject: Subject;
  readonly evidence: EvidenceSet;
  /** The claim that the object runs on or waits for. */
  readonly claim: NodeClaimEvidence | undefined;
  readonly foreignNode: string | undefined;
}

function sceneOf(subject: Subject, evidence: EvidenceSet, cloud: Scene['cloud']): Scene {
  const claims = evidence.all('nodeClaim');
  const node = evidence.all('node').find(({ claim }) => claim !== undefined) ?? evidence.first('node');
  const claim =
    claims.find(({ name }) => name === node?.claim) ??
    claims.find((each) => !isTrue(each, 'Initialized')) ??
    claims[0];
  const foreign = claim === undefined && node !== undefined && !evidence.couldNotRead('nodeClaim');
  return { cloud, subject, evidence, claim, foreignNode: foreign ? node.name : undefined };
}

const ok = (detail: string): LayerProof => ({ state: 'ok', detail });
const unknown = (detail: string): LayerProof => ({ state: 'unknown', detail });
const notReached = (detail = ''): LayerProof => ({ state: 'notReached', detail });

const PROOFS: Readonly<Record<Layer, (scene: Scene) => LayerProof>> = {
  configuration: ({ evidence, claim }) => {
    if (claim !== undefined && isTrue(claim, 'Launched'))
      return ok(
        `${claim.name} was launched from NodePool ${claim.nodePool} and NodeClass ${claim.nodeClass}`,
      );
    const pool = evidence.first('nodePool');
    if (pool !== undefined && isTrue(pool, 'Ready')) return ok(`NodePool ${pool.name} is Ready`);
    if (pool !== undefined) return unknown(`NodePool ${pool.name} is not Ready`);
    if (claim !== undefined) return createdFor(claim, evidence);
    const plan = evidence.first('plan');
    if (plan?.outcome === 'refused' && !isUnread(evidence, 'nodePool')) return ok('the NodePools were read');
    return unknown(isUnread(evidence, 'nodePool') ? 'no NodePool could be read' : 'no NodePool was read');
  },
  provider: ({ cloud, evidence, claim }) => {
    if (claim === undefined) return withoutClaim(evidence);
    return handedOn(evidence, claim, cloud.layerStages.provider);
  },
  vmCreation: ({ cloud, evidence, claim }) => {
    if (claim === undefined) return withoutClaim(evidence);
    return handedOn(evidence, claim, cloud.layerStages.vmCreation);
  },
  cloudApi: ({ cloud, evidence, claim }) => {
    if (claim === undefined) return withoutClaim(evidence);
    if (isTrue(claim, 'Launched')) {
      const vm = evidence.all('vm').find((each) => each.claim === claim.name);
      const state = vm?.provisioningState === undefined ? '' : `, ${vm.provisioningState} in ${cloud.title}`;
      const created = `the VM of ${claim.name} was created${timeOf(claim, 'Launched')}`;
      if (/^(?:stopp|dealloc|terminat|shutting)/.test(vm?.powerState ?? ''))
        return ok(`${created}; now it is ${vm!.powerState}`);
      if (vm?.provisioningState === 'Failed' || vm?.provisioningState === 'Deleting')
        return unknown(`${created}; ${cloud.title} shows it as ${vm.provisioningState}`);
      return ok(`${created}${state}`);
    }
    return unknown(
      `${claim.name} has been waiting for its VM for ${durationText(evidence.ageMs(claim.createdAtMs))}`,
    );
  },
  bootstrap: ({ evidence, claim }) => {
    if (claim === undefined) return withoutClaim(evidence, '');
    if (!isTrue(claim, 'Launched')) return notReached();
    if (isTrue(claim, 'Registered'))
      return ok(`node ${claim.nodeName ?? ''} joined${timeOf(claim, 'Registered')}`);
    const since = Date.parse(conditionOf(claim, 'Launched')?.lastTransitionTime ?? '');
    return unknown(`the VM has not joined yet, ${durationText(evidence.ageMs(since))} after it was created`);
  },
  scheduling: ({ subject, evidence, claim }) => {
    const pod = evidence.first('pod');
    if (isNamespaced(subject.kind)) {
      if (pod === undefined) return unknown('no pod is in question');
      if (pod?.nodeName !== undefined) return ok(`on node ${pod.nodeName}`);
      if (claim !== undefined && !isTrue(claim, 'Registered')) return notReached('waiting for the node');
      return unknown('no node yet');
    }
    return nodeProof(evidence, claim);
  },
  readiness: ({ evidence }) => {
    const pod = evidence.first('pod');
    if (pod === undefined || pod.nodeName === undefined) return notReached();
    if (podIsWell(evidence))
      return ok(pod.phase === 'Succeeded' ? 'it has completed' : 'all containers are ready');
    return unknown('containers are not ready yet');
  },
};

/** What may not be read is not what does not exist. */
function isUnread({ unread }: EvidenceSet, wanted: Unread['kind']): boolean {
  return unread.some(({ kind, why }) => kind === wanted && why !== 'notFound');
}

function withoutClaim(evidence: EvidenceSet, otherwise = 'no NodeClaim'): LayerProof {
  return isUnread(evidence, 'nodeClaim') ? unknown('no NodeClaim could be read') : notReached(otherwise);
}

/** Layer 6, where no pod is in question. */
function nodeProof(evidence: EvidenceSet, claim: NodeClaimEvidence | undefined): LayerProof {
  const node = evidence.first('node');
  if (claim?.deletingSinceMs !== undefined) return unknown(`NodeClaim ${claim.name} is being deleted`);
  if (claim !== undefined && isTrue(claim, 'Initialized')) {
    const absent = absentNode(claim, evidence);
    if (absent !== undefined)
      return unknown(absent.name === '' ? 'no node is named' : `node ${absent.name} was not read`);
    const own = evidence.all('node').find(({ name }) => name === claim.nodeName);
    if (own !== undefined && !isTrue(own, 'Ready')) return unknown(`node ${own.name} is not Ready`);
    const closed = own === undefined ? undefined : closedNode(own, claim, evidence);
    if (closed === undefined) return ok(`node ${claim.nodeName ?? ''} can be used`);
    const text = `node ${claim.nodeName ?? ''} is ${closed.text}`;
    return closed.disruptedAtMs === undefined ? ok(text) : unknown(text);
  }
  if (claim !== undefined && !isTrue(claim, 'Registered')) return notReached();
  if (node !== undefined && isTrue(node, 'Ready')) return ok(`node ${node.name} is Ready`);
  return claim === undefined && node === undefined ? notReached() : unknown('the node cannot be used yet');
}

/** Of a claim that is not Launched, and of which no NodePool was read. */
function createdFor({ name, nodePool }: NodeClaimEvidence, { unread }: EvidenceSet): LayerProof {
  if (nodePool === '') return ok(`${name} was created without a NodePool`);
  const failure = unread.find(({ kind, what }) => kind === 'nodePool' && what === `NodePool ${nodePool}`);
  if (failure === undefined) return ok(`${name} was created for NodePool ${nodePool}`);
  return unknown(
    failure.why === 'notFound'
      ? `its NodePool ${nodePool} does not exist`
      : `its NodePool ${nodePool} could not be read`,
  );
}

/** By the journey where there is one; a VM that exists was requested in any case. */
function handedOn(evidence: EvidenceSet, claim: NodeClaimEvidence, stages: readonly string[]): LayerProof {
  const journey = evidence.all('journey').find((each) => each.claim === claim.name);
  const value = evidence.all('value').find((each) => each.claim === claim.name);
  const passed = stages.every((name) =>
    journey?.stages.some((stage) => stage.name === name && stage.outcome === 'ok'),
  );
  if (value !== undefined && firstLoss(value) === undefined) {
    const set = value.sightings.at(-1)?.value ?? '';
    if (passed)
      return ok(
        set === ''
          ? 'all values were passed on'
          : 'all values were passed on, including the disk encryption set',
      );
  }
  if (passed) return ok('all values were passed on');
  if (isTrue(claim, 'Launched'))
    return journey === undefined ? unknown('the NodeClaim has no launch record') : ok('the VM was requested');
  // An answer of the cloud proves that a request was sent.
  const answered = evidence.all('cloudError').some((each) => each.claim === claim.name);
  return answered && journey === undefined ? unknown('the NodeClaim has no launch record') : notReached();
}

function timeOf(claim: NodeClaimEvidence, type: string): string {
  const ms = Date.parse(conditionOf(claim, type)?.lastTransitionTime ?? '');
  return Number.isNaN(ms) ? '' : `, ${durationText(ms - claim.createdAtMs)} after the NodeClaim`;
}
