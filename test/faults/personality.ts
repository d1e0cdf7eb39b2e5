/**
 * What a cloud adds to the simulation: its servers, what checkers see of them, the objects of a workload that name it, and its
 * faults. One folder each; everything else knows none of them. `clouds.ts` lists them.
 */
import type { ResourceRef } from '@chandler/kube';
import type { CloudProvider } from '../../packages/chandler/src/cloud/index.ts';
import type { Chance } from '../scheduling/chance.ts';
import type { MakeCheck, Traffic } from './checks/check.ts';
import type { CloudStory } from './cloud-story.ts';
import type { CloudStart, ServerTimes, SimulatedCloud } from './simulated-cloud.ts';
import type { Action } from './story/action.ts';

export interface Personality {
  /** In commands, and the actor of its changes in the record. */
  readonly name: string;
  /** Its connection in the record. */
  readonly wire: string;
  readonly nodeClasses: ResourceRef;
  readonly provider: CloudProvider;
  readonly story: CloudStory;
  /** What happens there beside the actions of every workload. */
  readonly actions: readonly Action[];
  readonly swarm: CloudSwarm;
  /** Beside those that every cloud has. */
  readonly checks: readonly MakeCheck[];
  start(parts: CloudStart): Promise<SimulatedCloud>;
  /** How a request reads in the record and for checkers. */
  readCall(input: string | URL | Request, init: RequestInit | undefined): CloudCall;
  /** An error that the cloud did not send itself; 429: too many requests, whatever its status is there. */
  refusal(code: RefusalCode, call: CloudCall): Response;
  /** Whether a checker reads the text of such an answer. */
  readsText(status: number, call: CloudCall): boolean;
}

export type CloudCall = Omit<Traffic, 'process' | 'server'>;

export type RefusalCode = 403 | 409 | 429 | 500;

/** The faults of a cloud that a swarm draws. */
export interface CloudSwarm {
  drawTimes(chance: Chance): ServerTimes;
  /** Of its servers. @param oddities what `drawOddities` has returned. */
  drawFaults(chance: Chance, seed: number, oddities: readonly string[]): readonly string[];
  /** What is allowed and unkind. */
  drawOddities(chance: Chance): readonly string[];
  /** What the account has from the beginning. */
  drawFeatures(seed: number): readonly string[];
  /** Of a run without faults. */
  readonly calmTimes: ServerTimes;
}
