/** One thing that somebody does to the cluster, at its time. It looks at the truth when that time has come. */
import type { Chance } from '../../scheduling/chance.ts';
import type { Servers } from '../servers.ts';
import type { KubeTruth, TruthObject } from '../truth/kube-truth.ts';

export interface Scene {
  readonly servers: Servers;
  readonly truth: KubeTruth;
  /** Of its own: what the processes do does not change it. */
  readonly chance: Chance;
  /** For the record of the run. */
  readonly tell: (what: string) => void;
  /** Done when the faults stop, so that the world can come to rest. */
  readonly atCalm: (task: () => Promise<void> | void) => void;
}

export interface Step {
  readonly atMs: number;
  readonly name: string;
  run(scene: Scene): Promise<void>;
}

/** One that is there, not on its way out already; the choice is by name. */
export function pickStanding(
  { truth, chance }: Scene,
  kind: 'claims' | 'pools' | 'classes' | 'nodes' | 'pods',
  fits: (object: TruthObject) => boolean = () => true,
): TruthObject | undefined {
  const standing = truth
    .list(kind)
    .filter((object) => object.metadata.deletionTimestamp === undefined && fits(object))
    .sort((one, other) => ((one.metadata.name ?? '') < (other.metadata.name ?? '') ? -1 : 1));
  return standing.length === 0 ? undefined : chance.one(standing);
}

export function nameOf(object: TruthObject): string {
  return object.metadata.name ?? '';
}
