/** One action on the cluster at a given time. It reads the state of the servers when it runs. */
import type { Chance } from '../../scheduling/chance.ts';
import type { CloudState } from '../server-state/cloud-state.ts';
import type { KubeState, ObservedObject } from '../server-state/kube-state.ts';
import type { Servers } from '../servers.ts';

export interface Scene {
  readonly servers: Servers;
  readonly state: KubeState;
  readonly cloud: CloudState;
  /** Its own random source, independent of the processes. */
  readonly chance: Chance;
  /** For the record of the run. */
  readonly note: (what: string) => void;
  /** Kills all processes; others take their place. */
  readonly restart: () => void;
  /** Runs when the faults stop, so that the cluster can converge. */
  readonly atCalm: (task: () => Promise<void> | void) => void;
}

export interface Step {
  readonly atMs: number;
  readonly name: string;
  run(scene: Scene): Promise<void>;
}

/** An object that is not being deleted, chosen by name. */
export function pickActive(
  { state, chance }: Scene,
  kind: 'claims' | 'pools' | 'classes' | 'nodes' | 'pods',
  fits: (object: ObservedObject) => boolean = () => true,
): ObservedObject | undefined {
  const active = state
    .list(kind)
    .filter((object) => object.metadata.deletionTimestamp === undefined && fits(object))
    .sort((one, other) => ((one.metadata.name ?? '') < (other.metadata.name ?? '') ? -1 : 1));
  return active.length === 0 ? undefined : chance.one(active);
}

export function nameOf(object: ObservedObject): string {
  return object.metadata.name ?? '';
}
