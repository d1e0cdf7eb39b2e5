/**
 * What shows that a layer is passed, one function each: a machine that was made proves its configuration, a node that
 * joined proves its boot. Where nothing shows it, the layer is unknown or was not reached; that it is broken, only a
 * cause can say.
 */
import {
  conditionOf,
  type EvidenceSet,
  firstLoss,
  isTrue,
  type Layer,
  type NodeClaimEvidence,
  podIsWell,
} from '../causes/index.ts';
import type { CloudDiagnosis } from '../cloud/index.ts';

import { durationText } from './health-state.ts';
import type { Subject } from './subject.ts';

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
    return ok(`not needed: node ${scene.foreignNode} is not made by a NodeClaim`);
  return PROOFS[layer](scene);
}

// ---------------------------------------------------------------------------------------------------

interface Scene {
  readonly cloud: Pick<CloudDiagnosis, 'title' | 'layerStages' | 'valuePaths'>;
  readonly subject: Subject;
  readonly evidence: EvidenceSet;
  /** The claim that the object stands or waits on. */
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
      return ok(`NodePool ${claim.nodePool} and NodeClass ${claim.nodeClass} made ${claim.name}`);
    const pool = evidence.first('nodePool');
    if (pool !== undefined && isTrue(pool, 'Ready')) return ok(`NodePool ${pool.name} is Ready`);
    if (pool !== undefined) return unknown(`NodePool ${pool.name} is not known to be Ready`);
    if (claim !== undefined) return ok(`NodePool ${claim.nodePool} made ${claim.name}`);
    const plan = evidence.first('plan');
    if (plan?.outcome === 'refused') return ok('the pools were read');
    return unknown('no pool was read');
  },
  provider: ({ cloud, evidence, claim }) => {
    if (claim === undefined) return notReached('no claim');
    return handedOn(evidence, claim, cloud.layerStages.provider);
  },
  vmCreation: ({ cloud, evidence, claim }) => {
    if (claim === undefined) return notReached('no claim');
    return handedOn(evidence, claim, cloud.layerStages.vmCreation);
  },
  cloudApi: ({ cloud, evidence, claim }) => {
    if (claim === undefined) return notReached('no claim');
    if (isTrue(claim, 'Launched')) {
      const vm = evidence.all('vm').find((each) => each.claim === claim.name);
      const state = vm?.provisioningState === undefined ? '' : `, ${vm.provisioningState} in ${cloud.title}`;
      return ok(`the machine of ${claim.name} was made${timeOf(claim, 'Launched')}${state}`);
    }
    return unknown(
      `${claim.name} waits for its machine since ${durationText(evidence.ageMs(claim.createdAtMs))}`,
    );
  },
  bootstrap: ({ evidence, claim }) => {
    if (claim === undefined || !isTrue(claim, 'Launched')) return notReached();
    if (isTrue(claim, 'Registered'))
      return ok(`node ${claim.nodeName ?? ''} joined${timeOf(claim, 'Registered')}`);
    const since = Date.parse(conditionOf(claim, 'Launched')?.lastTransitionTime ?? '');
    return unknown(
      `the machine has not joined yet, ${durationText(evidence.ageMs(since))} after it was made`,
    );
  },
  scheduling: ({ subject, evidence, claim }) => {
    const pod = evidence.first('pod');
    if (subject.kind === 'pod') {
      if (pod?.nodeName !== undefined) return ok(`on node ${pod.nodeName}`);
      if (claim !== undefined && !isTrue(claim, 'Registered')) return notReached('waits for the node');
      return unknown('no node yet');
    }
    const node = evidence.first('node');
    if (claim !== undefined && isTrue(claim, 'Initialized'))
      return ok(`node ${claim.nodeName ?? ''} can be used`);
    if (claim !== undefined && !isTrue(claim, 'Registered')) return notReached();
    if (node !== undefined && isTrue(node, 'Ready')) return ok(`node ${node.name} is Ready`);
    return claim === undefined && node === undefined ? notReached() : unknown('the node is not usable yet');
  },
  readiness: ({ evidence }) => {
    const pod = evidence.first('pod');
    if (pod === undefined || pod.nodeName === undefined) return notReached();
    if (podIsWell(evidence))
      return ok(pod.phase === 'Succeeded' ? 'it has done its work' : 'all containers are ready');
    return unknown('containers are not ready yet');
  },
};

/** By the journey where there is one; a machine that exists was asked for all the same. */
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
        set === '' ? 'all values handed on' : `all values handed on, the disk encryption set among them`,
      );
  }
  if (passed) return ok('all values handed on');
  if (isTrue(claim, 'Launched'))
    return journey === undefined ? unknown('the claim keeps no journey') : ok('the machine was asked for');
  // The cloud has answered, so it was asked.
  const answered = evidence.all('cloudError').some((each) => each.claim === claim.name);
  return answered && journey === undefined ? unknown('the claim keeps no journey') : notReached();
}

function timeOf(claim: NodeClaimEvidence, type: string): string {
  const ms = Date.parse(conditionOf(claim, type)?.lastTransitionTime ?? '');
  return Number.isNaN(ms) ? '' : `, ${durationText(ms - claim.createdAtMs)} after the claim`;
}
